import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { baseHash } from '../../../common/fork/base.ts'
import { decodeBase, encodeBase, isPinned, isRevisionOf, pinnedSource } from '../../../common/fork/pinned.ts'
import { sha256Of } from '../../../common/json/canonical.ts'
import { ownerOfRevision } from '../../../common/writes/revision-owner.ts'
import { aBase, aDeployment, anExperiment, pinnedTo } from '../../builders.ts'

const { revision, status } = pinnedTo()
const pin = anExperiment({ onSourceChange: 'Pin', status })

describe('isPinned', () => {
  it('is true for onSourceChange Pin only', () => {
    expect(isPinned(pin)).to.equal(true)
    expect(isPinned(anExperiment({ onSourceChange: 'Follow' }))).to.equal(false)
    expect(isPinned(anExperiment())).to.equal(false)
  })
})

describe('pinnedSource', () => {
  it('is what a pinned experiment started from, by its status', () => {
    expect(pinnedSource(pin)).to.equal(status.source)
    expect(pinnedSource(anExperiment({ onSourceChange: 'Pin' }))).to.equal(undefined)
    expect(pinnedSource(anExperiment({ status }))).to.equal(undefined)
  })
})

describe('isRevisionOf', () => {
  it('is true for a revision that the experiment controls', () => {
    expect(isRevisionOf(pin, revision)).to.equal(true)
    expect(isRevisionOf(anExperiment({ metadata: { uid: 'other' } }), revision)).to.equal(false)
    expect(isRevisionOf(pin, { ...revision, metadata: { name: 'x' } })).to.equal(false)
  })

  it('is true for one of before its strategy was edited, with the marks of that time', () => {
    const strategy = { blueGreen: { activeService: 'cart' } }
    const edited = anExperiment({ onSourceChange: 'Pin', status, strategy })
    expect(isRevisionOf(edited, revision)).to.equal(true)
    const labelled = { ...revision, metadata: { name: 'x', ...ownerOfRevision(edited) } }
    expect(isRevisionOf(pin, labelled)).to.equal(true)
    expect(isRevisionOf(anExperiment({ metadata: { uid: 'other' } }), labelled)).to.equal(false)
  })
})

describe('decodeBase', () => {
  const { warnings: _warnings, ...known } = aBase()
  const base = { ...known, mayBeFlawed: true }

  it('is what the revision keeps, with the kind of template that the status names', () => {
    expect(decodeBase(revision, status.source)).to.deep.equal({ ...base, warnings: [] })
    const source = { ...status.source, base: 'Stable' } as const
    expect(decodeBase(revision, source)).to.deep.equal({ ...base, warnings: [], template: 'Stable' })
  })

  it('is what a former version kept, without its annotations', () => {
    const { spec } = known
    const without = sha256Of({ spec, annotations: {} }, 64)
    expect(status.source.templateHash, 'the hash of that version').to.equal(without)
    expect(encodeBase(aBase())).to.deep.equal({ base: { spec, annotations: {} } })
    const kept = { spec, annotations: { 'argo-rollouts.argoproj.io/controller-instance-id': 'blue' } }
    const old = { ...revision, data: { base: kept } }
    expect(decodeBase(old, { ...status.source, templateHash: sha256Of(kept, 64) })).to.deep.equal({
      ...base,
      warnings: [],
    })
  })

  it('has the labels that the revision keeps', () => {
    const labels = { 'argo-rollouts.argoproj.io/controller-instance-id': 'blue' }
    const labelled = { ...aBase(), labels }
    const source = { ...status.source, templateHash: baseHash(labelled) }
    expect(source.templateHash).not.to.equal(status.source.templateHash)
    expect(decodeBase({ ...revision, data: encodeBase(labelled) }, source)).to.deep.include({ labels })
    expect(decodeBase(revision, source), 'without them').to.equal(undefined)
  })

  const others: Record<string, KubeObject> = {
    'its content is of another hash': pinnedTo(aDeployment({ image: 'other' })).revision,
    'it has no data': { ...revision, data: null },
    'its data has no base': { ...revision, data: {} },
  }
  for (const [sentence, found] of Object.entries(others))
    it(`is undefined if ${sentence}`, () => expect(decodeBase(found, status.source)).to.equal(undefined))
})
