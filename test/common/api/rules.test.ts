import { expect } from 'chai'
import type { JsonObject } from '../../../common/api/object.ts'
import { brokenRules } from '../../../common/api/rules.ts'

const metadata = (of: JsonObject): JsonObject => ({ template: { metadata: of } })

const cases: Record<string, [overrideSpec: JsonObject, field: string, says: string]> = {
  replicas: [{ replicas: 3 }, 'spec.overrideSpec.replicas', 'not here; set spec.replicas'],
  'the selector': [{ selector: {} }, 'spec.overrideSpec.selector', 'label of its own'],
  'a nested spec': [{ spec: { template: {} } }, 'spec.overrideSpec.spec', 'move this up one level'],
  'no template': [{ template: null }, 'spec.overrideSpec.template', 'may not be removed'],
  'no pod spec': [{ template: { spec: null } }, 'spec.overrideSpec.template.spec', 'may not be removed'],
  'a name for pods': [
    metadata({ name: 'x' }),
    'spec.overrideSpec.template.metadata.name',
    'only labels and annotations',
  ],
  'a label of ours': [
    metadata({ labels: { 'experiment-controller.example.com/role': 'x' } }),
    'spec.overrideSpec.template.metadata.labels["experiment-controller.example.com/role"]',
    'set by a controller',
  ],
  'a hash label': [
    metadata({ labels: { 'pod-template-hash': 'x' } }),
    'spec.overrideSpec.template.metadata.labels.pod-template-hash',
    'set by a controller',
  ],
  'debug containers': [
    { template: { spec: { ephemeralContainers: [] } } },
    'spec.overrideSpec.template.spec.ephemeralContainers',
    'kubectl debug',
  ],
}

describe('the rules of an override', () => {
  for (const [sentence, [overrideSpec, field, says]] of Object.entries(cases))
    it(`refuse ${sentence}, by path and with a remedy`, () => {
      const errors = brokenRules({ overrideSpec })
      expect(errors.map((error) => error.field)).to.deep.equal([field])
      expect(errors[0]?.message).to.contain(says)
    })

  it('Overriding replicas, selector or a `P/` key is refused with its path', () => {
    const labels = { 'experiment-controller.example.com/experiment-id': 'x' }
    const overrideSpec = { replicas: 1, selector: {}, ...metadata({ labels }) }
    expect(brokenRules({ overrideSpec }).map(({ field }) => field)).to.deep.equal([
      'spec.overrideSpec.replicas',
      'spec.overrideSpec.selector',
      'spec.overrideSpec.template.metadata.labels["experiment-controller.example.com/experiment-id"]',
    ])
  })

  it('let an ordinary override pass', () => {
    const overrideSpec = { ...metadata({ labels: { tier: 'web' } }), minReadySeconds: 5 }
    expect(brokenRules({ overrideSpec })).to.deep.equal([])
  })

  it('name all that is wrong at once', () => {
    expect(brokenRules({ overrideSpec: { replicas: 1, selector: {}, spec: {} } })).to.have.length(3)
  })
})
