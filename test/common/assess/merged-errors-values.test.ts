import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import { formatPath } from '../../../common/json/field-path.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { SpecError, SpecSchema } from '../../../common/override/spec-schema.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { WorkloadKind } from '../../../common/workload/kind.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aRollout } from '../../builders.ts'
import { assess } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'

interface Given {
  readonly kind?: WorkloadKind
  readonly source?: KubeObject
  /** a place that the schema refuses */
  readonly invalid?: SpecError['path']
  readonly override: JsonObject
  readonly type?: OverrideType
}

/** The warnings, and the mistakes in the values of the merged spec where the author has to correct them. */
function linesOf({
  kind = deployment,
  source = SOURCE,
  override,
  type = 'Strategic',
  invalid,
}: Given): readonly string[] {
  const experiment = anExperiment({ overrideSpec: override, overrideType: type })
  const found = assess(
    someFacts({ experiment, kind: known(kind), source, schema: invalid ? refusing(invalid) : ANY_SCHEMA }),
  )
  if (found.is === 'blocked') throw new Error(found.decision.message)
  return [
    ...found.warnings().map(({ reason, message }) => `[${reason}] ${message}`),
    ...found.mistakes().map(({ field, message }) => `${field.replace('spec.overrideSpec', '~')}: ${message}`),
  ]
}

const refusing = (path: SpecError['path']): SpecSchema => ({
  ...ANY_SCHEMA,
  checkWhole: (spec) =>
    Object.hasOwn(spec, 'strategy')
      ? []
      : [{ path, field: formatPath('spec', path), message: 'is wrong', cause: 'FieldValueTypeInvalid' }],
})

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const containers = (...items: readonly JsonObject[]): JsonObject => pod({ containers: items })

const SOURCE = aDeployment({
  container: {
    ports: [{ name: 'http', containerPort: 80, hostPort: 8080 }],
    resources: { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    livenessProbe: { httpGet: { port: 'http' } },
  },
  pod: { volumes: [{ name: 'data', emptyDir: {} }] },
  spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } },
})
/** Stored before the API server had these rules, or by Argo, which does not check a template before it uses it. */
const ODD = aDeployment({ container: { ports: [{ name: 'HTTP', containerPort: 0 }] } })

const TWO_PORTS = aDeployment({
  container: {
    ports: [
      { name: 'a', containerPort: 80 },
      { name: 'b', containerPort: 81 },
    ],
  },
})
const claims = (name: string): JsonObject[] => [
  {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
]
const STATEFUL: KubeObject = {
  ...aDeployment({
    container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    spec: { serviceName: 'cart', volumeClaimTemplates: claims('data') },
  }),
  kind: 'StatefulSet',
}

const canary = (canary: JsonObject | null) => ({
  kind: rollout,
  source: aRollout(),
  override: { strategy: { canary } },
})

const cases: Record<string, readonly [Given, ...string[]]> = {
  'a Rollout that the override leaves without a strategy': [
    { ...canary(null), override: { strategy: null } },
    '~.strategy: null removes a required field; leave this out, or give it a value',
  ],
  'a Rollout that the override leaves without a canary': [
    canary(null),
    '~.strategy.canary: null removes a required field; leave this out, or give it a value',
  ],
  'a canary that needs traffic routing': [
    canary({ dynamicStableScale: true }),
    '~.strategy.canary.dynamicStableScale: needs traffic routing, which a fork cannot have; remove this',
  ],
  'M1: a new container without an image': [
    { override: containers({ name: 'crat', env: [{ name: 'A', value: 'b' }] }) },
    '[NewContainer] container crat is new: the source has none of this name; did you mean "cart"?',
    '~.template.spec.containers[0].image: must be set: the source has no container "crat", so this is a new one; did you mean "cart"?',
  ],
  'M1: no mistake of one with an image, only a warning': [
    { override: containers({ name: 'crat', image: 'example/cart:2' }) },
    '[NewContainer] container crat is new: the source has none of this name; did you mean "cart"?',
  ],
  'M2: an image that a null removes': [
    { override: containers({ name: 'cart', image: null }) },
    '~.template.spec.containers[0].image: null removes a required field; leave this out, or give it a value',
  ],
  'M2: a container that Merge replaces': [
    { source: aDeployment(), override: containers({ name: 'cart', tty: true }), type: 'Merge' },
    '[ListReplaced] containers[cart] loses image: Merge replaces whole lists; use Strategic to merge them',
    '~.template.spec.containers[0].image: must be set: Merge replaces the whole container; use overrideType: Strategic to change only some of its fields',
  ],
  'M3: a volume that is still mounted': [
    { override: pod({ volumes: [] }), type: 'Merge' },
    '~.template.spec.volumes: must have a volume "data", because container "cart" mounts it; keep it, or remove the mount',
  ],
  'D5: a claim that is still mounted': [
    { kind: statefulSet, source: STATEFUL, override: { volumeClaimTemplates: claims('logs') } },
    '~.volumeClaimTemplates: must have a volume "data", because container "cart" mounts it; keep it, or remove the mount',
  ],
  'D5: a volume of the name of a claim of the source': [
    { kind: statefulSet, source: STATEFUL, override: pod({ volumes: [{ name: 'data', emptyDir: {} }] }) },
    '~.template.spec.volumes[0].name: has no effect, because the claim "data" of volumeClaimTemplates takes its place; remove one of them',
  ],
  'D5: a name of a port of the source, under Strategic': [
    { override: containers({ name: 'cart', ports: [{ name: 'http', containerPort: 9090 }] }) },
    '~.template.spec.containers[0].ports[0].name: must be unique: port 80 has the name "http" too; rename or remove one',
  ],
  'D5: a port of the source that is renamed, under Strategic': [
    { source: TWO_PORTS, override: containers({ name: 'cart', ports: [{ name: 'b', containerPort: 80 }] }) },
    '~.template.spec.containers[0].ports[0].name: must be unique: port 81 has the name "b" too; rename or remove one',
  ],
  'M3: a mount of a volume that is not there': [
    { override: containers({ name: 'cart', volumeMounts: [{ name: 'date', mountPath: '/date' }] }) },
    '~.template.spec.containers[0].volumeMounts[0].name: must be the name of a volume of the pod; did you mean "data"?',
  ],
  'M4: a limit below the request of the source': [
    { override: containers({ name: 'cart', resources: { limits: { memory: '512Mi' } } }) },
    '~.template.spec.containers[0].resources.limits.memory: must be at least the request ("1Gi"); raise it, or lower the request',
  ],
  'M4: Recreate beside the rollingUpdate of the source': [
    { override: { strategy: { type: 'Recreate' } }, type: 'Merge' },
    '~.strategy.type: cannot be Recreate while rollingUpdate is set; use overrideType: Strategic, which removes it, or set rollingUpdate to null',
  ],
  'M4: a port of the node that another container has': [
    {
      source: aDeployment({
        pod: {
          containers: [
            { name: 'cart', image: 'a' },
            { name: 'log', image: 'b', ports: [{ containerPort: 1, hostPort: 1 }] },
          ],
        },
      }),
      override: containers({ name: 'cart', ports: [{ containerPort: 2, hostPort: 1 }] }),
    },
    '~.template.spec.containers[0].ports[0].hostPort: must be unique in the pod: another container uses port 1 of the node; change one',
  ],
  'M4: a value that only the rest of the override makes wrong': [
    { override: pod({ hostNetwork: true }) },
    '~.template.spec.hostNetwork: cannot be true while a port has another hostPort; remove it, or change hostPort',
  ],
  'M5: a name': [
    { override: containers({ name: 'cart', ports: [{ name: 'Web', containerPort: 81 }] }) },
    '~.template.spec.containers[0].ports[0].name: must be lowercase letters, digits and single "-", with a letter, not "-" first or last; got "Web"',
  ],
  'M5: none that the source has too': [{ source: ODD, override: pod({ priority: 1 }) }],
  'M5: none where the schema says something, or below': [
    {
      override: { strategy: null, ...containers({ name: 'cart', ports: [{ name: 'Web', containerPort: 0 }] }) },
      invalid: ['template', 'spec', 'containers', 0, 'ports'],
    },
    '~.template.spec.containers[0].ports: is wrong',
  ],
  'M5: a value of the source that the override makes wrong elsewhere, with its place': [
    {
      source: aDeployment({ pod: { securityContext: { sysctls: [{ name: 'net.core.somaxconn', value: '1' }] } } }),
      override: pod({ hostNetwork: true }),
    },
    '~.template.spec: securityContext.sysctls[0].name cannot be set while hostNetwork is true; remove one of them',
  ],
}

describe('the mistakes in the values of the merged spec', () => {
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(linesOf(given)).to.deep.equal(expected))
})
