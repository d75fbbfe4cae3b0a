import { expect } from 'chai'
import { withShortDigest } from '../../../common/text/digest.ts'

describe('M7: an image with a short digest', () => {
  const cases: Record<string, string> = {
    [`registry.example/cart@sha256:${'0123456789abcdef'.repeat(4)}`]: 'registry.example/cart@sha256:0123456789ab',
    [`cart:1@sha512:${'f'.repeat(128)}`]: 'cart:1@sha512:ffffffffffff',
    'registry.example:5000/cart:1': 'registry.example:5000/cart:1',
    '500m': '500m',
  }
  for (const [image, short] of Object.entries(cases))
    it(`is ${short}`, () => expect(withShortDigest(image)).to.equal(short))
})
