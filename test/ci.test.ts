import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { waitingRuns } from './suites.ts'

/** Suites that CI does not run, and why. */
const NOT_IN_CI: Readonly<Record<string, string>> = {
  'test:cold': 'runs before a release: it builds everything again',
  'test:compat': 'suites of npm test again, after the build of another Kubernetes',
  'test:faults': 'takes long, and has its main rows in npm test',
  'test:laws': 'suites of npm test again, with more examples',
  'test:soak': 'takes hours',
  'test:versions': 'takes long, and needs the history of the repository',
}

const THIRDS = ['first', 'second', 'third']

describe('CI', () => {
  /** The last command, which prints the total, and the suites that it has. */
  const [run, last = ''] = readFileSync('.ci/run', 'utf8')
    .trimEnd()
    .split(/\n(?=.*$)/)
  const suites = /^COVERAGE=1 SUITES="([a-z ]+)" npm test$/.exec(last)?.[1]?.split(' ') ?? []

  it('runs every suite but those that take long', () => {
    const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts)
    const isRun = (name: string) =>
      suites.includes(name.slice('test:'.length)) || `${run}\n`.includes(`\nnpm run ${name}\n`)
    const others = scripts.filter((name) => name.startsWith('test:') && !isRun(name))
    expect(others).to.have.members(Object.keys(NOT_IN_CI))
  })

  it('N50: has what tests need built before them in every run, also in one of a single file', () => {
    const configs = globSync(['.mocharc.json', 'test/**/.mocharc*.json'])
    expect(configs).to.have.length.above(10)
    const lacking = configs.filter(
      (file) => !JSON.parse(readFileSync(file, 'utf8')).require.includes('./test/needs.ts'),
    )
    expect(lacking).to.deep.equal([])
  })

  it('N50: says of each total but the last one of which part it is', () => {
    expect(suites).not.to.deep.equal([])
    const runs = waitingRuns(suites).map((args) => args.join(' '))
    const options = runs.map((args) => {
      const config = /^--config (.+)$/.exec(args)?.[1]
      return config ? JSON.parse(readFileSync(config, 'utf8'))['reporter-option'][0] : args
    })
    expect(options.filter((each) => !/part=[a-z]/.test(each))).to.deep.equal([])
    expect(new Set(runs).size, 'each file once').to.equal(runs.length)
  })

  it('runs every test on the real control plane in one third', () => {
    const LAST = 'test/integration/who-wrote-what.test.ts' // reads what each of them has done
    const files = THIRDS.flatMap((third) => {
      const { spec, ignore = [] } = JSON.parse(readFileSync(`test/integration/.mocharc.${third}.json`, 'utf8'))
      for (const pattern of [...spec, ...ignore]) expect(pattern, 'a pattern of mocha').not.to.contain('{')
      const ignored = globSync(ignore)
      return globSync(spec).filter((file) => file !== LAST && !ignored.includes(file))
    })
    const all = globSync(['test/integration/*.test.ts', 'test/sandbox/**/*.test.ts']).filter((file) => file !== LAST)
    expect(files.toSorted()).to.deep.equal(all.toSorted())
  })
})
