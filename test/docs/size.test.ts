import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

/** The most lines of a page. A page that needs more is two pages. */
const MOST_LINES = 500

describe('the size of the pages', () => {
  it(`is at most ${MOST_LINES} lines each`, () => {
    const sizes = globSync('docs/*.md').map((file) => ({
      file,
      lines: readFileSync(file, 'utf8').split('\n').length - 1,
    }))
    expect(sizes.length).to.be.greaterThan(10)
    expect(sizes.filter(({ lines }) => lines > MOST_LINES)).to.deep.equal([])
  })
})
