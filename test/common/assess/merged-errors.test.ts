import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import { mergedErrors, unknownFieldErrors } from '../../../common/assess/merged-errors.ts'
import { baseOf } from '../../../common/fork/base.ts'
import { derive } from '../../../common/fork/derive.ts'
import type { Json, JsonObject } from '../../../common/json/json.ts'
import type { KnownFields } from '../../../common/override/spec-schema.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { deploymentSchema } from '../schema/openapi.ts'

const schema = deploymentSchema()

function forkOf(source: KubeObject, overrideSpec: JsonObject, overrideType: OverrideType): KubeObject {
  const based = baseOf(deployment, { source, referents: [], shape: schema.shape })
  if (based.is !== 'base') throw new Error('no base')
  const experiment = anExperiment({ overrideSpec, overrideType })
  const derived = derive({ kind: deployment, experiment, base: based.base, schema, replicas: 1 })
  if (derived.is !== 'fork') throw new Error(JSON.stringify(derived))
  return derived.fork
}

interface Case {
  readonly source?: KubeObject
  readonly override: JsonObject
  readonly type?: OverrideType
}

const findings = ({ source = aDeployment(), override, type = 'Merge' }: Case): readonly string[] => {
  const fork = forkOf(source, override, type)
  const plain = forkOf(source, {}, type)
  return mergedErrors(schema, {
    fork,
    plain: () => plain,
    overrideSpec: override,
    overrideType: type,
    sourceContainers: () => ['cart'],
  }).map(({ field, message }) => `${field.replace('spec.overrideSpec', '~')}: ${message}`)
}

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const labels = (map: JsonObject): JsonObject => ({ template: { metadata: { labels: map } } })
const WORDS = 'letters, digits, "-", "_" and ".", a letter or digit first and last'
const sidecar = { name: 'proxy', image: 'example/proxy:1', ports: [{ containerPort: 80 }] }
const two = aDeployment({ pod: { containers: [sidecar, { name: 'cart', image: 'example/cart:1' }] } })
/** Argo would store such a source: its CRD does not know what is in a template. */
const odd = aDeployment({ podLabels: { odd: 'a b' }, pod: { containers: [{ name: 'cart', image: 1 }] } })

const cases: Record<string, readonly [Case, ...string[]]> = {
  'none without an override': [{ override: {} }],
  'none where the merge completes the spec': [{ override: pod({ terminationGracePeriodSeconds: 5 }) }],
  'a null that removes a required field': [
    { override: pod({ containers: null }) },
    '~.template.spec.containers: null removes a required field; leave this out, or give it a value',
  ],
  'a required field that neither source nor override has': [
    { override: pod({ affinity: { deep: {} } }) },
    '~.template.spec.affinity.deep.key: required: neither the source nor the override has it; set it',
  ],
  'the value of a label': [
    { override: labels({ version: 'v 2' }) },
    `~.template.metadata.labels.version: expected ${WORDS}, got "v 2"`,
  ],
  'the key of an annotation': [
    { override: { template: { metadata: { annotations: { 'a b': 'x' } } } } },
    `~.template.metadata.annotations["a b"]: expected a name of ${WORDS}, got "a b"`,
  ],
  'annotations that are too large together with the source': [
    {
      source: aDeployment({ podAnnotations: { a: 'x'.repeat(200_000) } }),
      override: { template: { metadata: { annotations: { b: 'x'.repeat(100_000) } } } },
    },
    "~.template.metadata.annotations: 300002 bytes, the source's included; at most 262144: move bulk data into a ConfigMap",
  ],
  'none that the source has too': [{ source: odd, override: labels({ version: 'v2' }) }],
  'one that differs from that of the source': [
    { source: odd, override: labels({ odd: 'c d' }) },
    `~.template.metadata.labels.odd: expected ${WORDS}, got "c d"`,
  ],
  'reported at the item of a keyed list that the override has': [
    { source: two, override: pod({ containers: [{ name: 'cart', probe: {} }] }), type: 'Strategic' },
    '~.template.spec.containers[0].probe.port: required: neither the source nor the override has it; set it',
  ],
  'reported at an item within an item': [
    {
      source: two,
      override: pod({
        containers: [
          { name: 'cart', env: [{ name: 'A' }] },
          { name: 'proxy', ports: [{ containerPort: 81 }, { containerPort: 80, probe: {} }] },
        ],
      }),
      type: 'Strategic',
    },
    '~.template.spec.containers[1].ports[1].probe.port: required: neither the source nor the override has it; set it',
  ],
}

describe('the mistakes of the merged spec', () => {
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(`are ${sentence}`, () => expect(findings(given)).to.deep.equal(expected))
})

const knows = (members: Readonly<Record<string, KnownFields>>): KnownFields => ({
  members: new Map(Object.entries(members)),
})
const TEMPLATE = knows({
  metadata: {},
  spec: knows({ containers: { items: knows({ name: {}, image: {} }) }, volumes: {} }),
})

const fields = (template: Json) => unknownFieldErrors('Rollout', template, TEMPLATE).map(({ field }) => field)

describe('the fields of a template that a CRD does not know', () => {
  it('are found in objects and lists', () =>
    expect(
      fields({ metadata: { a: 1 }, spec: { containers: [{ name: 'a' }, { name: 'b', newer: 1 }], newest: {} } }),
    ).to.deep.equal(['spec.template.spec.containers[1].newer', 'spec.template.spec.newest']))

  it('are none below a field about which the CRD says nothing', () =>
    expect(fields({ spec: { volumes: [{ any: 'thing' }] } })).to.deep.equal([]))

  it('are none where the kind has no schema of its own', () =>
    expect(unknownFieldErrors('Deployment', { newer: 1 }, undefined)).to.deep.equal([]))

  it('are told with the kind', () =>
    expect(unknownFieldErrors('Rollout', { spec: { newest: 1 } }, TEMPLATE)).to.deep.equal([
      {
        path: ['template', 'spec', 'newest'],
        field: 'spec.template.spec.newest',
        message: 'Kubernetes knows this field, but the Rollouts of this cluster do not have it; remove it',
        cause: 'FieldValueInvalid',
      },
    ]))
})
