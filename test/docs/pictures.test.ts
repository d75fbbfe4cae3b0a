import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { COMMAND_VERBS } from '../../common/strategy/command-text.ts'
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

  it('of a run has an edge for each command, and no other', () => {
    const [picture = ''] = picturesIn('docs/strategies.md')
    const edges = [...picture.matchAll(/^ {2}\S+ --> \w+: (.*)$/gm)].map(([, label = '']) => label)
    const quoted = edges.flatMap((label) => [...label.matchAll(/"(\w+)"/g)].map(([, word]) => word))
    expect([...new Set(quoted)]).to.have.members(COMMAND_VERBS)
  })

  it('of a blue-green has five frames, with commands that there are between them', () => {
    const [picture = ''] = picturesIn('docs/blue-green.md')
    expect([...picture.matchAll(/^ {2}subgraph frame(\d)\[/gm)].map(([, frame]) => frame)).to.deep.equal([...'12345'])
    const words = [...picture.matchAll(/^ {2}frame\d -- "(\w+)" --> frame\d$/gm)].map(([, word]) => word)
    expect(words).to.deep.equal(['resume', 'promote', 'abort', 'undo'])
    expect(COMMAND_VERBS).to.include.members(words)
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
