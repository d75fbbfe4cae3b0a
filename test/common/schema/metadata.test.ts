import { expect } from 'chai'
import { metadataErrors } from '../../../common/schema/metadata.ts'

describe('metadataErrors', () => {
  it('checks labels, annotations and label selectors everywhere in a spec', () => {
    const bad = { 'a b': 'c', d: 'e f' }
    const selector = { labelSelector: { matchLabels: { x: '-' } } }
    const spec = {
      volumeClaimTemplates: [{ metadata: { labels: bad } }],
      template: {
        metadata: { labels: bad, annotations: bad },
        spec: {
          nodeSelector: { app: 'cart', ...bad },
          volumes: [{ ephemeral: { volumeClaimTemplate: { metadata: { annotations: bad } } } }],
          affinity: { podAffinity: { required: [selector] } },
          topologySpreadConstraints: [selector],
        },
      },
    }
    const paths = metadataErrors('~', spec).map(({ field }) => field)
    expect(paths).to.have.members([
      '~.template.metadata.labels["a b"]',
      '~.template.metadata.labels.d',
      '~.template.metadata.annotations["a b"]',
      '~.volumeClaimTemplates[0].metadata.labels["a b"]',
      '~.volumeClaimTemplates[0].metadata.labels.d',
      '~.template.spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.annotations["a b"]',
      '~.template.spec.nodeSelector["a b"]',
      '~.template.spec.nodeSelector.d',
      '~.template.spec.affinity.podAffinity.required[0].labelSelector.matchLabels.x',
      '~.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels.x',
    ])
  })

  it('ignores the selector of the workload, which the controller sets', () => {
    expect(metadataErrors('spec', { selector: { matchLabels: { 'a b': 'c' } } })).to.deep.equal([])
  })

  it('limits annotations to their total size, at the map', () => {
    const annotations = { note: 'x'.repeat(256 * 1024) }
    const found = metadataErrors('spec', { template: { metadata: { annotations } } })
    expect(found.map(({ field }) => field)).to.deep.equal(['spec.template.metadata.annotations'])
  })

  it('leaves a value that is not a text to the schema', () => {
    expect(metadataErrors('spec', { template: { metadata: { labels: { version: 2 } } } })).to.deep.equal([])
  })
})
