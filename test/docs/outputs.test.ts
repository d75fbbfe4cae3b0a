import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

describe('A-8: the outputs in the guides', () => {
  for (const file of globSync('docs/*.md').sort())
    it(`are real in ${file}: no wildcard of a test, and no shell that a reader does not have`, () => {
      const blocks = [...readFileSync(file, 'utf8').matchAll(/^```console\n(.*?)^```/gms)].map(
        ([, block = '']) => block,
      )
      for (const block of blocks) {
        expect(block).to.match(/^\$ /)
        expect(block).to.not.contain('…')
      }
    })
})
