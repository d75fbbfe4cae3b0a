import { execFileSync } from 'node:child_process'
import { expect } from 'chai'

const SCRIPT = `const { planCalls } = await import('./test/bench/plan-calls.ts'); console.log(JSON.stringify(await planCalls()))`

/** How often one plan calls each function that says what the facts mean, counted in a process of its own. */
function planCalls(): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const { NODE_V8_COVERAGE: _, ...env } = process.env // the count would end the count of the coverage
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], { env, encoding: 'utf8' }))
}

describe('a plan', () => {
  it('hashes its run once, and derives its state for the stored revision and for the wanted one', () => {
    const counts = Object.entries(planCalls())
    expect(counts.map(([name]) => name)).to.deep.equal(['paused canary', 'blue-green in its preview'])
    for (const [name, calls] of counts) {
      expect(calls.runHash, `${name}: runHash`).to.equal(1)
      expect(calls.runState, `${name}: runState`).to.be.within(1, 2)
    }
  })
})
