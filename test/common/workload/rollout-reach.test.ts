import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { rolloutPodReach } from '../../../common/workload/rollout-reach.ts'
import { aRollout } from '../../builders.ts'

const withStrategy = (strategy: JsonObject) => aRollout({ strategy })

describe('rolloutPodReach', () => {
  it('names the Services that Argo points at one revision', () => {
    const pinned = (strategy: JsonObject) => rolloutPodReach.pinnedServices(withStrategy(strategy))
    expect(pinned({ canary: { canaryService: 'c', stableService: 's' } })).to.deep.equal(['c', 's'])
    expect(pinned({ canary: { pingPong: { pingService: 'i', pongService: 'o' } } })).to.deep.equal(['i', 'o'])
    expect(pinned({ blueGreen: { activeService: 'a', previewService: 'p' } })).to.deep.equal(['a', 'p'])
    expect(pinned({ canary: {} })).to.deep.equal([])
  })

  it('is routed if the canary has traffic routing', () => {
    expect(rolloutPodReach.isRouted(withStrategy({ canary: { trafficRouting: { nginx: {} } } }))).to.equal(true)
    expect(rolloutPodReach.isRouted(withStrategy({ canary: {} }))).to.equal(false)
    expect(rolloutPodReach.isRouted(withStrategy({ blueGreen: {} }))).to.equal(false)
  })

  it('adds the labels of pods that serve', () => {
    const added = (strategy: JsonObject) => rolloutPodReach.added(withStrategy(strategy))
    expect(added({ canary: { stableMetadata: { labels: { role: 'stable' } } } })).to.deep.equal({ role: 'stable' })
    expect(added({ blueGreen: { activeMetadata: { labels: { role: 'active' } } } })).to.deep.equal({ role: 'active' })
    expect(added({ canary: { canaryMetadata: { labels: { role: 'canary' } } } })).to.deep.equal({})
  })
})
