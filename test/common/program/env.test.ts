import { expect } from 'chai'
import { wholeNumber } from '../../../common/program/env.ts'

const RANGE = { fallback: 16, min: 1, max: 64 }

describe('wholeNumber', () => {
  for (const [found, value] of [
    [undefined, 16],
    ['', 16],
    ['1', 1],
    ['64', 64],
    ['08', 8],
  ] as const)
    it(`reads ${JSON.stringify(found)} as ${value}`, () => {
      expect(wholeNumber({ WORKERS: found }, 'WORKERS', RANGE)).to.equal(value)
    })

  for (const found of ['many', '0', '65', '1.5', ' 7', '0x10', '1e1', '-1'])
    it(`throws for ${JSON.stringify(found)}, with name, range and value`, () => {
      const message = `WORKERS must be a whole number from 1 to 64, found ${JSON.stringify(found)}`
      expect(() => wholeNumber({ WORKERS: found }, 'WORKERS', RANGE)).to.throw(message)
    })
})
