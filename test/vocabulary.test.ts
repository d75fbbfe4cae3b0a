import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { REASONS } from '../common/api/reasons.ts'

describe('the vocabulary of reasons', () => {
  it('is in the README, reason by reason, with the same remedy', () => {
    const section =
      readFileSync('README.md', 'utf8')
        .split('\n## ')
        .find((text) => text.startsWith('Reasons')) ?? ''
    const rows = [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, reason, remedy]) => [reason, remedy])
    expect(Object.fromEntries(rows)).to.deep.equal(REASONS)
  })

  it('has no word that nobody says', () => {
    const code = globSync('{common,controller,webhook}/**/*.ts', { exclude: ['common/api/reasons.ts'] })
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const silent = Object.keys(REASONS).filter((reason) => !code.includes(`'${reason}'`))
    expect(silent).to.deep.equal([])
  })
})
