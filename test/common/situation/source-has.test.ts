import { expect } from 'chai'
import { ABSENT, type Known, known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { StoredSource } from '../../../common/api/strategy.ts'
import type { Json, JsonObject } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import {
  doubtAbout,
  idOfWrite,
  isDoubtful,
  isStoredAs,
  sourceHas,
  storedSource,
} from '../../../common/situation/source-has.ts'
import type { DryRun } from '../../../common/strategy/promotion.ts'
import { aDeployment, anExperiment, imageOverride } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { deploymentSchema } from '../schema/openapi.ts'

const SCHEMA = deploymentSchema('whenUsed')
const SOURCE = aDeployment({ metadata: { uid: 'u', generation: 3 }, spec: { replicas: 2 } })
const specAfter = (patch: JsonObject, source: KubeObject = SOURCE) => mergePatch(source.spec as JsonObject, patch)
const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })

/** Absent means something else than false. */
const FALSE = pod({ shareProcessNamespace: false })

/** The fork of the experiment, to which the API server gave the override, and what it made of it. */
const FORK = aDeployment({ name: 'fork', metadata: { uid: 'f', generation: 1 } })
const experimentResourceRef = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'fork', namespace: 'shop', uid: 'f', generation: 1 },
}
const factsWith = (dryRun?: DryRun, fork: KubeObject | undefined = FORK) =>
  someFacts({
    source: SOURCE,
    schema: SCHEMA,
    fork,
    experiment: anExperiment({ status: { experimentResourceRef } }),
    ...(dryRun ? { dryRun } : {}),
  })
const has = (patch: JsonObject, dryRun?: DryRun, stored?: StoredSource) =>
  sourceHas(factsWith(dryRun), SOURCE, { after: specAfter(patch), stored })
const answered = (patch: JsonObject, changesNothing: Known<boolean>) => ({
  of: idOfWrite(SOURCE, { after: specAfter(patch) }),
  changesNothing,
})

describe('N10: whether the source has what a write says', () => {
  it('is told by the schema, without the API server', () => {
    expect(has({})).to.equal(true)
    expect(has({ minReadySeconds: 0 })).to.equal(true)
    expect(has({ minReadySeconds: 5 })).to.equal(false)
    expect(has({ minReadySeconds: 5 }, answered({ minReadySeconds: 5 }, known(true)))).to.equal(false)
  })

  it('is told by the API server where the schema leaves a doubt', () => {
    expect(has(FALSE, answered(FALSE, known(true)))).to.equal(true)
    expect(has(FALSE, answered(FALSE, known(false)))).to.equal(false)
    expect(has(FALSE, answered(FALSE, ABSENT))).to.equal(undefined)
  })

  it('is not told by an answer to another write, or for another version of the source', () => {
    expect(has(FALSE, answered({ minReadySeconds: 0 }, known(true)))).to.equal(undefined)
    const edited = { ...SOURCE, metadata: { ...SOURCE.metadata, generation: 4 } }
    const facts = factsWith(answered(FALSE, known(true)))
    expect(sourceHas(facts, edited, { after: specAfter(FALSE) })).to.equal(undefined)
    const status = { ...SOURCE, metadata: { ...SOURCE.metadata, resourceVersion: '99' } }
    expect(sourceHas(facts, status, { after: specAfter(FALSE) })).to.equal(true)
  })

  it('is told by the schema alone in a review, and where the API server refuses dry runs', () => {
    expect(has(FALSE)).to.equal(false)
    expect(has(FALSE, answered(FALSE, unknown('no')))).to.equal(false)
    const told = (dryRun?: DryRun) => doubtAbout(factsWith(dryRun), SOURCE, { after: specAfter(FALSE) })
    const only = 'only the API server can tell whether deployment/cart has this already'
    expect(told()).to.equal(`${only}, and the controller asks it: shareProcessNamespace`)
    expect(told(answered(FALSE, unknown('no')))).to.equal(
      `${only}, and it refuses a dry run (no): shareProcessNamespace`,
    )
    expect(told(answered(FALSE, known(true)))).to.equal(undefined)
  })

  it('is told by what the API server stored of the write', () => {
    expect(has(FALSE, undefined, storedSource(SOURCE))).to.equal(true)
    expect(has(FALSE, undefined, { uid: 'u', generation: 3 })).to.equal(true)
    expect(has(FALSE, undefined, { uid: 'u', generation: 2 })).to.equal(false)
    expect(has({ minReadySeconds: 5 }, undefined, storedSource(SOURCE))).to.equal(false)
  })

  const forks: Readonly<Record<string, readonly [fork: KubeObject, isDoubtful: boolean]>> = {
    'the fork has it neither': [FORK, true],
    'the fork has it': [{ ...FORK, spec: specAfter(FALSE) }, false],
    'the fork was changed since it was written': [{ ...FORK, metadata: { ...FORK.metadata, generation: 2 } }, false],
    'the fork is another one': [{ ...FORK, metadata: { ...FORK.metadata, uid: 'g' } }, false],
  }
  for (const [where, [fork, isIt]] of Object.entries(forks))
    it(`is ${isIt ? '' : 'not '}in doubt where ${where}`, () => {
      expect(isDoubtful(factsWith(undefined, fork), SOURCE, { after: specAfter(FALSE) })).to.equal(isIt)
    })

  it('is not in doubt where the API server changes the source only, or outside of the template', () => {
    const rewritten = aDeployment({ image: 'mirror.example/cart:2', metadata: { uid: 'u', generation: 3 } })
    const fork = { ...FORK, spec: rewritten.spec as JsonObject }
    const wanted = { after: specAfter(imageOverride('cart:2'), rewritten) }
    expect(isDoubtful(factsWith(undefined, fork), rewritten, wanted)).to.equal(true)
    expect(isDoubtful(factsWith(), rewritten, wanted)).to.equal(false)
    expect(isDoubtful(factsWith(), SOURCE, { after: specAfter({ minReadySeconds: 5 }) })).to.equal(false)
    expect(isDoubtful(factsWith(), SOURCE, { after: specAfter({ ...FALSE, minReadySeconds: 5 }) })).to.equal(false)
  })
})

describe('N10: the source as it was stored', () => {
  const scaled = (of: Readonly<Record<string, Json>>, generation = 4): KubeObject => ({
    ...SOURCE,
    metadata: { ...SOURCE.metadata, generation },
    spec: { ...(SOURCE.spec as JsonObject), ...of },
  })

  it('is known again after it was scaled, but not after another change, or as another object', () => {
    const stored = storedSource(SOURCE)
    expect(isStoredAs(SOURCE, stored)).to.equal(true)
    expect(isStoredAs(scaled({ replicas: 7 }), stored)).to.equal(true)
    expect(isStoredAs(scaled({ paused: true }), stored)).to.equal(false)
    expect(isStoredAs({ ...SOURCE, metadata: { ...SOURCE.metadata, uid: 'v' } }, stored)).to.equal(false)
  })

  it('is known by its generation where an earlier version stored no hash', () => {
    expect(isStoredAs(SOURCE, { uid: 'u', generation: 3 })).to.equal(true)
    expect(isStoredAs(scaled({ replicas: 7 }), { uid: 'u', generation: 3 })).to.equal(false)
  })
})
