import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aRollout } from '../../builders.ts'

const withStrategy = (strategy: JsonObject) => aRollout({ strategy })

const { podReach } = rollout

describe('the pod reach of a Rollout', () => {
  it('names the Services that Argo points at one revision', () => {
    const pinned = (strategy: JsonObject) => podReach.pinnedServices(withStrategy(strategy))
    expect(pinned({ canary: { canaryService: 'c', stableService: 's' } })).to.deep.equal(['c', 's'])
    expect(pinned({ canary: { pingPong: { pingService: 'i', pongService: 'o' } } })).to.deep.equal(['i', 'o'])
    expect(pinned({ blueGreen: { activeService: 'a', previewService: 'p' } })).to.deep.equal(['a', 'p'])
    expect(pinned({ canary: {} })).to.deep.equal([])
  })

  it('is routed if the canary has traffic routing', () => {
    expect(podReach.isRouted(withStrategy({ canary: { trafficRouting: { nginx: {} } } }))).to.equal(true)
    expect(podReach.isRouted(withStrategy({ canary: {} }))).to.equal(false)
    expect(podReach.isRouted(withStrategy({ blueGreen: {} }))).to.equal(false)
  })

  it('adds the labels of pods that serve', () => {
    const added = (strategy: JsonObject) => podReach.added(withStrategy(strategy))
    expect(added({ canary: { stableMetadata: { labels: { role: 'stable' } } } })).to.deep.equal({ role: 'stable' })
    expect(added({ blueGreen: { activeMetadata: { labels: { role: 'active' } } } })).to.deep.equal({ role: 'active' })
    expect(added({ canary: { canaryMetadata: { labels: { role: 'canary' } } } })).to.deep.equal({})
  })
})
