import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect } from 'chai'
import { MAY_IMPORT } from './may-import.ts'
import { firstCycle, functionsOf, importsOf } from './sources.ts'

/** The roots of the programs connect the parts: they may import everything below these folders. */
const ROOTS = ['common', 'webhook', 'controller']

/** Folders with I/O, clocks or randomness. `common/plan` and all that it may import must not reach them. */
const IMPURE = ['common/program', 'common/kube', 'common/schema']

/** What only a `main.ts` may use. All other code receives it as a parameter. */
const AMBIENT = /\bprocess\.|\bnew Date\(\)|\bDate\.now\(|\bMath\.random\(/

const MAX_FILES = 20
const MAX_LINES = 350
const MAX_FUNCTION_LINES = 80

const SOURCES = globSync('{common,webhook,controller}/**/*.ts').sort()
const FOLDERS = [...new Set(SOURCES.map((file) => dirname(file)))]
const EVERYTHING = globSync('{common,webhook,controller,sandbox,build,crds,certs,test}/**/*.ts')

/** The target of an import: the folder of a file, or the package. */
const placeOf = (target: string): string => (existsSync(target) ? dirname(target) : target)

const isAllowed = (folder: string, place: string): boolean =>
  place === folder ||
  (MAY_IMPORT[folder] ?? []).some(
    (allowed) => place === allowed || (ROOTS.includes(allowed) && place.startsWith(`${allowed}/`)),
  )

const strays = (file: string): readonly string[] =>
  importsOf(file).filter((target) => !isAllowed(dirname(file), placeOf(target)))

const withoutComments = (file: string): string => readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')

describe('the architecture', () => {
  it('has a row for every folder, and no other row', () =>
    expect(Object.keys(MAY_IMPORT).sort()).to.deep.equal(FOLDERS.toSorted()))

  it('lets no folder import one that imports it, however indirectly', () => {
    const below = (folder: string) =>
      (MAY_IMPORT[folder] ?? []).flatMap((allowed) =>
        ROOTS.includes(allowed) ? FOLDERS.filter((each) => each !== folder && each.startsWith(`${allowed}/`)) : allowed,
      )
    expect(firstCycle(FOLDERS, below)).to.equal(undefined)
  })

  it('lets no file import one that imports it, types included', () =>
    expect(firstCycle(SOURCES, importsOf)).to.equal(undefined))

  it('keeps all that common/plan may import pure', () => {
    const reached = new Set<string>()
    const visit = (folder: string): void => {
      if (reached.has(folder)) return
      reached.add(folder)
      for (const next of MAY_IMPORT[folder] ?? []) visit(next)
    }
    visit('common/plan')
    expect([...reached].filter((place) => IMPURE.some((impure) => place.startsWith(impure)))).to.deep.equal([])
    expect([...reached].filter((place) => place.startsWith('node:'))).to.deep.equal(['node:crypto'])
  })

  for (const folder of FOLDERS)
    it(`${folder} has at most ${MAX_FILES} files`, () =>
      expect(globSync(`${folder}/*.ts`).length).to.be.at.most(MAX_FILES))

  for (const file of SOURCES) {
    it(`${file} imports only what its folder may`, () => expect(strays(file)).to.deep.equal([]))

    if (basename(file) !== 'main.ts')
      it(`${file} reads no clock, environment or randomness of its own`, () =>
        expect(AMBIENT.exec(withoutComments(file))?.[0]).to.equal(undefined))
  }

  for (const file of EVERYTHING) {
    it(`${file} has at most ${MAX_LINES} lines, short functions, no any and no !`, () => {
      const text = readFileSync(file, 'utf8')
      expect(text.split('\n').length - 1).to.be.at.most(MAX_LINES)
      const long = functionsOf(text).filter(({ lines }) => lines > MAX_FUNCTION_LINES)
      if (!file.startsWith('test/')) expect(long).to.deep.equal([])
      expect(/\bas any\b|: any\b|<any>/.exec(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|\/.*\/\S*/g, ''))?.[0]).to.equal(
        undefined,
      )
    })
  }

  it('lets only common/kube/client see the client library', () => {
    const elsewhere = EVERYTHING.filter(
      (file) =>
        !file.startsWith('common/kube/client/') && importsOf(file).some((target) => target.includes('client-node')),
    )
    expect(elsewhere).to.deep.equal([])
  })
})
