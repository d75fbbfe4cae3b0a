import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { brokenRules, createBanLookup, type OverrideBan } from '../../../common/override/rules.ts'

const metadata = (of: JsonObject): JsonObject => ({ template: { metadata: of } })

const cases: Record<string, [overrideSpec: JsonObject, field: string, says: string]> = {
  replicas: [{ replicas: 3 }, 'spec.overrideSpec.replicas', 'cannot be set here; use spec.replicas'],
  'the selector': [{ selector: {} }, 'spec.overrideSpec.selector', 'its own selector'],
  'a nested spec': [{ spec: { template: {} } }, 'spec.overrideSpec.spec', 'one level'],
  'null for the template': [{ template: null }, 'spec.overrideSpec.template', 'cannot be null'],
  'null for the pod spec': [{ template: { spec: null } }, 'spec.overrideSpec.template.spec', 'cannot be null'],
  'a name for pods': [
    metadata({ name: 'x' }),
    'spec.overrideSpec.template.metadata.name',
    'only labels and annotations',
  ],
  'a label of this controller': [
    metadata({ labels: { 'experiment-controller.example.com/role': 'x' } }),
    'spec.overrideSpec.template.metadata.labels["experiment-controller.example.com/role"]',
    'set by a controller',
  ],
  'a label of a revision': [
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

describe('brokenRules', () => {
  it('D8: accepts the null that kubectl create --dry-run prints, because it removes nothing', () => {
    const overrideSpec = metadata({ creationTimestamp: null, labels: { tier: 'web' } })
    expect(brokenRules({ overrideSpec })).to.deep.equal([])
  })

  for (const [sentence, [overrideSpec, field, says]] of Object.entries(cases))
    it(`refuses ${sentence}, with its path and a remedy`, () => {
      const errors = brokenRules({ overrideSpec })
      expect(errors.map((error) => error.field)).to.deep.equal([field])
      expect(errors[0]?.message).to.contain(says)
    })

  it('refuses replicas, the selector and a reserved label at once', () => {
    const labels = { 'experiment-controller.example.com/experiment-id': 'x' }
    const overrideSpec = { replicas: 1, selector: {}, ...metadata({ labels }) }
    expect(brokenRules({ overrideSpec }).map(({ field }) => field)).to.deep.equal([
      'spec.overrideSpec.replicas',
      'spec.overrideSpec.selector',
      'spec.overrideSpec.template.metadata.labels["experiment-controller.example.com/experiment-id"]',
    ])
  })

  it('accepts an ordinary override', () => {
    const overrideSpec = { ...metadata({ labels: { tier: 'web' } }), minReadySeconds: 5 }
    expect(brokenRules({ overrideSpec })).to.deep.equal([])
  })

  it('reports every broken rule at once', () => {
    expect(brokenRules({ overrideSpec: { replicas: 1, selector: {}, spec: {} } })).to.have.length(3)
  })

  const bans: readonly OverrideBan[] = [{ path: ['strategy', 'blueGreen'], message: 'banned' }]

  it('refuses what the kind bans, and accepts a null there, which removes nothing', () => {
    const banned = brokenRules({ overrideSpec: { strategy: { blueGreen: {} } } }, bans)
    expect(banned).to.deep.equal([
      { field: 'spec.overrideSpec.strategy.blueGreen', message: 'banned', cause: 'FieldValueForbidden' },
    ])
    expect(brokenRules({ overrideSpec: { strategy: { blueGreen: null } } }, bans)).to.deep.equal([])
  })

  it('returns the ban of a path, and of everything below it', () => {
    const lookup = createBanLookup(bans)
    expect(lookup(['strategy', 'blueGreen'])).to.equal('banned')
    expect(lookup(['strategy', 'blueGreen', 'activeService'])).to.equal('banned')
    expect(lookup(['strategy'])).to.equal(undefined)
    expect(lookup(['replicas'])).to.contain('spec.replicas')
    expect(lookup(['template', 'metadata', 'name'])).to.contain('only labels and annotations')
    expect(lookup(['template', 'metadata', 'labels'])).to.equal(undefined)
  })
})
