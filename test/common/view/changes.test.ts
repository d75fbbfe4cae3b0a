import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { baseOf } from '../../../common/fork/base.ts'
import { derive } from '../../../common/fork/derive.ts'
import { gated } from '../../../common/fork/gated-spec.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { viewChanges } from '../../../common/view/changes.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, POD } from '../../builders.ts'

interface Case {
  readonly overrideSpec?: JsonObject
  readonly overrideType?: 'Merge' | 'Strategic'
  /** the source since the fork was derived */
  readonly now?: KubeObject
  readonly change?: (fork: KubeObject) => KubeObject
}

const SOURCE = aDeployment({
  container: { env: [{ name: 'OLD', value: 'secret' }], ports: [{ containerPort: 80 }] },
})

function changesOf(of: Case, options: Parameters<typeof viewChanges>[1] = {}) {
  const { overrideSpec = {}, overrideType = 'Strategic', now = SOURCE, change = (fork) => fork } = of
  const experiment = anExperiment({ overrideSpec, overrideType })
  const based = baseOf(deployment, { source: SOURCE, referents: [], shape: POD })
  if (based.is !== 'base') throw new Error(based.is)
  const derived = derive({ kind: deployment, experiment, base: based.base, schema: ANY_SCHEMA, replicas: 1 })
  if (derived.is !== 'fork') throw new Error(derived.reason)
  const source = known({ object: now, referents: [] })
  return viewChanges({ experiment, source, fork: known(change(derived.fork)) }, options)
}

const container = (of: JsonObject): JsonObject => ({ template: { spec: { containers: [{ name: 'cart', ...of }] } } })
const image = { path: 'containers[cart].image', is: 'changed', before: 'example/cart:1', after: 'example/cart:2' }

describe('the changes of a view', () => {
  it('are none for an empty override: what every fork has is left out', () => {
    expect(changesOf({})).to.deep.equal([])
    expect(changesOf({ change: (fork) => gated(deployment, fork).fork })).to.deep.equal([])
  })

  it('show the values of images, and the names of the rest', () =>
    expect(
      changesOf({ overrideSpec: container({ image: 'example/cart:2', env: [{ name: 'FLAG', value: 'secret' }] }) }),
    ).to.deep.equal([
      { ...image, isOverride: true },
      { path: 'containers[cart].env[FLAG]', is: 'added', isOverride: true },
    ]))

  it('show all values, if somebody asks for them', () => {
    const env = [
      { name: 'FLAG', value: 'a\u202eb' },
      { name: 'OLD', value: 'other' },
    ]
    expect(changesOf({ overrideSpec: container({ env }) }, { showValues: true })).to.deep.equal([
      { path: 'containers[cart].env[OLD].value', is: 'changed', before: 'secret', after: 'other', isOverride: true },
      { path: 'containers[cart].env[FLAG]', is: 'added', after: 'name=FLAG, value=a\\u202eb', isOverride: true },
    ])
  })

  it('tell what the override does not ask for: source or fork was changed since', () => {
    const edited = { ...container({ image: 'example/cart:2' }) }
    const newer = aDeployment({ container: { env: [{ name: 'OLD', value: 'new' }], ports: [{ containerPort: 80 }] } })
    expect(
      changesOf({ overrideSpec: edited, now: newer }).map(({ path, isOverride }) => [path, isOverride]),
    ).to.deep.equal([
      ['containers[cart].image', true],
      ['containers[cart].env[OLD].value', false],
    ])
  })

  it('find the item of the override by its key', () => {
    const sidecar = { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } }
    const found = changesOf({ overrideSpec: sidecar })
    expect(found).to.deep.equal([{ path: 'containers[side]', is: 'added', after: 'side:1', isOverride: true }])
  })

  it('say of a list that Merge replaces that the override took its items away', () =>
    expect(
      changesOf({ overrideType: 'Merge', overrideSpec: container({ image: 'example/cart:2' }) }).map((each) => [
        each.path,
        each.is,
        each.isOverride,
      ]),
    ).to.deep.equal([
      ['containers[cart].image', 'changed', true],
      ['containers[cart].env[OLD]', 'removed', true],
      ['containers[cart].ports[80]', 'removed', true],
    ]))

  it('are none while source or fork is not known', () => {
    const experiment = anExperiment()
    for (const source of [ABSENT, unknown('x')])
      expect(viewChanges({ experiment, source, fork: known(aDeployment()) })).to.deep.equal([])
    expect(viewChanges({ experiment, source: known({ object: SOURCE, referents: [] }), fork: ABSENT })).to.deep.equal(
      [],
    )
  })
})
