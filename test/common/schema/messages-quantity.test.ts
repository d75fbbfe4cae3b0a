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
  // who writes a B counts bytes, and m would be thousandths of them
  const bytes = {
    '512mb': '512M',
    '512Mb': '512M',
    '512MiB': '512Mi',
    '1gi': '1Gi',
    '1GIB': '1Gi',
    '64KB': '64k',
    '64kib': '64Ki',
  }
  for (const [text, expected] of Object.entries({ ...bytes, '2tb': '2T', '100B': '100', '.5 gb': '.5G' }))
    it(`N27: suggests ${expected} for ${text}`, () => expect(suggestQuantity(text)).to.equal(expected))
  for (const text of ['much', 'mb', '1xb', '500m', ' '.repeat(61)])
    it(`suggests nothing for ${JSON.stringify(text)}`, () => expect(suggestQuantity(text)).to.equal(undefined))
})
