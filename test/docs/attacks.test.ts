import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const PAGE = readFileSync('docs/attacks.md', 'utf8')
const NUMBERS = [...PAGE.matchAll(/^\| (A\d+) \| .+ \| .+ \|$/gm)].map(([, number = '']) => number)

describe('the page on attacks', () => {
  it('numbers its rows in order', () => {
    expect(NUMBERS.length).to.be.greaterThan(30)
    expect(NUMBERS).to.deep.equal(NUMBERS.map((_, at) => `A${at + 1}`))
  })

  it('has every attack that a test cites', () => {
    const cited = globSync('test/{integration,manifests,clusters,strategies}/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/['`"]?\b(A\d{1,2})(?=[: ]|['`"])/g)].map(([, number = '']) => number),
    )
    expect(cited).to.include.members(['A1', 'A18', 'A27', 'A69', 'A70', 'A71', 'A72', 'A73', 'A74'])
    expect([...new Set(cited)].filter((number) => !NUMBERS.includes(number))).to.deep.equal([])
  })

  it('N37h: says what the status of pods and the templates of others decide, as the page on rights does', () => {
    const rights = readFileSync('docs/rights.md', 'utf8')
    expect(PAGE).to.match(/^\| A36 \|.*who may write `pods\/status` decides verdicts/m)
    expect(PAGE).to.match(/who may write the templates of a namespace decides the gate of all experiments/)
    for (const words of ['**Who may write the templates of a namespace**', '**Who may write `pods/status`**'])
      expect(rights).to.contain(words)
  })
})
