import { expect } from 'chai'
import type { JsonObject } from '../../../common/api/object.ts'
import { metadataErrors } from '../../../common/schema/metadata.ts'
import { deploymentSchema } from './openapi.ts'

const schema = deploymentSchema()
const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const container = (members: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', ...members }] })

describe('the check of a whole spec', () => {
  const whole = (spec: JsonObject) =>
    schema.checkWhole(spec).map(({ field, message, path }) => `${field} [${path.length}]: ${message}`)
  const labels = { app: 'cart' }
  const complete = { selector: {}, ...pod({ containers: [{ name: 'cart', image: 'x' }] }) }

  it('accepts one that is complete', () => expect(whole(complete)).to.deep.equal([]))

  it('demands what is required everywhere, and takes no null', () => {
    const spec = pod({ affinity: { deep: {} }, terminationGracePeriodSeconds: null, shareProcessNamespace: true })
    expect(whole(spec)).to.deep.equal([
      'spec.selector [1]: required',
      'spec.template.spec.containers [3]: required',
      'spec.template.spec.affinity.deep.key [5]: required',
      'spec.template.spec.terminationGracePeriodSeconds [3]: expected integer, got null',
    ])
  })

  it('finds duplicates, quantities and misspelt fields as in an override', () => {
    const spec = container({ env: [{ name: 'A' }, { name: 'A' }], imge: 1, resources: { limits: { cpu: '1O0m' } } })
    expect(whole({ ...complete, ...spec }).map((line) => line.split(' ')[0])).to.deep.equal(
      ['env[1].name', 'imge', 'resources.limits.cpu'].map((path) => `spec.template.spec.containers[0].${path}`),
    )
  })

  it('knows where labels are written, and how', () => {
    const bad = { 'a b': 'c', d: 'e f' }
    const selector = { labelSelector: { matchLabels: { x: '-' } } }
    const spec = {
      volumeClaimTemplates: [{ metadata: { labels: bad } }],
      template: {
        metadata: { labels: bad, annotations: bad },
        spec: {
          nodeSelector: { ...labels, ...bad },
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
})
