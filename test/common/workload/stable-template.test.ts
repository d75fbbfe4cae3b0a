import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Template } from '../../../common/workload/kind.ts'
import { stableTemplate } from '../../../common/workload/stable-template.ts'
import { aRollout } from '../../builders.ts'
import { HASH, stableReplicaSet } from './replica-set.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

const found = (...referents: readonly KubeObject[]): Template => stableTemplate(aRollout(), 'abc', referents)

const templateOf = (...referents: readonly KubeObject[]): Readonly<Record<string, unknown>> => {
  const template = found(...referents)
  if (template.is !== 'found') throw new Error(template.message)
  return template.template
}

describe('stableTemplate', () => {
  it('is the template of the stable ReplicaSet, without its hash', () => {
    expect(found(stableReplicaSet())).to.deep.include({ is: 'found', base: 'Stable' })
    expect(templateOf(stableReplicaSet())).to.deep.equal({
      metadata: {
        labels: { app: 'cart', role: 'stable', team: 'shop' },
        annotations: { note: 'x', weather: 'fine' },
      },
      spec: { containers: [{ name: 'cart', image: 'cart:stable' }] },
    })
  })

  it('is missing if there is no such ReplicaSet, or if it belongs to another Rollout', () => {
    const missing = { is: 'missing', message: 'no ReplicaSet of rollout/cart has the stable revision abc' }
    expect(found()).to.deep.equal(missing)
    expect(found(stableReplicaSet({}, { owner: 'other' }))).to.deep.equal(missing)
    expect(stableTemplate(aRollout(), 'def', [stableReplicaSet()]).is).to.equal('missing')
  })

  it('leaves out ephemeral labels and annotations', () => {
    const ephemeral = JSON.stringify({ labels: { role: 'stable' }, annotations: { weather: 'fine' } })
    expect(templateOf(stableReplicaSet({}, { ephemeral })).metadata).to.deep.equal({
      labels: { app: 'cart', team: 'shop' },
      annotations: { note: 'x' },
    })
  })

  it('ignores an annotation of ephemeral metadata that is not JSON', () => {
    const { metadata } = templateOf(stableReplicaSet({}, { ephemeral: '{' }))
    expect(metadata).to.deep.include({ annotations: { note: 'x', weather: 'fine' } })
  })

  const byHash = {
    labelSelector: { matchExpressions: [{ key: HASH, operator: 'NotIn', values: ['abc'] }] },
    topologyKey: 'h',
  }

  it('leaves out anti-affinity by the hash, and keeps the rest', () => {
    const own = { labelSelector: { matchLabels: { app: 'cart' } }, topologyKey: 'zone' }
    const nodeAffinity = { [REQUIRED]: {} }
    const podAntiAffinity = { [REQUIRED]: [byHash, own], [PREFERRED]: [{ weight: 1, podAffinityTerm: byHash }] }
    const { spec } = templateOf(stableReplicaSet({ affinity: { nodeAffinity, podAntiAffinity } }))
    expect(spec).to.deep.include({ affinity: { nodeAffinity, podAntiAffinity: { [REQUIRED]: [own] } } })
  })

  it('leaves out the whole affinity if nothing of it is left', () => {
    const byLabel = { labelSelector: { matchLabels: { [HASH]: 'abc' } }, topologyKey: 'h' }
    const affinity = { podAntiAffinity: { [REQUIRED]: [byLabel] } }
    expect(templateOf(stableReplicaSet({ affinity })).spec).not.to.have.property('affinity')
  })
})
