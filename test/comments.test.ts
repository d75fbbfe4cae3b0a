import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

/** As in biome.json, whose formatter wraps code but not comments. */
const MAX_COLUMNS = 120

const FILES = globSync('{common,webhook,controller,crds,certs,build,sandbox,test}/**/*.ts')
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/) /

describe('comments', () => {
  it(`have at most ${MAX_COLUMNS} columns`, () => {
    const long = FILES.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) => (line.length > MAX_COLUMNS && COMMENT.test(line) ? [`${file}:${index + 1}`] : [])),
    )
    expect(FILES).to.have.length.above(500)
    expect(long).to.deep.equal([])
  })
})
