import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { STRATEGY_PAGES } from '../integration/document.ts'
import { FOLDERS } from '../strategies/examples.ts'

const read = (file: string): string => readFileSync(file, 'utf8')
const PAGE = read('examples/README.md')
const FILES = globSync('examples/**/*.yaml').sort()
/** The folders for tools that apply experiments. Their manifests are for those tools, and no guide shows them. */
const OF_TOOLS = ['argo-cd', 'ci', 'flux']
const MANIFESTS = FILES.filter((file) => !OF_TOOLS.includes(basename(dirname(file))))
const GUIDES = STRATEGY_PAGES.map((page) => `docs/${page}`)
/** Short enough to be read at once. */
const MOST_LINES = 25

describe('the examples', () => {
  it('are a folder for each use case, with a guide that refers to it', () => {
    const folders = globSync('examples/*/').map((folder) => basename(folder))
    const listed = [...PAGE.matchAll(/^\| \[([\w-]+)\]\(\1\) \|.*\]\(\.\.\/(docs\/[\w-]+\.md)#/gm)]
    expect(listed.map(([, folder]) => folder)).to.have.members(folders)
    for (const [, folder = '', guide = ''] of listed) expect(read(guide)).to.contain(`](../examples/${folder})`)
    expect(folders).to.have.members([...Object.keys(FOLDERS), ...OF_TOOLS])
  })

  it('have short manifests that begin with what they are for', () => {
    expect(MANIFESTS).to.have.lengthOf(7)
    expect(FILES).to.have.lengthOf(7 + 4)
    for (const file of MANIFESTS) expect(read(file).split('\n').length, file).to.be.at.most(MOST_LINES)
    for (const file of FILES) {
      const text = read(file)
      expect(text, file).to.match(/^# [A-Z].*\.\n/)
      expect(
        parseAllDocuments(text).flatMap(({ errors }) => errors),
        file,
      ).to.deep.equal([])
    }
  })

  it('are the files of the guides', () => {
    const shown = GUIDES.flatMap((guide) => [...read(guide).matchAll(/^```yaml\n# (\S+)\n(.*?)^```/gms)])
    const found = MANIFESTS.flatMap((file) => {
      const text = read(file).replace(/^(# .*\n)+/, '')
      return shown.filter(([, name]) => name === basename(file)).map(([, , block]) => ({ file, is: block, text }))
    })
    expect(new Set(found.map(({ file }) => file)).size).to.equal(MANIFESTS.length)
    for (const { file, is, text } of found) expect(is, file).to.equal(text)
  })

  it('name only files and scripts that are there', () => {
    const commands = [...PAGE.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) => block.trim().split('\n'))
    expect(commands.length).to.be.greaterThan(3)
    const paths = commands.flatMap((command) => [...command.matchAll(/examples\/[\w./-]+/g)].map(([path]) => path))
    expect(paths.filter((path) => !existsSync(path))).to.deep.equal([])
    expect(paths.map((path) => dirname(path))).to.include('examples')
  })
})
