import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect } from 'chai'

const PAGE = readFileSync('docs/architecture.md', 'utf8')

/** The rows of `test/architecture.test.ts`: each folder with a source file has one. */
const FOLDERS = [...new Set(globSync('{common,webhook,controller,cli}/**/*.ts').map((file) => dirname(file)))].sort()

describe('the page on the architecture', () => {
  it('says what each folder holds, and names no other folder', () => {
    const [, section = ''] = /^## Folders\n(.*?)^## /ms.exec(PAGE) ?? []
    const rows = [...section.matchAll(/^\| `([\w/-]+)` \| .+ \|$/gm)].map(([, folder = '']) => folder)
    expect(rows.toSorted()).to.deep.equal(FOLDERS)
  })

  it('names only files that exist', () => {
    const named = [...PAGE.matchAll(/`((?:\w[\w-]*\/)+[\w.-]+)`/g)].map(([, path = '']) => path)
    expect(named).to.include('common/plan/plan.ts')
    expect(named.filter((path) => !existsSync(path))).to.deep.equal([])
  })

  it('is, like every page that a comment names, in the repository', () => {
    const pages = globSync('{*.md,docs/*.md,examples/**/*.md,test/integration/*.md}').map((path) => basename(path))
    const named = globSync(
      '{common,webhook,controller,cli,manifests,crds,sandbox,certs,build,test}/**/*.{ts,yaml}',
    ).flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/[\w-]+\.md\b/g)].map(([name]) => name))
    expect(named).to.include('architecture.md')
    expect([...new Set(named)].filter((name) => !pages.includes(name))).to.deep.equal([])
  })

  it('has the sections that comments in the code cite', () => {
    const cited = globSync('{common,webhook,controller,cli,manifests,crds,sandbox,certs,build}/**/*.{ts,yaml}').flatMap(
      (file) => [...readFileSync(file, 'utf8').matchAll(/"([A-Z][^"]+)" in docs\/architecture\.md/g)],
    )
    expect(cited.length).to.be.greaterThan(0)
    for (const [, section = ''] of cited) expect(PAGE).to.contain(`\n## ${section}\n`)
  })
})
