import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { processorMs, timesTable } from './times.ts'

/** Uses 0.3 s of a processor, however long that takes. */
const BUSY = 'while (process.cpuUsage().user < 3e5); console.log("done"); setTimeout(() => {}, 60_000)'

describe('times of tests', () => {
  it('have the time of a processor of the programs that a test has started', async () => {
    const before = processorMs()
    const child = spawn(process.execPath, ['--eval', BUSY], { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(child.stdout, 'data')
    expect(processorMs() - before).to.be.above(200)
    child.kill()
    await once(child, 'close')
    expect(processorMs() - before, 'after its end').to.be.above(200)
  })

  it('are listed by suite, and by file for the slowest', () => {
    const file = (name: string, wallMs: number) => ({ part: 'strategies/a', file: name, wallMs, processorMs: 1_000 })
    const files = Array.from({ length: 25 }, (_, index) => file(`f${index}`, index * 1_000))
    const lines = timesTable([...files, { ...file('m', 1), part: 'in memory' }]).split('\n')
    expect(lines.slice(0, 4).map((line) => line.trim().split(/\s{2,}/))).to.deep.equal([
      ['by the clock', 'of a processor'],
      ['300.0 s', '25.0 s', 'strategies'],
      ['0.0 s', '1.0 s', 'in memory'],
      ['24.0 s', '1.0 s', 'f24'],
    ])
    expect(lines).to.have.length(3 + 20)
  })
})
