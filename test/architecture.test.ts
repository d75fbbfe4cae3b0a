import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { firstCycle, functionsOf, importsOf } from './sources.ts'

/** The roots of the programs connect the parts: they may import everything below these folders. */
const ROOTS = ['common', 'webhook', 'controller', 'cli']

/** Folders with I/O, clocks or randomness. `common/plan` and all that it may import must not reach them. */
const IMPURE = ['common/program', 'common/kube', 'common/schema']

/** What only a `main.ts` may use. All other code receives it as a parameter. */
const AMBIENT = /\bprocess\.|\bnew Date\(\)|\bDate\.now\(|\bMath\.random\(/

const MAX_FILES = 20
const MAX_LINES = 350
const MAX_FUNCTION_LINES = 80
/** As in biome.json, whose formatter wraps code but not comments. */
const MAX_COLUMNS = 120
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/) /

/** What the files of each folder may import from elsewhere. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries<string>(parse(readFileSync('test/may-import.yaml', 'utf8'))).map(([folder, words]) => [
    folder,
    words.split(' ').filter((word) => word !== ''),
  ]),
)

const SOURCES = globSync('{common,webhook,controller,cli}/**/*.ts').sort()
const FOLDERS = [...new Set(SOURCES.map((file) => dirname(file)))]
const EVERYTHING = globSync('{common,webhook,controller,cli,sandbox,build,crds,certs,manifests,test}/**/*.ts')

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

  it(`has at most ${MAX_FILES} files in a folder`, () =>
    expect(FOLDERS.filter((folder) => globSync(`${folder}/*.ts`).length > MAX_FILES)).to.deep.equal([]))

  it('lets each file import only what its folder may', () =>
    expect(SOURCES.flatMap((file) => strays(file).map((target) => `${file} imports ${target}`))).to.deep.equal([]))

  it('reads a clock, the environment and randomness only in the files main.ts', () =>
    expect(SOURCES.filter((file) => basename(file) !== 'main.ts' && AMBIENT.test(withoutComments(file)))).to.deep.equal(
      [],
    ))

  it(`has at most ${MAX_LINES} lines in a file, short functions, and no any`, () => {
    const wrong = EVERYTHING.flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      const long = file.startsWith('test/') ? [] : functionsOf(text).filter(({ lines }) => lines > MAX_FUNCTION_LINES)
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|\/.*\/\S*/g, '')
      return [
        ...(text.split('\n').length - 1 > MAX_LINES ? [`${file} is too long`] : []),
        ...long.map(({ line }) => `${file}:${line} is a function that is too long`),
        ...(/\bas any\b|: any\b|<any>/.test(code) ? [`${file} has any`] : []),
      ]
    })
    expect(wrong).to.deep.equal([])
  })

  it(`has at most ${MAX_COLUMNS} columns in a comment`, () => {
    const long = EVERYTHING.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) => (line.length > MAX_COLUMNS && COMMENT.test(line) ? [`${file}:${index + 1}`] : [])),
    )
    expect(EVERYTHING).to.have.length.above(500)
    expect(long).to.deep.equal([])
  })

  it('lets only common/kube/library see the client library', () => {
    const elsewhere = EVERYTHING.filter(
      (file) =>
        !file.startsWith('common/kube/library/') && importsOf(file).some((target) => target.includes('client-node')),
    )
    expect(elsewhere).to.deep.equal([])
  })
})
