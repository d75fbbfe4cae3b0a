import { normalizeImage } from '../api/image.ts'
import type { OverrideType } from '../api/types.ts'
import { showValue } from '../json/field-path.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { checkEnv } from './env.ts'
import { type Field, fieldAt, isSet, itemsOf, refuse, refuseIf, remedyAt, requireValue, textAt } from './field.ts'
import { checkHooks, checkProbes } from './handlers.ts'
import { checkMounts, type Volumes } from './mounts.ts'
import { checkHostPorts, checkPorts } from './ports.ts'
import { checkResources } from './resources.ts'
import { checkContainerSecurity } from './security.ts'
import { dnsLabelProblem } from './syntax.ts'

/** How the spec came about, for remedies. */
export interface Origin {
  readonly overrideType: OverrideType
  /** the names of all containers of the source; called only for a mistake */
  readonly sourceContainers: () => readonly string[]
}

/** What containers refer to in their pod. */
interface PodParts {
  readonly volumes: Volumes
  readonly emptyDirs: ReadonlySet<string>
  readonly claims: readonly string[]
}

/** Both lists of containers. */
export function checkContainers(pod: Field, parts: PodParts, origin: Origin): void {
  const list = fieldAt(pod, 'containers')
  const [containers, inits] = [itemsOf(list), itemsOf(fieldAt(pod, 'initContainers'))]
  if (Array.isArray(list.value) && containers.length === 0) requireValue(list, 'must have a container; keep one')
  const names = new Map<string, Field>()
  for (const container of [...containers, ...inits]) {
    checkName(container, names)
    checkImage(container, origin)
    checkContainer(container, pod, parts)
  }
  const gracePeriod = fieldAt(pod, 'terminationGracePeriodSeconds')
  for (const container of [...containers, ...inits.filter(isSidecar)]) {
    const owner = { container, gracePeriod }
    checkProbes(owner)
    checkHooks(owner)
  }
  for (const container of inits) checkInit(container)
  checkHostPorts(containers)
  for (const container of inits) checkHostPorts([container])
}

/** An init container that runs beside the others. */
const isSidecar = (container: Field): boolean => fieldAt(container, 'restartPolicy').value === 'Always'

function checkName(container: Field, seen: Map<string, Field>): void {
  const name = fieldAt(container, 'name')
  const text = textAt(name)
  if (name.value === '') {
    requireValue(name, 'must be a name; set it')
    return
  }
  if (text === '') return
  refuseIf(name, dnsLabelProblem(text))
  const earlier = seen.get(text)
  if (earlier) {
    const message = `must be unique among containers and initContainers: another one is called ${showValue(text)}; rename it`
    refuse(name, message, { cause: 'FieldValueDuplicate', others: [remedyAt(earlier, message)] })
  }
  seen.set(text, name)
}

function checkImage(container: Field, origin: Origin): void {
  const image = fieldAt(container, 'image')
  if (isSet(image) && typeof image.value !== 'string') return
  const text = textAt(image)
  if (text === '') {
    requireValue(image, missingImage(textAt(fieldAt(container, 'name')), origin))
    return
  }
  // the API server stores any text, but no kubelet can pull what is no reference
  if (normalizeImage(text) === undefined)
    refuse(
      image,
      `must be a reference such as registry.example/shop/cart:1.0 ${imageProblem(text)}; got ${showValue(text)}`,
      { isStored: true },
    )
}

const imageProblem = (text: string): string =>
  /\s/.test(text) ? 'without blanks' : text !== text.toLowerCase() ? 'with a name in lowercase' : '(host/name:tag)'

function missingImage(name: string, { overrideType, sourceContainers }: Origin): string {
  const names = sourceContainers()
  if (names.includes(name))
    return overrideType === 'Merge'
      ? `must be set: Merge replaces the whole container; use overrideType: Strategic to change only some of its fields`
      : 'must be set: every container needs an image; set it, or leave this out'
  const meant = didYouMean(name, names)
  const remedy = meant === undefined ? 'set it' : `did you mean ${JSON.stringify(meant)}?`
  return `must be set: the source has no container ${showValue(name)}, so this is a new one; ${remedy}`
}

function checkContainer(container: Field, pod: Field, { volumes, emptyDirs, claims }: PodParts): void {
  checkPorts(container, fieldAt(pod, 'hostNetwork'))
  checkEnv(container, emptyDirs)
  checkMounts(container, pod, volumes)
  checkResources(fieldAt(container, 'resources'), claims)
  checkContainerSecurity(fieldAt(container, 'securityContext'), pod)
  checkResizePolicies(container)
  checkRestarts(container)
  const hostUsers = fieldAt(pod, 'hostUsers')
  const devices = fieldAt(container, 'volumeDevices')
  if (hostUsers.value === false && itemsOf(devices).length > 0)
    refuse(devices, 'cannot be set while hostUsers is false; remove one of them', {
      cause: 'FieldValueForbidden',
      others: [remedyAt(hostUsers, 'cannot be false while a container has volumeDevices; remove one of them')],
    })
}

const RESIZES: Readonly<Record<string, readonly string[]>> = {
  resourceName: ['cpu', 'memory'],
  restartPolicy: ['NotRequired', 'RestartContainer'],
}

function checkResizePolicies(container: Field): void {
  const seen = new Set<string>()
  for (const policy of itemsOf(fieldAt(container, 'resizePolicy'))) {
    for (const [key, known] of Object.entries(RESIZES)) checkOneOf(fieldAt(policy, key), known)
    const name = fieldAt(policy, 'resourceName')
    if (seen.has(textAt(name))) refuse(name, 'must be unique; remove one of them', { cause: 'FieldValueDuplicate' })
    seen.add(textAt(name))
  }
}

/** A text that must be one of `known`. */
export function checkOneOf(field: Field, known: readonly string[]): void {
  if (typeof field.value === 'string' && !known.includes(field.value))
    refuse(field, `must be one of ${known.join(', ')}; got ${showValue(field.value)}`, {
      cause: 'FieldValueNotSupported',
    })
}

const MAX_RULES = 20
const MAX_EXIT_CODES = 255

function checkRestarts(container: Field): void {
  const [policy, rules] = [fieldAt(container, 'restartPolicy'), fieldAt(container, 'restartPolicyRules')]
  checkOneOf(policy, ['Always', 'Never', 'OnFailure'])
  const found = itemsOf(rules)
  if (found.length > 0 && !isSet(policy)) requireValue(policy, 'must be set with restartPolicyRules; set it')
  if (found.length > MAX_RULES) refuse(rules, `must have at most ${MAX_RULES}; remove some`)
  for (const rule of found) {
    checkOneOf(fieldAt(rule, 'action'), ['Restart', 'RestartAllContainers'])
    const codes = fieldAt(rule, 'exitCodes')
    if (!isSet(codes)) requireValue(codes, 'must be set; add it')
    checkOneOf(fieldAt(codes, 'operator'), ['In', 'NotIn'])
    if (itemsOf(fieldAt(codes, 'values')).length > MAX_EXIT_CODES)
      refuse(fieldAt(codes, 'values'), `must have at most ${MAX_EXIT_CODES}; remove some`)
  }
}

function checkInit(container: Field): void {
  if (isSidecar(container)) return
  for (const key of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'])
    if (isSet(fieldAt(container, key)))
      refuse(
        fieldAt(container, key),
        'cannot be set in an init container unless its restartPolicy is Always; remove it',
        {
          cause: 'FieldValueForbidden',
        },
      )
  for (const policy of itemsOf(fieldAt(container, 'resizePolicy'))) {
    const restart = fieldAt(policy, 'restartPolicy')
    if (restart.value === 'RestartContainer')
      refuse(restart, 'cannot be RestartContainer in an init container; use NotRequired')
  }
}
