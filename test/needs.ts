/**
 * What tests need that is built or downloaded once on a machine. Mocha loads this file and has it built before the
 * first test starts, so no test and no hook waits for that on its own clock. What a suite has not declared it may not
 * use.
 */
import { env } from 'node:process'
import type { Runner, Suite } from 'mocha'
import { DECLARED, NEEDS, type Need } from '../sandbox/needs.ts'
import { prepare } from '../sandbox/prepare.ts'

const needsOfHooks = new WeakMap<object, readonly Need[]>()

/** To be called in a `describe`: its tests use these. */
export function needs(...wanted: readonly Need[]): void {
  const hook = () => {
    if (env[DECLARED] === undefined) throw new Error('this run of mocha needs --require ./test/needs.ts')
  }
  needsOfHooks.set(hook, wanted)
  before(`there is ${wanted.map((need) => NEEDS[need]).join(', ')}`, hook)
}

/** The types of mocha lack this method. */
interface WithHooks {
  readonly getHooks: (name: 'beforeAll') => readonly { readonly fn: object }[]
}

/** What a suite has declared, without the suites in it. */
const declaredIn = (suite: Suite): readonly Need[] =>
  (suite as unknown as WithHooks).getHooks('beforeAll').flatMap(({ fn }) => needsOfHooks.get(fn) ?? [])

/** Called by mocha when all files are loaded. No timeout holds here. */
export async function mochaGlobalSetup(this: Runner): Promise<void> {
  const wanted = (suite: Suite): readonly Need[] =>
    this.grepTotal(suite) === 0 ? [] : [...declaredIn(suite), ...suite.suites.flatMap(wanted)]
  await prepare([...new Set(wanted(this.suite))], (line) => console.error(line))

  const running: Suite[] = []
  const tell = () => {
    env[DECLARED] = [...new Set(running.flatMap(declaredIn))].join(' ')
  }
  this.on('suite', (suite) => {
    running.push(suite)
    tell()
  })
  this.on('suite end', () => {
    running.pop()
    tell()
  })
}
