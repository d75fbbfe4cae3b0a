import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect } from 'chai'
import { firstCycle, functionsOf, importsOf } from './sources.ts'

/**
 * What the files of each folder may import from elsewhere: folders, packages and `node:` modules. Type imports count.
 * There is no cycle: no folder may import, even indirectly, a folder that may import it.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'common/json': ['node:crypto'],
  'common/text': [],
  'common/program': ['common/json', 'node:events', 'node:http', 'node:https', 'node:net', 'pino', 'prom-client'],
  'common/api': ['common/json', 'common/text'],
  'common/override': ['common/json', 'common/text', 'common/api', 'deepmerge'],
  'common/policy': ['common/json', 'common/text', 'common/api', 'common/override'],
  'common/pod': ['common/json', 'common/text', 'common/api', 'common/policy'],
  'common/workload': ['common/json', 'common/text', 'common/api', 'common/override'],
  'common/surroundings': ['common/json', 'common/text', 'common/api', 'common/policy', 'common/workload'],
  'common/advice': ['common/json', 'common/text', 'common/api', 'common/override', 'common/pod'],
  'common/strategy': ['common/json', 'common/text', 'common/api'],
  'common/assess': [
    'common/json',
    'common/text',
    'common/api',
    'common/override',
    'common/policy',
    'common/pod',
    'common/workload',
    'common/surroundings',
    'common/advice',
    'common/strategy',
  ],
  'common/plan': [
    'common/json',
    'common/text',
    'common/api',
    'common/override',
    'common/policy',
    'common/workload',
    'common/surroundings',
    'common/strategy',
    'common/assess',
  ],
  'common/kube/client': [
    'common/json',
    'common/program',
    'common/api',
    '@kubernetes/client-node',
    'node:tls',
    'node:util',
    'undici',
  ],
  'common/kube/watch': ['common/json', 'common/program', 'common/api', 'common/kube/client'],
  'common/kube/reads': [
    'common/json',
    'common/api',
    'common/policy',
    'common/workload',
    'common/surroundings',
    'common/kube/client',
  ],
  'common/schema': [
    'common/json',
    'common/text',
    'common/program',
    'common/api',
    'common/override',
    'common/kube/client',
    'ajv',
    'ajv-formats',
  ],
  'webhook/review': [
    'common/json',
    'common/text',
    'common/program',
    'common/api',
    'common/workload',
    'common/schema',
    'fast-json-patch',
    'node:timers/promises',
  ],
  'webhook/http': [
    'common/json',
    'common/program',
    'common/policy',
    'common/kube/client',
    'webhook/review',
    'express',
    'node:crypto',
    'node:http',
    'node:https',
    'node:net',
    'node:tls',
  ],
  'webhook/tls': [
    'common/program',
    'common/kube/client',
    'node:crypto',
    'node:fs',
    'node:http',
    'node:https',
    'node:path',
    'node:tls',
  ],
  'webhook/reads': [
    'common/json',
    'common/text',
    'common/program',
    'common/api',
    'common/policy',
    'common/workload',
    'common/surroundings',
    'common/assess',
    'common/plan',
    'common/kube/client',
    'common/kube/watch',
    'common/kube/reads',
    'webhook/review',
  ],
  'webhook/ratchet': [
    'common/json',
    'common/text',
    'common/api',
    'common/policy',
    'common/workload',
    'common/assess',
    'common/plan',
  ],
  webhook: ['common', 'webhook'],
  'controller/runtime': ['common/json', 'common/program', 'common/api', 'common/kube/client', 'common/kube/reads'],
  'controller/observe': [
    'common/json',
    'common/program',
    'common/api',
    'common/override',
    'common/policy',
    'common/workload',
    'common/surroundings',
    'common/assess',
    'common/plan',
    'common/kube/client',
    'common/kube/watch',
    'common/kube/reads',
    'controller/runtime',
  ],
  'controller/report': [
    'common/json',
    'common/api',
    'common/workload',
    'common/assess',
    'common/plan',
    'controller/runtime',
  ],
  'controller/apply': [
    'common/json',
    'common/api',
    'common/workload',
    'common/assess',
    'common/plan',
    'common/kube/client',
    'common/kube/watch',
    'common/kube/reads',
    'controller/runtime',
  ],
  'controller/wakeups': [
    'common/json',
    'common/program',
    'common/api',
    'common/workload',
    'common/surroundings',
    'common/kube/watch',
    'controller/runtime',
    'controller/observe',
  ],
  'controller/policies': [
    'common/program',
    'common/api',
    'common/policy',
    'common/workload',
    'common/assess',
    'common/plan',
    'common/kube/client',
    'common/kube/watch',
    'common/kube/reads',
    'controller/runtime',
    'controller/observe',
    'controller/wakeups',
  ],
  controller: ['common', 'controller'],
}

/** The roots of the programs connect the parts: they may import everything below these folders. */
const ROOTS = ['common', 'webhook', 'controller']

/** Folders with I/O, clocks or randomness. `common/plan` and all that it may import must not reach them. */
const IMPURE = ['common/program', 'common/kube', 'common/schema']

/** What only a `main.ts` may use. All other code receives it as a parameter. */
const AMBIENT = /\bprocess\.|\bnew Date\(\)|\bDate\.now\(|\bMath\.random\(/

const MAX_FILES = 20
const MAX_LINES = 250
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
