import { expect } from 'chai'
import { SPEC_HASH } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { WATCHED } from '../../manifests/chart/render.ts'
import { expected } from '../../manifests/expected.ts'

const SYSTEM = 'experiment-controller-system'

const role = (kind: string, namespace: string | undefined, rules: readonly object[]): KubeObject => ({
  ...{ apiVersion: 'v1', kind, rules },
  metadata: { name: 'r', ...(namespace === undefined ? {} : { namespace }) },
})
const binding = (kind: string, namespace: string | undefined, account = 'experiment-controller'): KubeObject => ({
  ...{ apiVersion: 'v1', kind: `${kind}Binding`, roleRef: { kind, name: 'r' }, subjects: [{ name: account }] },
  metadata: { name: 'r', ...(namespace === undefined ? {} : { namespace }) },
})
const rule = (group: string, resource: string, ...verbs: readonly string[]) => ({
  ...{ apiGroups: [group], resources: [resource], verbs },
})

const always: readonly KubeObject[] = [
  role('ClusterRole', undefined, [
    { apiGroups: ['apps', 'argoproj.io'], resources: ['deployments', 'rollouts'], verbs: ['list', 'get'] },
    rule('apps', 'deployments', 'patch'),
  ]),
  binding('ClusterRole', undefined),
  binding('ClusterRole', undefined, 'somebody'),
  role('Role', SYSTEM, [
    { ...rule('coordination.k8s.io', 'leases', 'update'), resourceNames: ['experiment-controller'] },
  ]),
  binding('Role', SYSTEM),
  role('Role', WATCHED, [rule('', 'services', 'list')]),
  binding('Role', WATCHED, 'experiment-webhook'),
  {
    ...{ apiVersion: 'v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'experiments', annotations: { [SPEC_HASH]: 'hash' } },
  },
  {
    ...{ apiVersion: 'v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'c' } },
    webhooks: [{ name: 'validate', failurePolicy: 'Fail', rules: [{ operations: ['CREATE'] }], timeoutSeconds: 5 }],
  },
]
/** A component that adds a right, and one that every installation has. */
const gate = always.map((object) =>
  object.metadata.namespace === undefined && object.kind === 'ClusterRole'
    ? {
        ...object,
        rules: [
          ...(object.rules as readonly object[]),
          rule('', 'pods/status', 'patch'),
          rule('apps', 'deployments', 'get'),
        ],
      }
    : object,
)

describe('what doctor expects', () => {
  it('has every right of our accounts, and of each component what it adds', async () => {
    const { rights } = await expected(async ({ components }) => (components.includes('gate') ? gate : always))
    expect(rights.cluster.always).to.deep.equal({
      controller: {
        cluster: [
          { group: 'apps', resource: 'deployments', verbs: 'get list patch' },
          { group: 'argoproj.io', resource: 'rollouts', verbs: 'get list' },
        ],
        system: [{ group: 'coordination.k8s.io', resource: 'leases', name: 'experiment-controller', verbs: 'update' }],
      },
      webhook: { served: [{ group: '', resource: 'services', verbs: 'list' }] },
    })
    const patch = { controller: { cluster: [{ group: '', resource: 'pods/status', verbs: 'patch' }] } }
    expect(rights.namespace.components).to.deep.equal({ ANALYSIS: {}, GATE: patch, CUT_OVER: {}, PROMOTION: {} })
  })

  it('has the hashes of the CRDs, and of the webhooks what installations do not change', async () => {
    const { crds, webhooks } = await expected(async () => always)
    expect(crds).to.deep.equal({ experiments: 'hash' })
    expect(webhooks.ValidatingWebhookConfiguration).to.deep.equal([
      { name: 'validate', failurePolicy: 'Fail', rules: [{ operations: ['CREATE'] }] },
    ])
  })

  it('stops at a namespace that an installation would not know', async () => {
    const strange = [role('Role', 'strange', [rule('', 'pods', 'get')]), binding('Role', 'strange')]
    const failed = await expected(async () => strange).catch((error: Error) => error.message)
    expect(failed).to.equal('unexpected namespace strange')
  })
})
