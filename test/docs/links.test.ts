import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const anchorsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

describe('the links of the documentation', () => {
  for (const file of [
    ...globSync('*.md').sort(),
    ...globSync('{docs,examples,examples/*,charts/*}/*.md').sort(),
    'test/README.md',
  ])
    it(`lead somewhere, in ${file}`, () => {
      const links = [...readFileSync(file, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
      for (const link of links.filter((each) => !each.includes('://'))) {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? file : join(dirname(file), path)
        expect(existsSync(target), link).to.equal(true)
        if (anchor !== undefined) expect(anchorsOf(target), link).to.include(anchor)
      }
    })
})
