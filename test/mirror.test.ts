import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect } from 'chai'
import { transformSync } from 'esbuild'

/** A source with fewer lines needs no test of its own: the tests of its users show what it does. */
const MIN_LINES = 25

/** Larger sources without a test of their own, and why. `types only` is checked. */
const WITHOUT_TEST: Readonly<Record<string, string>> = {
  'common/analysis/metrics/metric-engine.ts': 'types only',
  'common/analysis/query/window-query.ts': 'types, and a function that makes one of them',
  'common/analysis/run/poll.ts': 'types only',
  'common/analysis/window-data.ts': 'types only',
  'common/api/analysis/analysis.ts': 'types and lists of words, each tested where it is decoded',
  'common/api/analysis/metric.ts': 'types and tables, tested by the rules of the CRD that follow from them',
  'common/api/reasons.ts': 'a table, tested by test/vocabulary.test.ts',
  'common/api/strategy.ts': 'types and lists of words, each tested where it is decoded or decided',
  'common/api/types.ts': 'types only',
  'common/kube/client/access.ts': 'types only',
  'common/override/spec-schema.ts': 'types only',
  'common/situation/situation.ts': 'types only',
  'common/view/experiment-view.ts': 'types, and a list of words',
  'common/view/warning-remedies.ts': 'a part of a table, tested by test/common/view/remedies.test.ts',
  'common/workload/kind.ts': 'types only',
  'controller/observe/ports.ts': 'types only',
  'cli/cluster/connection.ts': 'types only',
  'cli/doctor/check.ts': 'types, and functions that make one of them',
  'cli/doctor/expected.ts': 'types, and a table that npm run verify compares with the manifests',
  'cli/process/io.ts': 'types only',
  'controller/main.ts': 'run as a process by test/integration',
  'webhook/main.ts': 'run as a process by test/integration',
}

const SOURCES = globSync('{common,webhook,controller,cli}/**/*.ts').sort()
const TESTS = globSync('test/{common,webhook,controller,cli}/**/*.test.ts').sort()

/** The rules of this folder are tables of `test/value-cases`, all of which its first test reads. */
const OF_TABLES = 'common/pod/'
const hasTable = (source: string): boolean => source.startsWith(OF_TABLES) && TABLES.includes(`/** \`${source}\``)
const TABLES = globSync('test/value-cases/*.ts')
  .map((file) => readFileSync(file, 'utf8'))
  .join('')

/** `common/json/at.ts` → `test/common/json/at.test.ts` */
const testOf = (source: string): string => join('test', source.replace(/\.ts$/, '.test.ts'))

/** The sources that `test` may be about: those with its name, or with its name up to a hyphen. */
function sourcesOf(test: string): readonly string[] {
  const folder = dirname(test).replace(/^test\//, '')
  const words = basename(test, '.test.ts').split('-')
  return words.map((_, index) => join(folder, `${words.slice(0, words.length - index).join('-')}.ts`))
}

const isSmall = (source: string): boolean => readFileSync(source, 'utf8').split('\n').length - 1 < MIN_LINES

/** Whether a source contains only types, which do not exist at run time. */
const hasOnlyTypes = (source: string): boolean =>
  transformSync(readFileSync(source, 'utf8'), { loader: 'ts' }).code.trim() === ''

describe('the tests', () => {
  it(`mirror the sources: each of ${MIN_LINES} lines or more has a test of the same path and name`, () => {
    const tests = new Set(TESTS)
    const excused = new Set(Object.keys(WITHOUT_TEST))
    const lacking = SOURCES.filter((source) => !tests.has(testOf(source)) && !excused.has(source))
    expect(lacking.filter((source) => !isSmall(source) && !hasTable(source))).to.deep.equal([])
  })

  it('are about a source that exists; a suffix may follow its name', () => {
    const sources = new Set(SOURCES)
    const strays = TESTS.filter((test) => !sourcesOf(test).some((source) => sources.has(source)))
    expect(strays).to.deep.equal([])
  })

  it('excuse only sources that exist, are not small and have no test', () => {
    const tests = new Set(TESTS)
    const stale = Object.keys(WITHOUT_TEST).filter(
      (source) => !SOURCES.includes(source) || tests.has(testOf(source)) || isSmall(source),
    )
    expect(stale).to.deep.equal([])
  })

  it('need none for sources that hold only types', () => {
    const sources = Object.keys(WITHOUT_TEST).filter((source) => WITHOUT_TEST[source] === 'types only')
    expect(sources.filter((source) => !hasOnlyTypes(source))).to.deep.equal([])
  })
})
