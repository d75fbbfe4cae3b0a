import { globSync } from 'node:fs'
import { expect } from 'chai'
import { bad, type Check, ok } from '../../../cli/doctor/check.ts'
import { CHECKS, examine } from '../../../cli/doctor/checks.ts'
import { text } from '../../../common/view/text.ts'
import { someFacts } from './an-installation.ts'

const { facts } = await someFacts()
const check = (name: string, needs: readonly string[], isBad = false): Check => ({
  ...{ name, needs },
  look: async () => (isBad ? bad(text('broken'), text('mend it')) : ok(text('fine'))),
})
const looked = async (...checks: readonly Check[]) =>
  (await examine(facts, checks)).map(({ name, result, seen }) => `${name} ${result}: ${seen}`)

describe('the checks', () => {
  it('rest only on checks before them, and have a file of their name each', () => {
    for (const [index, { name, needs }] of CHECKS.entries()) {
      const before = CHECKS.slice(0, index).map((each) => each.name)
      expect(before, name).to.include.members([...needs])
      expect(globSync(`cli/doctor/${name}.ts`), name).to.have.lengthOf(1)
    }
  })

  it('say nothing of what rests on something bad, however indirectly', async () => {
    expect(await looked(check('a', [], true), check('b', ['a']), check('c', ['b']), check('d', []))).to.deep.equal([
      'a bad: broken',
      'b unknown: needs a',
      'c unknown: needs b',
      'd ok: fine',
    ])
    expect(await looked(check('a', []), check('b', ['a']))).to.deep.equal(['a ok: fine', 'b ok: fine'])
  })
})
