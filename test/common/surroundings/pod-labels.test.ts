import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import {
  isPinningSelector,
  missingLabels,
  scales,
  sourcePod,
  trafficInput,
  withoutPin,
} from '../../../common/surroundings/pod-labels.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, aFork, aRollout, aStatefulSet, FORK } from '../../builders.ts'

const hpa = (kind: string, name: string) => ({
  name: `hpa-of-${name}`,
  target: { kind, name },
  min: 1,
  max: 2,
  isOnCpu: true,
})

describe('trafficInput', () => {
  it('describes the pods of the fork and of the source', () => {
    const source = aDeployment({ podLabels: { tier: 'web' } })
    const fork = aFork(source, { labels: { tier: null } })
    const input = trafficInput({ kind: deployment, source, referents: [], fork })
    expect(input).to.include({ forkName: FORK, replicas: 1, isRouted: false, autoscaler: undefined })
    expect(input.source?.labels).to.deep.equal({ app: 'cart', tier: 'web' })
    expect(input.fork.labels).to.include({ app: 'cart' }).and.not.to.have.property('tier')
  })

  it('finds the HPA of the source', () => {
    const pair = { kind: deployment, source: aDeployment(), referents: [], fork: aFork() }
    const found = trafficInput(pair, [hpa('StatefulSet', 'cart'), hpa('Deployment', FORK), hpa('Deployment', 'cart')])
    expect(found.autoscaler).to.deep.equal(hpa('Deployment', 'cart'))
  })

  it('knows neither labels nor routes of a source that does not exist', () => {
    const input = trafficInput({ kind: deployment, source: undefined, referents: [], fork: aFork() }, [
      hpa('Deployment', 'cart'),
    ])
    expect(input).to.include({ source: undefined, isRouted: false, autoscaler: undefined })
    expect(input.pinnedServices).to.deep.equal([])
  })

  it('knows the Services and routes of a Rollout', () => {
    const source = aRollout({ strategy: { canary: { stableService: 'stable', trafficRouting: {} } } })
    const input = trafficInput({ kind: rollout, source, referents: [], fork: aFork(aRollout()) })
    expect(input.isRouted).to.equal(true)
    expect(input.pinnedServices).to.deep.equal(['stable'])
  })
})

describe('sourcePod', () => {
  const pod = (source: KubeObject | undefined) => sourcePod({ kind: rollout, source, referents: [], fork: aFork() })

  it('adds the labels that the workload controller gives to pods that serve', () => {
    const source = aRollout({ strategy: { canary: { stableMetadata: { labels: { role: 'stable' } } } } })
    expect(pod(source)?.labels).to.deep.equal({ app: 'cart', role: 'stable' })
  })

  it('N29: is undefined where the workload controller adds more labels than any pod has', () => {
    const labels = Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`label-${index}`, 'v']))
    expect(pod(aRollout({ strategy: { canary: { stableMetadata: { labels } } } }))).to.equal(undefined)
  })

  it('has the annotations of the template', () => {
    const template = { metadata: { annotations: { a: 'b' } }, spec: {} }
    expect(pod(aRollout({ template }))?.annotations).to.deep.equal({ a: 'b' })
    expect(pod(aRollout({ template: { spec: {} } }))?.annotations).to.deep.equal({})
  })

  it('is undefined without a source, and without its template', () => {
    expect(pod(undefined)).to.equal(undefined)
    expect(pod({ ...aRollout(), status: { stableRS: 'abc' } })).to.equal(undefined)
  })
})

describe('missingLabels', () => {
  it('returns the pairs of a selector that no pod has', () => {
    const source = aStatefulSet()
    const input = trafficInput({ kind: statefulSet, source, referents: [], fork: aFork(source) })
    const selector = { app: 'cart', tier: 'web', 'apps.kubernetes.io/pod-index': '0' }
    expect(missingLabels(selector, input.fork)).to.deep.equal([['tier', 'web']])
    expect(missingLabels({ 'apps.kubernetes.io/pod-index': '1' }, input.fork)).to.have.length(1)
  })
})

describe('scales', () => {
  it('compares kind and name', () => {
    expect(scales(aDeployment())(hpa('Deployment', 'cart'))).to.equal(true)
    expect(scales(aDeployment())(hpa('Deployment', 'other'))).to.equal(false)
    expect(scales(aDeployment())(hpa('Rollout', 'cart'))).to.equal(false)
  })
})

describe('isPinningSelector', () => {
  it('is true for a label of one pod or of one revision', () => {
    for (const key of ['pod-template-hash', 'rollouts-pod-template-hash', 'statefulset.kubernetes.io/pod-name'])
      expect(isPinningSelector({ app: 'cart', [key]: 'x' })).to.equal(true)
    expect(isPinningSelector({ app: 'cart' })).to.equal(false)
  })
})

describe('withoutPin', () => {
  it('leaves out only the pair by which a blue-green limits a Service', () => {
    expect(withoutPin({ app: 'cart', [EXPERIMENT_ID]: 'abc' })).to.deep.equal({ app: 'cart' })
    expect(withoutPin({ app: 'cart' })).to.deep.equal({ app: 'cart' })
  })
})
