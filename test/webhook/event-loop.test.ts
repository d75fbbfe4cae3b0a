import { expect } from 'chai'
import { run } from '../../sandbox/run.ts'
import type { Measured } from './event-loop.ts'

const PARSES = 3

/** In a process of its own, as it is deployed: to count what is covered by tests costs our code far more than a parse. */
async function measured(): Promise<readonly Measured[]> {
  const env = { ...process.env, NODE_V8_COVERAGE: '' } // Node hands it on to whom it is not denied
  const { code, stdout, stderr } = await run(process.execPath, ['test/webhook/event-loop.ts', `${PARSES}`], { env })
  expect(code, stderr).to.equal(0)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('the event loop', () => {
  it('is held up by no body longer than by three plain parses of the largest', async () => {
    const found = await measured()
    expect(found).to.have.length.of.at.least(9)
    for (const { what, bytes, oursMs, plainMs } of found) {
      const told = `${what}: ${bytes} bytes, ${oursMs.toFixed(1)} ms beside ${plainMs.toFixed(1)}`
      expect(oursMs / plainMs, told).to.be.below(PARSES)
    }
  })
})
