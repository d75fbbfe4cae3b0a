import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { aDeployment, anExperiment, imageOverride } from '../../builders.ts'
import { aPolicyInput, findings } from './policy-input.ts'

const P = '(policy "limits")'
const AT = 'spec.overrideSpec.template.spec'

interface ImageCase {
  readonly allowed: readonly string[]
  readonly override: JsonObject
  readonly findings: readonly string[]
}

const cases: Record<string, ImageCase> = {
  'accepts an allowed image': {
    allowed: ['docker.io/example/**'],
    override: imageOverride('example/cart:2'),
    findings: [],
  },
  'accepts the image of the source in another spelling': {
    allowed: [],
    override: imageOverride('docker.io/example/cart:1'),
    findings: [],
  },
  'reports every other image, added or changed': {
    allowed: ['registry.example/**', 'registry.example:5000/**', 'localhost/**'],
    override: {
      template: {
        spec: {
          containers: [{ name: 'cart', image: 'registry.example.evil.com/cart' }],
          initContainers: [
            { name: 'i', image: 'nginx' },
            { name: 'j', image: 'registry.example/j' },
          ],
          volumes: [{ name: 'v', image: { reference: 'not an image' } }],
        },
      },
    },
    findings: [
      `${AT}.containers[0].image: registry.example.evil.com/cart:latest is not allowed; allowed images: registry.example/**, registry.example:5000/** and 1 more ${P}`,
      `${AT}.volumes[0].image.reference: "not an image" is not allowed; allowed images: registry.example/**, registry.example:5000/** and 1 more ${P}`,
      `${AT}.initContainers[0].image: docker.io/library/nginx:latest is not allowed; allowed images: registry.example/**, registry.example:5000/** and 1 more ${P}`,
    ],
  },
  'M7: shows twelve digits of a digest, and of a text that is far too long only the length': {
    allowed: ['registry.example/**'],
    override: {
      template: {
        spec: {
          containers: [{ name: 'cart', image: `elsewhere.example/cart@sha256:${'0123456789abcdef'.repeat(4)}` }],
          initContainers: [{ name: 'i', image: `${'x/'.repeat(400)}x` }],
        },
      },
    },
    findings: [
      `${AT}.containers[0].image: elsewhere.example/cart@sha256:0123456789ab is not allowed; allowed images: registry.example/** ${P}`,
      `${AT}.initContainers[0].image: a text of 801 characters is not allowed; allowed images: registry.example/** ${P}`,
    ],
  },
  'accepts an override that sets no image': {
    allowed: [],
    override: { template: { spec: { hostNetwork: true } } },
    findings: [],
  },
  'says to keep the image of the source if no image is allowed': {
    allowed: [],
    override: imageOverride('example/cart:2'),
    findings: [`${AT}.containers[0].image: docker.io/example/cart:2 is not allowed; keep the image of the source ${P}`],
  },
}

describe('forbiddenImages', () => {
  for (const [sentence, { allowed, override, findings: expected }] of Object.entries(cases))
    for (const overrideType of ['Merge', 'Strategic'] as const)
      it(`${sentence} (${overrideType})`, () => {
        const experiment = anExperiment({ overrideSpec: override, overrideType })
        const found = findings({ allowedImages: allowed }, aPolicyInput({ experiment }))
        expect([...found].sort()).to.deep.equal([...expected].sort())
      })

  it('accepts that an override removes an image', () => {
    const source = aDeployment({ pod: { initContainers: [{ name: 'i', image: 'nginx' }] } })
    const experiment = anExperiment({ overrideSpec: { template: { spec: { initContainers: null } } } })
    expect(findings({ allowedImages: [] }, aPolicyInput({ experiment, source }))).to.deep.equal([])
  })

  it('reports at most 21 images', () => {
    const containers = Array.from({ length: 30 }, (_, index) => ({ name: `c${index}`, image: 'nginx' }))
    const experiment = anExperiment({ overrideSpec: { template: { spec: { containers } } } })
    expect(findings({ allowedImages: [] }, aPolicyInput({ experiment }))).to.have.length(21)
  })
})
