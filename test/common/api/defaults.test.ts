import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { boundedOverride } from '../../../common/api/decode.ts'
import {
  allowedReplicas,
  DEFAULTS,
  OVERRIDE_TYPES,
  SOURCE_CHANGES,
  sourceNamespaceOf,
  withDefaults,
} from '../../../common/api/defaults.ts'
import { REVIEWED_REPLICAS } from '../../../common/api/names.ts'
import { at } from '../../../common/json/json.ts'
import { anExperiment } from '../../builders.ts'

const crd: unknown = parse(readFileSync('crds/experimentdeployments.yaml', 'utf8'))
const [version] = at(crd, 'spec', 'versions') as readonly unknown[]
const properties = ['schema', 'openAPIV3Schema', 'properties', 'spec', 'properties']
const declared = (field: string, what: string): unknown => at(version, ...properties, field, what)

describe('the defaults of an experiment', () => {
  for (const [field, value] of Object.entries(DEFAULTS))
    it(`are those of the CRD: ${field} is ${value}`, () => expect(declared(field, 'default')).to.equal(value))

  it('allow the values that the CRD allows', () => {
    expect(declared('overrideType', 'enum')).to.deep.equal(OVERRIDE_TYPES)
    expect(declared('onSourceChange', 'enum')).to.deep.equal(SOURCE_CHANGES)
  })
})

describe('withDefaults', () => {
  const written = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: boundedOverride({}) }

  it('fills in what is absent', () => {
    expect(withDefaults(written)).to.deep.equal({
      ...written,
      replicas: 1,
      overrideType: 'Merge',
      onSourceChange: 'Follow',
    })
  })

  it('keeps what is set, also zero', () => {
    expect(withDefaults({ ...written, replicas: 0, overrideType: 'Strategic' })).to.include({
      replicas: 0,
      overrideType: 'Strategic',
    })
  })
})

describe('sourceNamespaceOf', () => {
  it('is the namespace of the experiment', () => expect(sourceNamespaceOf(anExperiment())).to.equal('shop'))

  it('is the namespace that sourceRef names', () => {
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'dev' }
    expect(sourceNamespaceOf(anExperiment({ sourceRef }))).to.equal('dev')
  })
})

describe('allowedReplicas', () => {
  const elsewhere = (reviewed?: string) =>
    anExperiment({
      sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'stock' },
      replicas: 3,
      metadata: reviewed === undefined ? {} : { annotations: { [REVIEWED_REPLICAS]: reviewed } },
    })

  it('are spec.replicas where the source is in the namespace of the experiment', () =>
    expect(allowedReplicas(anExperiment({ replicas: 300 }))).to.equal(300))

  it('S2: are never more than were reviewed where the source is in another namespace', () => {
    const found = ['5', '3', '2', '0', undefined, '', '-1', '1e9', '99999999999'].map((reviewed) =>
      allowedReplicas(elsewhere(reviewed)),
    )
    expect(found).to.deep.equal([3, 3, 2, 0, 1, 1, 1, 1, 1])
  })
})
