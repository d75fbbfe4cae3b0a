import { expect } from 'chai'
import { isQuantity, suggestQuantity } from '../../../common/schema/messages.ts'

describe('isQuantity', () => {
  for (const text of [
    '1Mi ',
    '1\n',
    '0',
    '1',
    '500m',
    '1.5Gi',
    '.5',
    '5.',
    '-1',
    '+2k',
    '1e3',
    '1E-3',
    '1E',
    '12Ei',
    '100n',
    '3u',
  ])
    it(`accepts ${text}`, () => expect(isQuantity(text)).to.equal(true))
  for (const text of ['', '.', 'm', '1O0m', '1 Gi', '1gi', '1K', '1e', '1e+', '--1', '1.2.3', '0x10'])
    it(`refuses ${JSON.stringify(text)}`, () => expect(isQuantity(text)).to.equal(false))
})

describe('suggestQuantity', () => {
  const meant = { '1O0m': '100m', '512MB': '512M', '1 Gi': '1Gi', '10 GiB': '10Gi', l00m: '100m' }
  for (const [text, expected] of Object.entries(meant))
    it(`suggests ${expected} for ${text}`, () => expect(suggestQuantity(text)).to.equal(expected))
  for (const text of ['much', '1gi', '500m', ' '.repeat(61)])
    it(`suggests nothing for ${JSON.stringify(text)}`, () => expect(suggestQuantity(text)).to.equal(undefined))
})
