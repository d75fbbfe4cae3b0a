import { didYouMean } from '../text/did-you-mean.ts'
import { listed } from '../text/list.ts'
import {
  type Field,
  fieldAt,
  fieldIn,
  isSet,
  itemsOf,
  refuse,
  refuseIf,
  remedyAt,
  requireValue,
  textAt,
} from './field.ts'
import { pathWithoutBackstepsProblem, relativePathProblem } from './syntax.ts'

/** The volumes of a pod by name. */
export interface Volumes {
  /** the list in the pod, and that of a StatefulSet's claims, where a missing volume can be added */
  readonly lists: readonly Field[]
  readonly names: readonly string[]
  /** those that can be devices: claims */
  readonly claims: ReadonlySet<string>
}

/** Where a container of `pod` mounts volumes. */
export function checkMounts(container: Field, pod: Field, volumes: Volumes): void {
  const devices = itemsOf(fieldAt(container, 'volumeDevices'))
  const devicePaths = devices.map((device) => textAt(fieldAt(device, 'devicePath')))
  const deviceNames = devices.map((device) => textAt(fieldAt(device, 'name')))
  const paths = new Set<string>()
  const isWindows = fieldIn(pod, 'os', 'name').value === 'windows'
  for (const mount of itemsOf(fieldAt(container, 'volumeMounts'))) {
    const [name, path] = [fieldAt(mount, 'name'), fieldAt(mount, 'mountPath')]
    checkVolumeName(name, container, volumes)
    if (deviceNames.includes(textAt(name))) refuse(name, 'cannot also be in volumeDevices; remove one of them')
    if (!isWindows && hasColon(textAt(path)))
      refuse(path, 'must not contain ":"; a mount has one path, in the container', { isStored: true })
    checkMountPath(path, paths, devicePaths)
    checkSubPaths(mount)
    checkOptions(mount, container)
  }
  checkDevices(devices, container, volumes)
}

function checkVolumeName(name: Field, container: Field, { names, lists }: Volumes): void {
  if (typeof name.value !== 'string' || names.includes(name.value)) return
  const meant = didYouMean(name.value, names)
  const known = names.length === 0 ? 'the pod has none' : `the pod has ${listed(names)}`
  const remedy = meant === undefined ? `${known}; add it to volumes, or correct the name` : `did you mean "${meant}"?`
  const user = `container "${textAt(fieldAt(container, 'name'))}"`
  refuse(name, `must be the name of a volume of the pod; ${remedy}`, {
    others: lists.map((list) =>
      remedyAt(list, `must have a volume "${name.value}", because ${user} mounts it; keep it, or remove the mount`),
    ),
  })
}

/** A path on a drive, such as `C:\data`: a pod for Windows may say so by its nodeSelector alone. */
const ON_DRIVE = /^[A-Za-z]:[\\/]/

const hasColon = (path: string): boolean => path.includes(':') && !ON_DRIVE.test(path)

function checkMountPath(path: Field, seen: Set<string>, devicePaths: readonly string[]): void {
  const text = textAt(path)
  if (path.value === '') {
    requireValue(path, 'must be a path in the container; set it')
    return
  }
  if (text === '') return
  if (seen.has(text))
    refuse(path, 'must be unique: another mount has this path; change one of them', { cause: 'FieldValueDuplicate' })
  if (devicePaths.includes(text)) refuse(path, 'cannot also be the path of a device; change one of them')
  seen.add(text)
}

function checkSubPaths(mount: Field): void {
  const [path, expression] = [fieldAt(mount, 'subPath'), fieldAt(mount, 'subPathExpr')]
  for (const each of [path, expression]) refuseIf(each, relativePathProblem(textAt(each)))
  if (textAt(path) !== '' && textAt(expression) !== '')
    refuse(expression, 'cannot be set together with subPath; remove one of them')
}

function checkOptions(mount: Field, container: Field): void {
  const propagation = fieldAt(mount, 'mountPropagation')
  const isPrivileged = () => fieldIn(container, 'securityContext', 'privileged').value === true
  if (propagation.value === 'Bidirectional' && !isPrivileged())
    refuse(propagation, 'cannot be Bidirectional in a container that is not privileged; use HostToContainer', {
      cause: 'FieldValueForbidden',
    })
  const recursive = fieldAt(mount, 'recursiveReadOnly')
  if (!isSet(recursive) || typeof recursive.value !== 'string' || recursive.value === 'Disabled') return
  if (!['Enabled', 'IfPossible'].includes(recursive.value)) {
    refuse(recursive, 'must be Disabled, IfPossible or Enabled', { cause: 'FieldValueNotSupported' })
    return
  }
  if (fieldAt(mount, 'readOnly').value !== true) refuse(recursive, 'needs readOnly: true; set it, or remove this')
  if (isSet(propagation) && propagation.value !== 'None')
    refuse(recursive, 'needs mountPropagation: None; remove one of them')
}

function checkDevices(devices: readonly Field[], container: Field, volumes: Volumes): void {
  if (devices.length === 0) return
  const [names, paths] = [new Set<string>(), new Set<string>()]
  const mounted = itemsOf(fieldAt(container, 'volumeMounts')).map((mount) => textAt(fieldAt(mount, 'mountPath')))
  for (const device of devices) {
    const [name, path] = [fieldAt(device, 'name'), fieldAt(device, 'devicePath')]
    checkVolumeName(name, container, volumes)
    if (volumes.names.includes(textAt(name)) && !volumes.claims.has(textAt(name)))
      refuse(name, 'must be a volume of a PersistentVolumeClaim; mount others by volumeMounts')
    if (names.has(textAt(name))) refuse(name, 'must be unique; remove one of them', { cause: 'FieldValueDuplicate' })
    if (path.value === '') requireValue(path, 'must be a path in the container; set it')
    refuseIf(path, pathWithoutBackstepsProblem(textAt(path)))
    if (paths.has(textAt(path))) refuse(path, 'must be unique; change one of them', { cause: 'FieldValueDuplicate' })
    if (mounted.includes(textAt(path))) refuse(path, 'cannot also be the path of a mount; change one of them')
    names.add(textAt(name))
    paths.add(textAt(path))
  }
}
