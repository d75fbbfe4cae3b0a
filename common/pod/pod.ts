import { labelKeyProblem } from '../api/metadata-syntax.ts'
import { checkAnnotations } from './annotations.ts'
import { checkContainers, checkOneOf, type Origin } from './containers.ts'
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
import { checkNetwork } from './network.ts'
import { checkOverhead, checkPodResources } from './resources.ts'
import { checkScheduling } from './scheduling.ts'
import { checkPodSecurity } from './security.ts'
import { dnsLabelProblem, dnsNameProblem } from './syntax.ts'
import { checkVolumes, emptyDirsOf, volumesOf } from './volumes.ts'

/** A pod template, and what its workload adds. */
interface PodTemplateFields {
  readonly template: Field
  readonly isStatefulSet: boolean
  /** the list of a StatefulSet's claims */
  readonly claimTemplates: Field | undefined
}

/** The pod template of a workload. */
export function checkTemplate({ template, isStatefulSet, claimTemplates }: PodTemplateFields, origin: Origin): void {
  const pod = fieldAt(template, 'spec')
  checkVolumes(pod, claimTemplates)
  const claims = checkPodClaims(pod)
  const parts = { volumes: volumesOf(pod, claimTemplates), emptyDirs: emptyDirsOf(pod), claims }
  checkContainers(pod, parts, origin)
  checkPodResources(fieldAt(pod, 'resources'), itemsOf(fieldAt(pod, 'containers')))
  checkOverhead(fieldAt(pod, 'overhead'))
  checkLifetime(pod)
  checkNames(pod)
  checkNetwork(pod, isStatefulSet)
  checkScheduling(pod)
  checkPodSecurity(pod)
  checkSystem(pod)
  checkAnnotations(fieldIn(template, 'metadata', 'annotations'), pod)
}

/** The pods of a workload run for ever. */
function checkLifetime(pod: Field): void {
  const policy = fieldAt(pod, 'restartPolicy')
  if (textAt(policy) !== '' && policy.value !== 'Always')
    refuse(policy, 'must be Always in a workload; remove it', { cause: 'FieldValueNotSupported' })
  const deadline = fieldAt(pod, 'activeDeadlineSeconds')
  if (isSet(deadline)) refuse(deadline, 'cannot be set in a workload; remove it', { cause: 'FieldValueForbidden' })
}

function checkNames(pod: Field): void {
  const alias = fieldAt(pod, 'serviceAccount') // the former name of the field
  if (!isSet(fieldAt(pod, 'serviceAccountName')) && textAt(alias) !== '') refuseIf(alias, dnsNameProblem(textAt(alias)))
  for (const key of ['serviceAccountName', 'priorityClassName', 'nodeName'])
    if (textAt(fieldAt(pod, key)) !== '') refuseIf(fieldAt(pod, key), dnsNameProblem(textAt(fieldAt(pod, key))))
  const runtime = fieldAt(pod, 'runtimeClassName')
  if (isSet(runtime)) refuseIf(runtime, dnsNameProblem(textAt(runtime)))
  for (const gate of itemsOf(fieldAt(pod, 'readinessGates'))) {
    const type = fieldAt(gate, 'conditionType')
    if (typeof type.value === 'string') refuseIf(type, labelKeyProblem(type.value))
  }
  for (const gate of itemsOf(fieldAt(pod, 'schedulingGates'))) {
    const name = fieldAt(gate, 'name')
    if (typeof name.value === 'string') refuseIf(name, labelKeyProblem(name.value))
  }
}

/** The claims for devices. Returns their names. */
function checkPodClaims(pod: Field): readonly string[] {
  const names: string[] = []
  for (const claim of itemsOf(fieldAt(pod, 'resourceClaims'))) {
    const name = fieldAt(claim, 'name')
    if (name.value === '') requireValue(name, 'must be a name; set it')
    else if (isSet(name)) refuseIf(name, dnsLabelProblem(textAt(name)))
    names.push(textAt(name))
    const found = ['resourceClaimName', 'resourceClaimTemplateName'].map((key) => fieldAt(claim, key)).filter(isSet)
    const [first, second] = found
    if (!first) requireValue(claim, 'must have resourceClaimName or resourceClaimTemplateName; add one')
    if (second) refuse(second, 'cannot be set together with resourceClaimName; remove one of them')
    for (const field of found) refuseIf(field, dnsNameProblem(textAt(field)))
  }
  return names
}

const NOT_ON_WINDOWS = {
  pod: ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'resources'],
  podContext: [
    'appArmorProfile',
    'seLinuxOptions',
    'seccompProfile',
    'fsGroup',
    'fsGroupChangePolicy',
    'sysctls',
    'runAsUser',
    'runAsGroup',
    'supplementalGroups',
    'supplementalGroupsPolicy',
    'seLinuxChangePolicy',
  ],
  containerContext: [
    'appArmorProfile',
    'seLinuxOptions',
    'seccompProfile',
    'capabilities',
    'readOnlyRootFilesystem',
    'privileged',
    'allowPrivilegeEscalation',
    'procMount',
    'runAsUser',
    'runAsGroup',
  ],
} as const

/** What depends on the operating system of the node. */
function checkSystem(pod: Field): void {
  const os = fieldAt(pod, 'os')
  const name = fieldAt(os, 'name')
  if (isSet(os)) checkOneOf(name, ['linux', 'windows'])
  const contexts = ['containers', 'initContainers']
    .flatMap((list) => itemsOf(fieldAt(pod, list)))
    .map((container) => fieldAt(container, 'securityContext'))
  const podContext = fieldAt(pod, 'securityContext')
  const refuseAll = (of: Field, keys: readonly string[]) => {
    for (const field of keys.map((key) => fieldAt(of, key)))
      if (isSet(field) && field.value !== false && !isEmptyList(field))
        refuse(field, `cannot be set with os.name: ${textAt(name)}; remove one of them`, {
          cause: 'FieldValueForbidden',
          others: [remedyAt(name, 'does not fit fields that only another system has; change it')],
        })
  }
  if (name.value === 'linux') for (const context of [podContext, ...contexts]) refuseAll(context, ['windowsOptions'])
  if (name.value !== 'windows') return
  refuseAll(pod, NOT_ON_WINDOWS.pod)
  refuseAll(podContext, NOT_ON_WINDOWS.podContext)
  for (const context of contexts) refuseAll(context, NOT_ON_WINDOWS.containerContext)
}

const isEmptyList = ({ value }: Field): boolean => Array.isArray(value) && value.length === 0
