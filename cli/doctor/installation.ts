import { ABSENT, type Known, knownValue } from '../../common/api/known.ts'
import { MANAGED_BY } from '../../common/api/names.ts'
import type { KubeObject, ResourceType } from '../../common/api/object.ts'
import { at, isObject, listOr, textOr } from '../../common/json/json.ts'
import { RESOURCES } from '../../common/kube/client/resources.ts'
import type { Cluster } from './cluster.ts'
import type { Account } from './expected.ts'

/** The name of both webhook configurations. */
const CONFIGURATION = 'experiment-deployment-controller'
const DEFAULT_NAMESPACE = 'experiment-controller-system'
const ADMISSION = 'admissionregistration.k8s.io/v1'

const VALIDATING: ResourceType = {
  apiVersion: ADMISSION,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
}
const MUTATING: ResourceType = {
  apiVersion: ADMISSION,
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
}

/** An installation of the product, as its own objects describe it. */
export interface Installation {
  /** where the programs are */
  readonly namespace: string
  /** behind the names of objects without a namespace: empty, or `-shop` where it is one of several */
  readonly suffix: string
  readonly configurations: {
    readonly ValidatingWebhookConfiguration: Known<KubeObject>
    readonly MutatingWebhookConfiguration: Known<KubeObject>
  }
  readonly deployments: Readonly<Record<Account, Known<KubeObject>>>
  /** the one namespace whose experiments are served; undefined: all, or nobody knows */
  readonly served: string | undefined
  /** whether the webhook is called by an address, so that it runs elsewhere than in pods of this cluster */
  readonly isByUrl: boolean
}

/** The name of the Deployment of a program, and of its account. */
export const nameOf = (account: Account): string => `experiment-${account}`

/** The name of both webhook configurations of this installation. */
export const configurationName = ({ suffix }: Pick<Installation, 'suffix'>): string => `${CONFIGURATION}${suffix}`

/**
 * Finds the installation whose programs are in `namespace`; without it, the one that the validating configuration
 * names.
 */
export async function findInstallation(cluster: Cluster, namespace: string | undefined): Promise<Installation> {
  const own = await cluster.get(VALIDATING, { name: CONFIGURATION })
  const place = namespace ?? namespaceIn(knownValue(own)) ?? DEFAULT_NAMESPACE
  const [controller, webhook] = await Promise.all(
    [nameOf('controller'), nameOf('webhook')].map((name) =>
      cluster.get(RESOURCES.Deployment, { namespace: place, name }),
    ),
  )
  const deployments = { controller: controller ?? ABSENT, webhook: webhook ?? ABSENT }
  const watched = namespaceOr(settingOf(deployments, 'WATCH_NAMESPACE'))
  const one = watched === undefined ? ABSENT : await cluster.get(VALIDATING, { name: `${CONFIGURATION}-${watched}` })
  const suffix = namespaceIn(knownValue(one)) === place ? `-${watched}` : ''
  const validating = suffix === '' ? own : one
  return {
    namespace: place,
    suffix,
    configurations: {
      ValidatingWebhookConfiguration: validating,
      MutatingWebhookConfiguration: await cluster.get(MUTATING, { name: `${CONFIGURATION}${suffix}` }),
    },
    deployments,
    served: watched ?? selectedIn(knownValue(validating)),
    isByUrl: webhooksOf(knownValue(validating)).some((each) => at(each, 'clientConfig', 'url') !== undefined),
  }
}

/** The webhooks of a configuration. */
export const webhooksOf = (configuration: KubeObject | undefined): readonly unknown[] => listOr(configuration?.webhooks)

/** A namespace as Kubernetes names one: another text has no place in a path or in a command. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const namespaceOr = (value: unknown): string | undefined =>
  typeof value === 'string' && NAMESPACE.test(value) ? value : undefined

/** Where the Service is that the configuration names. */
const namespaceIn = (configuration: KubeObject | undefined): string | undefined =>
  namespaceOr(at(webhooksOf(configuration)[0], 'clientConfig', 'service', 'namespace'))

/** The one namespace whose experiments are reviewed; undefined if there are several. */
function selectedIn(configuration: KubeObject | undefined): string | undefined {
  const selected = listOr(at(webhooksOf(configuration)[0], 'namespaceSelector', 'matchExpressions')).find(
    (each) => at(each, 'operator') === 'In' && at(each, 'key') === 'kubernetes.io/metadata.name',
  )
  const values = listOr(at(selected, 'values'))
  return values.length === 1 ? namespaceOr(values[0]) : undefined
}

/** The value of a variable of one of the programs; undefined if none has it. */
export function settingOf(deployments: Installation['deployments'], name: string): string | undefined {
  const variables = Object.values(deployments)
    .flatMap((deployment) => listOr(at(knownValue(deployment), 'spec', 'template', 'spec', 'containers')))
    .flatMap((container) => listOr(at(container, 'env')))
  const found = variables.find((each) => at(each, 'name') === name && textOr(at(each, 'value'), '') !== '')
  return found === undefined ? undefined : textOr(at(found, 'value'), '')
}

/** The account of a program, as its Deployment says. */
export const accountName = ({ deployments }: Installation, account: Account): string =>
  textOr(at(knownValue(deployments[account]), 'spec', 'template', 'spec', 'serviceAccountName'), nameOf(account))

/** The release of Helm that has made the installation; undefined: it was made in another way, or nobody knows. */
export function releaseOf({ deployments, configurations }: Installation): string | undefined {
  const objects = [...Object.values(deployments), ...Object.values(configurations)].map(knownValue).filter(isObject)
  const made = objects.find((object) => at(object, 'metadata', 'labels', MANAGED_BY) === 'Helm')
  return namespaceOr(at(made, 'metadata', 'annotations', 'meta.helm.sh/release-name'))
}
