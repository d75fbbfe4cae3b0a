import { showValue } from '../json/field-path.ts'
import {
  type Field,
  fieldAt,
  fieldIn,
  isSet,
  itemsOf,
  numberOf,
  refuse,
  refuseIf,
  remedyAt,
  requireValue,
  textAt,
} from './field.ts'
import { dnsNameProblem, relativePathProblem } from './syntax.ts'

const MAX_ID = 2 ** 31 - 1

/** The security context of a container. `pod` says whether it has users of its own. */
export function checkContainerSecurity(context: Field, pod: Field): void {
  if (!isSet(context)) return
  for (const key of ['runAsUser', 'runAsGroup']) checkId(fieldAt(context, key))
  checkProfiles(context)
  const mount = fieldAt(context, 'procMount')
  const hostUsers = fieldAt(pod, 'hostUsers')
  if (mount.value === 'Unmasked' && hostUsers.value !== false)
    refuse(mount, 'cannot be Unmasked unless hostUsers of the pod is false; set that, or remove this', {
      others: [remedyAt(hostUsers, 'must be false, because a container has procMount: Unmasked; set it')],
    })
  checkEscalation(context)
  checkWindowsOptions(fieldAt(context, 'windowsOptions'))
}

function checkEscalation(context: Field): void {
  const escalation = fieldAt(context, 'allowPrivilegeEscalation')
  if (escalation.value !== false) return
  const privileged = fieldAt(context, 'privileged')
  if (privileged.value === true)
    refuse(escalation, 'cannot be false in a privileged container; remove it, or privileged', {
      others: [remedyAt(privileged, 'cannot be true with allowPrivilegeEscalation: false; remove one of them')],
    })
  const added = fieldIn(context, 'capabilities', 'add')
  for (const capability of itemsOf(added))
    if (capability.value === 'CAP_SYS_ADMIN')
      refuse(escalation, 'cannot be false with the capability CAP_SYS_ADMIN; remove one of them', {
        others: [remedyAt(capability, 'cannot be added with allowPrivilegeEscalation: false; remove one of them')],
      })
}

/** The security context of a pod, and its namespaces of the node. */
export function checkPodSecurity(pod: Field): void {
  checkPodContext(fieldAt(pod, 'securityContext'), pod)
  checkHostProcesses(pod)
  const [shared, hostPID] = [fieldAt(pod, 'shareProcessNamespace'), fieldAt(pod, 'hostPID')]
  if (shared.value === true && hostPID.value === true)
    refuse(shared, 'cannot be true together with hostPID; remove one of them', {
      others: [remedyAt(hostPID, 'cannot be true together with shareProcessNamespace; remove one of them')],
    })
  const hostUsers = fieldAt(pod, 'hostUsers')
  if (hostUsers.value === false)
    for (const key of ['hostNetwork', 'hostPID', 'hostIPC'])
      if (fieldAt(pod, key).value === true)
        refuse(fieldAt(pod, key), 'cannot be true while hostUsers is false; remove one of them', {
          cause: 'FieldValueForbidden',
          others: [remedyAt(hostUsers, `cannot be false while ${key} is true; remove one of them`)],
        })
}

function checkPodContext(context: Field, pod: Field): void {
  if (!isSet(context)) return
  for (const key of ['runAsUser', 'runAsGroup', 'fsGroup']) checkId(fieldAt(context, key))
  for (const group of itemsOf(fieldAt(context, 'supplementalGroups'))) checkId(group)
  checkProfiles(context)
  checkSysctls(fieldAt(context, 'sysctls'), pod)
  const change = fieldAt(context, 'seLinuxChangePolicy')
  if (typeof change.value === 'string' && !['Recursive', 'MountOption'].includes(change.value))
    refuse(change, 'must be Recursive or MountOption', { cause: 'FieldValueNotSupported' })
  checkWindowsOptions(fieldAt(context, 'windowsOptions'))
}

function checkId(id: Field): void {
  const number = numberOf(id)
  if (number !== undefined && (number < 0 || number > MAX_ID)) refuse(id, `must be from 0 to ${MAX_ID}; got ${number}`)
}

function checkProfiles(context: Field): void {
  for (const key of ['seccompProfile', 'appArmorProfile']) {
    const profile = fieldAt(context, key)
    if (!isSet(profile)) continue
    const [type, local] = [fieldAt(profile, 'type'), fieldAt(profile, 'localhostProfile')]
    if (type.value === 'Localhost') checkLocalProfile(key, local)
    else if (isSet(local))
      refuse(local, `cannot be set unless type is Localhost; set it to null`, {
        others: [remedyAt(type, 'must be Localhost while localhostProfile is set; set localhostProfile to null')],
      })
  }
}

function checkLocalProfile(key: string, local: Field): void {
  const text = textAt(local)
  if (!isSet(local)) {
    requireValue(local, 'must name a profile for type Localhost; set it')
    return
  }
  if (key === 'seccompProfile') {
    refuseIf(local, relativePathProblem(text))
    return
  }
  if (text.trim() === '') requireValue(local, 'must name a profile for type Localhost; set it')
  else if (text.trim() !== text) refuse(local, 'must not begin or end with blanks; remove them')
  if (text.length > 4_095) refuse(local, 'must have at most 4095 characters; shorten it')
}

const SYSCTL = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/

function checkSysctls(list: Field, pod: Field): void {
  const seen = new Set<string>()
  for (const sysctl of itemsOf(list)) {
    const name = fieldAt(sysctl, 'name')
    const text = textAt(name)
    if (text === '') requireValue(name, 'must be the name of a kernel parameter; set it')
    else if (text.length > 253 || !text.split(/[./]/).every((part) => SYSCTL.test(part)))
      refuse(name, `must be the name of a kernel parameter such as net.core.somaxconn; got ${showValue(text)}`)
    else if (seen.has(text)) refuse(name, 'must be unique; remove one of them', { cause: 'FieldValueDuplicate' })
    seen.add(text)
    const host = hostOf(text, pod)
    if (host !== undefined) refuse(name, `cannot be set while ${host} is true; remove one of them`)
  }
}

function hostOf(sysctl: string, pod: Field): string | undefined {
  const dotted = sysctl.replaceAll('/', '.')
  if (dotted.startsWith('net.') && fieldAt(pod, 'hostNetwork').value === true) return 'hostNetwork'
  const isOfIpc = /^(?:kernel\.(?:shm|msg|sem)|fs\.mqueue\.)/.test(dotted)
  return isOfIpc && fieldAt(pod, 'hostIPC').value === true ? 'hostIPC' : undefined
}

function checkWindowsOptions(options: Field): void {
  if (!isSet(options)) return
  const name = fieldAt(options, 'gmsaCredentialSpecName')
  if (isSet(name)) refuseIf(name, dnsNameProblem(textAt(name)))
  for (const key of ['gmsaCredentialSpec', 'runAsUserName'])
    if (fieldAt(options, key).value === '') requireValue(fieldAt(options, key), 'must not be empty; remove it')
  const user = fieldAt(options, 'runAsUserName')
  const parts = textAt(user).split('\\')
  const account = parts.at(-1) ?? ''
  if (
    textAt(user) !== '' &&
    (parts.length > 2 || account === '' || account.length > 104 || /["/:;|=,+*?<>@[\]]|^[. ]+$/.test(account))
  )
    refuse(user, `must be a Windows user such as DOMAIN\\user; got ${showValue(user.value)}`)
}

/** Either all containers of a pod are processes of a Windows node, or none. */
function checkHostProcesses(pod: Field): void {
  const hostProcessOf = (of: Field) => fieldIn(of, 'securityContext', 'windowsOptions', 'hostProcess')
  const ofPod = hostProcessOf(pod)
  const all = ['initContainers', 'containers'].flatMap((list) => itemsOf(fieldAt(pod, list))).map(hostProcessOf)
  for (const each of all)
    if (isSet(ofPod) && isSet(each) && each.value !== ofPod.value)
      refuse(each, 'must be as in the securityContext of the pod; correct one of them', {
        others: [remedyAt(ofPod, 'must be as in the securityContext of each container; correct one of them')],
      })
  const those = all.filter((each) => (isSet(each) ? each.value : ofPod.value) === true)
  const [first] = those
  if (!first) return
  const remedy = remedyAt(ofPod, 'must be set in all containers, or in none; correct it')
  if (those.length < all.length)
    refuse(first, 'must be set in all containers, or in none; correct it', { others: [remedy] })
  const hostNetwork = fieldAt(pod, 'hostNetwork')
  if (hostNetwork.value !== true)
    refuse(hostNetwork, 'must be true, because a container has hostProcess: true; set it', {
      others: [first, ofPod].map((field) =>
        remedyAt(field, 'cannot be true unless hostNetwork of the pod is; set that'),
      ),
    })
}
