import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { attributesOf, isReason, REASONS, SUBJECTS } from '../common/api/reasons.ts'
import { REMEDIES } from '../common/view/remedies.ts'

const codeOf = (pattern: string): string =>
  globSync(pattern, { exclude: ['common/api/reasons.ts'] })
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')

describe('the vocabulary of reasons', () => {
  it('is the page docs/reasons.md: each reason once, in the section of its subject, with its remedy', () => {
    const sections = readFileSync('docs/reasons.md', 'utf8').split('\n## ').slice(1)
    const rows = sections.flatMap((section) => {
      const [title = ''] = section.split('\n')
      return [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name, remedy]) => ({ title, name, remedy }))
    })
    const expected = Object.entries(REMEDIES).map(([name, remedy]) => ({
      title: isReason(name) && SUBJECTS[attributesOf(name).about],
      name,
      remedy,
    }))
    expect(rows).to.have.deep.members(expected)
  })

  it('has no reason that the code does not use', () => {
    const code = codeOf('{common,controller,webhook}/**/*.ts')
    const unused = Object.keys(REASONS).filter((reason) => !code.includes(`'${reason}'`))
    expect(unused).to.deep.equal([])
  })
})
