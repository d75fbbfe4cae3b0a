import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

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
  it('runs every suite but those that take long', () => {
    const run = readFileSync('.ci/run', 'utf8').split('\n')
    const suites = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts).filter((name) =>
      name.startsWith('test:'),
    )
    expect(run).to.include('COVERAGE=1 npm test')
    expect(suites.filter((name) => !run.includes(`npm run ${name}`))).to.have.members(Object.keys(NOT_IN_CI))
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
    const run = readFileSync('.ci/run', 'utf8').trimEnd().split('\n')
    expect(run.at(-1)).to.equal('COVERAGE=1 npm test')
    const suites = run.flatMap((line) => /^npm run test:(\w+)$/.exec(line)?.[1] ?? [])
    const configs = [...suites, ...THIRDS.map((third) => `integration/.mocharc.${third}.json`)].map((name) =>
      name.endsWith('.json') ? `test/${name}` : `test/${name}/.mocharc.json`,
    )
    const parts = configs.map((file) => JSON.parse(readFileSync(file, 'utf8'))['reporter-option']?.[0])
    const names = [...suites, ...THIRDS.map((_, index) => `control plane, ${index + 1} of 3`)]
    expect(parts).to.deep.equal(names.map((name) => `part=${name}`))
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
