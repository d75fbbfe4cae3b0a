import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ADMIN_PAGES, Page } from '../integration/document.ts'

/** The pictures of a page. */
const picturesIn = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^```mermaid\n(.*?)^```/gms)].map(([, picture = '']) => picture)

describe('the pictures of the documentation', () => {
  it('begin with a kind that GitHub draws', () => {
    const files = ['README.md', ...globSync('docs/*.md')]
    const pictures = files.flatMap(picturesIn)
    expect(pictures.length).to.be.greaterThan(2)
    for (const picture of pictures) expect(picture).to.match(/^(flowchart (TB|LR)|stateDiagram-v2)\n/)
  })

  it('of the choices of an installation has an overlay of a page at each leaf', () => {
    const [picture = ''] = picturesIn('docs/install.md')
    const leaves = [...picture.matchAll(/--> ([\w-]+)\["\1"\]/g)].map(([, leaf = '']) => leaf)
    expect(leaves).to.have.lengthOf(8)
    const files = new Page(...ADMIN_PAGES)
      .blocks('yaml')
      .map((block) => /^# (\S+)\/kustomization\.yaml\n/.exec(block)?.[1])
    expect(files).to.include.members(leaves)
    const install = readFileSync('docs/install.md', 'utf8')
    for (const leaf of leaves) expect(install).to.match(new RegExp(`^\\|.*\`${leaf}\`.*\\| \\[`, 'm'))
  })
})
