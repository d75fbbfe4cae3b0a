import type { ResourceType } from '../../common/api/object.ts'
import { at, listOr, textOr } from '../../common/json/json.ts'
import { type Text, text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { bad, type Check, type Facts, type Finding, notKnown, ok } from './check.ts'
import { accountName } from './installation.ts'
import { installAgain } from './remedies.ts'

const NAME = 'experiment-controller-account'
const ADMISSION = 'admissionregistration.k8s.io/v1'
const POLICY: ResourceType = {
  apiVersion: ADMISSION,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
}
const BINDING: ResourceType = {
  apiVersion: ADMISSION,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
}

/** Whether the API server keeps the account of the controller from writing other objects than forks. */
export const accountPolicy: Check = { name: 'account-policy', needs: [], look }

async function look({ cluster, installation }: Facts): Promise<Finding> {
  const name = `${NAME}${installation.suffix}`
  const [policy, binding] = await Promise.all([cluster.get(POLICY, { name }), cluster.get(BINDING, { name })])
  for (const each of [policy, binding]) if (each.is === 'unknown') return notKnown(text(each.because))
  const again = installAgain(installation)
  if (policy.is !== 'known') return bad(said`there is no ValidatingAdmissionPolicy ${text(name)}`, again)
  const denies =
    binding.is === 'known' &&
    at(binding.value, 'spec', 'policyName') === name &&
    listOr(at(binding.value, 'spec', 'validationActions')).includes('Deny')
  if (!denies) return bad(said`no ValidatingAdmissionPolicyBinding ${text(name)} denies`, again)
  const account = `system:serviceaccount:${installation.namespace}:${accountName(installation, 'controller')}`
  const isAbout = listOr(at(policy.value, 'spec', 'matchConditions')).some((each) =>
    textOr(at(each, 'expression'), '').includes(`'${account}'`),
  )
  return isAbout ? ok(said`binds ${text(account)}`) : bad(said`is not about ${text(account)}`, renamed(account, again))
}

/** An overlay for another namespace has to change the name, and silently may not. */
const renamed = (account: string, again: Text): Text =>
  said`Let matchConditions of the policy name ${text(account)} in your overlay, if that is for another namespace. ${again}`
