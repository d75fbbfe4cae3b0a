/** The runs of mocha that wait for clusters: those of `npm test`, and with `SUITES` those of other suites. */
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** The tests of `test/integration`, which are a part of every `npm test`, in runs of about the same length. */
const OF_NPM_TEST = ['first', 'second', 'third'].map((third) => ['--config', `test/integration/.mocharc.${third}.json`])

/** These take the longest. Begun last, they would leave processors unused in the end. */
const LONGEST = [/strategies\/(guide|source-size|cut-over|blue-green)/, /installs\/(admin|components|install|demo)/]

interface Config {
  readonly spec: readonly string[]
  readonly require: readonly string[]
  readonly reporter: string
  readonly timeout: number
}

/**
 * The arguments of each run of mocha: a run for each file of `suites`, and those of `npm test`. The longest come first.
 * @throws Error if there is no such suite
 */
export function waitingRuns(suites: readonly string[]): readonly (readonly string[])[] {
  const files = suites.flatMap((suite) => {
    const config: Config = JSON.parse(readFileSync(`test/${suite}/.mocharc.json`, 'utf8'))
    return globSync(config.spec).map((file) => ({ file, args: argsOf(suite, file, config) }))
  })
  const isLong = ({ file }: { readonly file: string }) => LONGEST.some((each) => each.test(file))
  const [long, short] = [files.filter(isLong), files.filter((each) => !isLong(each))]
  return [...long.map(({ args }) => args), ...OF_NPM_TEST, ...short.map(({ args }) => args)]
}

/** What the configuration of a suite says, for one of its files. */
function argsOf(suite: string, file: string, { require, reporter, timeout }: Config): readonly string[] {
  const required = require.flatMap((each) => ['--require', each])
  const part = `part=${suite}/${basename(file).split('.')[0]}`
  const reported = ['--reporter', reporter, '--reporter-option', part]
  return ['--no-config', '--forbid-only', ...required, ...reported, '--timeout', `${timeout}`, file]
}
