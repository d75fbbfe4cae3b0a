import { showValue } from '../json/field-path.ts'
import {
  type Field,
  fieldAt,
  isSet,
  itemsOf,
  membersOf,
  refuse,
  refuseIf,
  rootField,
  textAt,
  type ValueError,
} from './field.ts'
import { checkToleration } from './scheduling.ts'
import { relativePathProblem } from './syntax.ts'

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const MIRROR = 'kubernetes.io/config.mirror'
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations'
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/'
const SECCOMP_OF_POD = 'seccomp.security.alpha.kubernetes.io/pod'
const SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/'

/**
 * The annotations of a pod that the API server validates. Former fields are among them: tools still write them.
 * Source: `ValidatePodSpecificAnnotations` of Kubernetes.
 */
export function checkAnnotations(annotations: Field, pod: Field): void {
  const cost = fieldAt(annotations, DELETION_COST)
  if (isSet(cost) && !isWhole(textAt(cost))) refuse(cost, 'must be a whole number of 32 bits, in quotes; correct it')
  const mirror = fieldAt(annotations, MIRROR)
  if (isSet(mirror) && textAt(fieldAt(pod, 'nodeName')) === '')
    refuse(mirror, 'cannot be set without nodeName; set it to null')
  const tolerations = fieldAt(annotations, TOLERATIONS)
  if (textAt(tolerations) !== '') refuseIf(tolerations, tolerationsProblem(textAt(tolerations)))
  for (const [key, value] of membersOf(annotations)) {
    if (key === SECCOMP_OF_POD || key.startsWith(SECCOMP)) refuseIf(value, seccompProblem(textAt(value)))
    if (key.startsWith(APP_ARMOR)) checkAppArmor(key.slice(APP_ARMOR.length), value, pod)
  }
}

const isWhole = (text: string): boolean =>
  /^(?:0|-?[1-9]\d{0,9})$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31

function tolerationsProblem(text: string): string | undefined {
  const errors: ValueError[] = []
  try {
    const list = rootField(JSON.parse(text), errors)
    if (!Array.isArray(list.value)) return 'must be a list of tolerations as JSON; set spec.tolerations instead'
    for (const toleration of itemsOf(list)) checkToleration(toleration)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return 'must be JSON; set spec.tolerations instead'
  }
  const [first] = errors
  return first && `${first.path.join('.')}: ${first.message}`
}

const LOCAL = 'localhost/'

function seccompProblem(profile: string): string | undefined {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return undefined
  return profile.startsWith(LOCAL)
    ? relativePathProblem(profile.slice(LOCAL.length))
    : `must be runtime/default, unconfined or ${LOCAL} with a path; got ${showValue(profile)}`
}

function checkAppArmor(container: string, profile: Field, pod: Field): void {
  const names = ['initContainers', 'containers', 'ephemeralContainers']
    .flatMap((list) => itemsOf(fieldAt(pod, list)))
    .map((each) => fieldAt(each, 'name').value)
  if (!names.includes(container))
    refuse(profile, `is for the container ${showValue(container)}, which does not exist; set it to null`)
  const text = textAt(profile)
  if (!['', 'runtime/default', 'unconfined'].includes(text) && !text.startsWith(LOCAL))
    refuse(profile, `must be runtime/default, unconfined or ${LOCAL} with a profile; got ${showValue(text)}`)
}
