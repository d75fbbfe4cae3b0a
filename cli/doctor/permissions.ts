import { at } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { RESOURCES } from '../../common/kube/client/resources.ts'
import { count } from '../../common/text/count.ts'
import { listed } from '../../common/text/list.ts'
import { text } from '../../common/view/text.ts'
import { explained } from '../process/explain.ts'
import { said } from '../render/said.ts'
import { bad, type Check, type Facts, type Finding, notKnown, ok } from './check.ts'
import type { Account, Expected, ExpectedRule, Granted, Place } from './expected.ts'
import { accountName, type Installation, settingOf } from './installation.ts'
import { installAgain } from './remedies.ts'

/** Whether both accounts may do what this version does. */
export const permissions: Check = { name: 'permissions', needs: [], look }

/** One verb of a rule, and where it is needed. */
interface Right extends ExpectedRule {
  readonly account: Account
  readonly verb: string
  /** undefined: everywhere */
  readonly namespace: string | undefined
}

async function look(facts: Facts): Promise<Finding> {
  const { installation, expected } = facts
  for (const deployment of Object.values(installation.deployments)) {
    if (deployment.is === 'unknown') return notKnown(text(deployment.because))
    if (deployment.is === 'absent') return notKnown(said`no Deployment says which components there are`)
  }
  const all = rightsOf(expected, installation)
  try {
    const [first, ...others] = all
    // the first one alone: who may not ask, is refused once
    const answers = first ? [await isAllowed(facts, first)] : []
    answers.push(...(await Promise.all(others.map((right) => isAllowed(facts, right)))))
    const missing = all.filter((_, index) => !answers[index])
    return missing.length === 0
      ? ok(said`both accounts have all ${text(count(all.length, 'permission'))}`)
      : bad(text(listed(missing.map(worded))), installAgain(installation))
  } catch (error) {
    if (error instanceof KubeError) return notKnown(text(explained(error).message))
    throw error
  }
}

/** All that the accounts need, with the components of this installation. */
function rightsOf({ rights: of }: Expected, installation: Installation): readonly Right[] {
  const { always, components } = of[installation.served === undefined ? 'cluster' : 'namespace']
  const isOn = (variable: string) => settingOf(installation.deployments, variable) === 'enabled'
  const added = Object.entries(components).flatMap(([variable, granted]) => (isOn(variable) ? [granted] : []))
  return [always, ...added].flatMap((granted) => rightsIn(granted, installation))
}

const ACCOUNTS: readonly Account[] = ['controller', 'webhook']
const PLACES: readonly Place[] = ['cluster', 'served', 'system']

const rightsIn = (granted: Granted, { namespace: system, served }: Installation): readonly Right[] =>
  ACCOUNTS.flatMap((account) =>
    PLACES.flatMap((place) =>
      (granted[account]?.[place] ?? []).flatMap((rule) =>
        rule.verbs.split(' ').map((verb) => {
          const namespace = place === 'cluster' ? undefined : place === 'system' ? system : served
          return { ...rule, account, verb, namespace }
        }),
      ),
    ),
  )

async function isAllowed({ cluster, installation }: Facts, right: Right): Promise<boolean> {
  const { account, verb, group, resource: whole, name, namespace } = right
  const [resource, subresource] = whole.split('/')
  const { namespace: system } = installation
  const answer = await cluster.post(
    RESOURCES.SubjectAccessReview,
    {},
    {
      spec: {
        user: `system:serviceaccount:${system}:${accountName(installation, account)}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${system}`, 'system:authenticated'],
        resourceAttributes: { verb, group, resource, subresource, name, namespace },
      },
    },
  )
  return at(answer, 'status', 'allowed') === true
}

/** `the webhook may not list networkpolicies.networking.k8s.io in shop` */
const worded = ({ account, verb, group, resource, name, namespace }: Right): string => {
  const [plural, subresource] = resource.split('/')
  const of = `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`
  return `the ${account} may not ${verb} ${of}${name ? ` ${name}` : ''}${namespace ? ` in ${namespace}` : ''}`
}
