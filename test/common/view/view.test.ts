import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { isObject } from '../../../common/json/json.ts'
import { rowOf } from '../../../common/view/row.ts'
import { viewOf } from '../../../common/view/view.ts'
import { aDeployment, anExperiment, FORK } from '../../builders.ts'
import { LAW } from '../../property.ts'
import { aRunExperiment } from '../plan/some-run.ts'
import { anyExperiment, anyViewFacts } from './any-view-facts.ts'
import { aPausedRun, aPod, aToldExperiment, someViewFacts, viewFactsOf, wholeViewFacts } from './some-view.ts'

/** Every key of `value`, with `[]` for items. */
const keysOf = (value: unknown, at = ''): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => keysOf(item, `${at}[]`))
  if (!isObject(value)) return [at]
  return Object.entries(value).flatMap(([key, inner]) => keysOf(inner, at === '' ? key : `${at}.${key}`))
}

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Surrogate}/u

describe('the view of an experiment', () => {
  it('has the keys of its golden file, which are an API: a change needs another version', () => {
    const facts = wholeViewFacts()
    const row = rowOf({ ...facts.experiment })
    const keys = [
      ...[...new Set(keysOf(viewOf(facts)))].map((key) => `view ${key}`),
      ...[...new Set(keysOf(row))].map((key) => `row ${key}`),
    ].sort()
    expect(keys).to.deep.equal(readFileSync('test/common/view/view-keys.txt', 'utf8').trimEnd().split('\n'))
  })

  it('has what was read of source, fork and pods', () => {
    const view = viewOf({ ...viewFactsOf(aPausedRun()), pods: known([aPod({ isReady: true })]) })
    expect(view.state).to.equal('Paused')
    expect(view.source).to.deep.equal({ kind: 'Deployment', namespace: 'shop', name: 'cart', pods: 10 })
    expect(view.fork).to.include({ kind: 'Deployment', name: FORK, ready: 1, wanted: 1 })
    expect(view.pods).to.have.length(1)
    expect(view.changes.map(({ path }) => path)).to.deep.equal(['containers[cart].image'])
    expect(view.unread).to.deep.equal([])
  })

  it('counts pods of a gated fork that are shut as ready', () => {
    const run = aPausedRun(aRunExperiment({ traffic: { mode: 'Gated' } }))
    const shut = aPod({ status: { conditions: [{ type: 'ContainersReady', status: 'True' }] } })
    const view = viewOf({ ...viewFactsOf(run), pods: known([shut, aPod({ name: 'b' })]) })
    expect(view.fork?.ready).to.equal(1)
  })

  it('has the fork of the status where that could not be read, and says what could not', () => {
    const facts = viewFactsOf(aPausedRun())
    const forbidden = unknown('deployments is forbidden')
    const view = viewOf({ ...facts, fork: forbidden, source: forbidden, unread: [{ what: 'w', because: 'b\u0007' }] })
    expect(view.fork).to.deep.include({ name: FORK, ready: 1 })
    expect(view.changes).to.deep.equal([])
    expect(view.steps).to.have.length(7)
    expect(view.unread).to.deep.equal([
      { what: 'the source', because: 'deployments is forbidden' },
      { what: 'the fork', because: 'deployments is forbidden' },
      { what: 'w', because: 'b\\u0007' },
    ])
  })

  it('says which part could not be made of an object that nobody expects', () => {
    const odd = { ...aDeployment(), spec: { replicas: { valueOf: 1, toString: 1 } } } as unknown as KubeObject
    const facts = { ...viewFactsOf(aPausedRun()), source: known({ object: odd, referents: [] }) }
    expect(viewOf(facts).unread.map(({ what }) => what)).to.include('the steps')
  })

  it('says that an override is beyond the limits', () => {
    const tooLong = { a: 'x'.repeat(300_000) }
    const [unread] = viewOf(someViewFacts({ experiment: anExperiment({ overrideSpec: tooLong }) })).unread
    expect(unread?.what).to.equal('spec.overrideSpec.a')
  })

  it('shows secret values only if somebody asks for them', () => {
    const env = (value: string) => ({
      template: { spec: { containers: [{ name: 'cart', env: [{ name: 'A', value }] }] } },
    })
    const facts = viewFactsOf(aPausedRun(aRunExperiment({ overrideSpec: env('secret'), overrideType: 'Strategic' })))
    expect(JSON.stringify(viewOf(facts).changes)).to.not.contain('secret')
    expect(JSON.stringify(viewOf(facts, { showValues: true }).changes)).to.contain('secret')
  })

  it('is equal for equal facts, whatever the time is', () => {
    const facts = someViewFacts({ experiment: aToldExperiment(undefined, { ttlSeconds: 7_200 }) })
    expect(viewOf(facts)).to.deep.equal(viewOf({ ...facts, now: new Date('2026-11-21T10:30:00Z') }))
  })

  it('is made of any status and of any foreign objects, with safe texts', () =>
    fc.assert(
      fc.property(anyViewFacts, fc.boolean(), (facts, showValues) => {
        const view = viewOf(facts, { showValues })
        for (const text of textsIn(view)) expect(text).to.not.match(UNSAFE)
      }),
      LAW,
    ))

  it('has a row of the same state, which is made of any status, with safe texts', () =>
    fc.assert(
      fc.property(anyExperiment, (experiment) => {
        const row = rowOf(experiment)
        for (const text of textsIn(row)) expect(text).to.not.match(UNSAFE)
        expect(row.state).to.equal(viewOf(someViewFacts({ experiment, source: ABSENT })).state)
      }),
    ))
})
