import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { ownerReference } from '../../../common/workload/identity.ts'
import { decodePinned, isPinned, pinnedBaseOf } from '../../../common/workload/pinned.ts'
import { anExperiment } from '../../builders.ts'

const DATA: JsonObject = {
  base: { spec: {}, annotations: {}, warnings: [] },
  source: { kind: 'Deployment', name: 'cart', uid: 'u' },
}
const pin = anExperiment({ onSourceChange: 'Pin' })
const revision = (data: unknown = DATA, owner = pin): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'cart-base', ownerReferences: [ownerReference(owner)] },
  ...(data === undefined ? {} : { data: data as JsonObject }),
})

describe('isPinned', () => {
  it('is true for onSourceChange Pin only', () => {
    expect(isPinned(pin)).to.equal(true)
    expect(isPinned(anExperiment({ onSourceChange: 'Follow' }))).to.equal(false)
    expect(isPinned(anExperiment())).to.equal(false)
  })
})

describe('decodePinned', () => {
  it('is the data of the ControllerRevision of the experiment', () =>
    expect(decodePinned(pin, revision())).to.deep.equal(DATA))

  const others: Record<string, KubeObject | undefined> = {
    'there is no ControllerRevision': undefined,
    'another object controls the ControllerRevision': revision(DATA, anExperiment({ metadata: { uid: 'other' } })),
    'it has no data': { ...revision(), data: null },
    'its data has no base': revision({ source: DATA.source ?? null }),
    'its data has no source': revision({ base: DATA.base ?? null }),
  }
  for (const [sentence, found] of Object.entries(others))
    it(`is undefined if ${sentence}`, () => expect(decodePinned(pin, found)).to.equal(undefined))
})

describe('pinnedBaseOf', () => {
  it('is the pinned base of an experiment with onSourceChange Pin only', () => {
    expect(pinnedBaseOf(pin, revision())).to.deep.equal(DATA)
    expect(pinnedBaseOf(pin, undefined)).to.equal(undefined)
    expect(pinnedBaseOf(anExperiment(), revision())).to.equal(undefined)
  })
})
