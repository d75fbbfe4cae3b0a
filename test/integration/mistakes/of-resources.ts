import type { Mistake } from './mistake.ts'

const sourceRef = 'sourceRef: {kind: Deployment, name: cart}'
const CLAIMS = (size: string) => `volumeClaimTemplates:
- metadata: {name: data}
  spec:
    accessModes: [ReadWriteOnce]
    resources: {requests: {storage: ${size}}}`

/** Mistakes outside the override, and mistakes that are specific to one kind of source. */
export const OF_RESOURCES: readonly Mistake[] = [
  { title: 'A field beside the override', rest: 'image: cart:2', paths: ['spec.image'] },
  { title: 'A pod template beside the override', rest: 'template: {spec: {}}', paths: ['spec.template'] },
  { title: 'No override', spec: sourceRef, paths: ['spec.overrideSpec'] },
  { title: 'A list for the override', spec: `${sourceRef}\noverrideSpec: []`, paths: ['spec.overrideSpec'] },
  { title: 'No source', spec: 'overrideSpec: {}', paths: ['spec.sourceRef'] },
  {
    title: 'A source without its name',
    spec: 'sourceRef: {kind: Deployment}\noverrideSpec: {}',
    paths: ['spec.sourceRef.name'],
  },
  {
    title: 'A kind in small letters',
    spec: 'sourceRef: {kind: deployment, name: cart}\noverrideSpec: {}',
    paths: ['spec.sourceRef.kind'],
  },
  {
    title: 'A kind that cannot be forked',
    spec: 'sourceRef: {kind: DaemonSet, name: cart}\noverrideSpec: {}',
    paths: ['spec.sourceRef.kind'],
  },
  {
    title: 'A name that is none',
    spec: 'sourceRef: {kind: Deployment, name: Cart_1}\noverrideSpec: {}',
    paths: ['spec.sourceRef.name'],
  },
  { title: 'A duration for the time to live', rest: 'ttlSeconds: 2h', paths: ['spec.ttlSeconds'] },
  { title: 'No time to live', rest: 'ttlSeconds: 0', paths: ['spec.ttlSeconds'] },
  { title: 'Replicas in quotes', rest: 'replicas: "3"', paths: ['spec.replicas'] },
  { title: 'Replicas below none', rest: 'replicas: -1', paths: ['spec.replicas'] },
  { title: 'Replicas in parts', rest: 'replicas: 1.5', paths: ['spec.replicas'] },
  { title: 'An override type in small letters', overrideType: 'strategic', paths: ['spec.overrideType'] },
  { title: 'An answer to change that there is not', rest: 'onSourceChange: Ignore', paths: ['spec.onSourceChange'] },
  { title: 'A name too long', name: 'x'.repeat(64), paths: ['metadata.name'] },
  // StatefulSet
  {
    title: 'A strategy of Deployments for a StatefulSet',
    kind: 'StatefulSet',
    override: 'strategy: {type: Recreate}',
    paths: ['spec.overrideSpec.strategy'],
  },
  {
    title: 'A claim of a StatefulSet, misspelt',
    kind: 'StatefulSet',
    override: 'volumeClaimTemplate: []',
    paths: ['spec.overrideSpec.volumeClaimTemplate'],
  },
  {
    title: 'A size of a claim that is none',
    kind: 'StatefulSet',
    override: CLAIMS('10GB'),
    paths: ['spec.overrideSpec.volumeClaimTemplates[0].spec.resources.requests.storage'],
  },
  {
    title: 'Claims changed by an update',
    kind: 'StatefulSet',
    name: 'larger-cart',
    before: CLAIMS('1Gi'),
    override: CLAIMS('2Gi'),
    paths: ['spec.overrideSpec.volumeClaimTemplates'],
  },
  {
    title: 'The service of a StatefulSet changed by an update',
    kind: 'StatefulSet',
    name: 'other-cart',
    before: 'serviceName: cart',
    override: 'serviceName: other',
    paths: ['spec.overrideSpec.serviceName'],
  },
  // Rollout
  {
    title: 'A strategy of Deployments for a Rollout',
    kind: 'Rollout',
    override: 'strategy: {rollingUpdate: {maxSurge: 1}}',
    paths: ['spec.overrideSpec.strategy.rollingUpdate'],
  },
  {
    title: 'Blue-green for the fork of a Rollout',
    kind: 'Rollout',
    override: 'strategy:\n  blueGreen: {activeService: cart}',
    paths: ['spec.overrideSpec.strategy.blueGreen'],
  },
  {
    title: 'A Service for the canary of a fork',
    kind: 'Rollout',
    override: 'strategy:\n  canary: {canaryService: cart}',
    paths: ['spec.overrideSpec.strategy.canary.canaryService'],
  },
  {
    title: 'A workload to refer to',
    kind: 'Rollout',
    override: 'workloadRef: {apiVersion: apps/v1, kind: Deployment, name: cart}',
    paths: ['spec.overrideSpec.workloadRef'],
  },
  {
    title: 'A misspelt field in the template of a Rollout',
    kind: 'Rollout',
    override: 'template:\n  spec:\n    volumes:\n    - {name: data, emptydir: {}}',
    paths: ['spec.overrideSpec.template.spec.volumes[0].emptydir'],
  },
  {
    title: 'A quantity in the template of a Rollout',
    kind: 'Rollout',
    override: 'template:\n  spec:\n    containers:\n    - name: cart\n      resources: {limits: {cpu: 1O0m}}',
    paths: ['spec.overrideSpec.template.spec.containers[0].resources.limits.cpu'],
  },
]
