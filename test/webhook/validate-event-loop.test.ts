import { expect } from 'chai'
import { run } from '../../sandbox/run.ts'
import type { Measured } from './event-loop.ts'

const PARSES = 3

/** Runs in a separate process without coverage, because coverage slows down our code far more than a parse. */
async function measured(): Promise<readonly Measured[]> {
  const env = { ...process.env, NODE_V8_COVERAGE: '' } // otherwise the child process would inherit it
  const { code, stdout, stderr } = await run(process.execPath, ['test/webhook/event-loop.ts', `${PARSES}`], { env })
  expect(code, stderr).to.equal(0)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('the event loop', () => {
  it('is not blocked by any body for longer than three plain parses of the largest', async () => {
    const found = await measured()
    expect(found).to.have.length.of.at.least(9)
    for (const { what, bytes, oursMs, plainMs } of found) {
      const told = `${what}: ${bytes} bytes, ${oursMs.toFixed(1)} ms beside ${plainMs.toFixed(1)}`
      expect(oursMs / plainMs, told).to.be.below(PARSES)
    }
  })
})
