import { expect } from 'chai'
import { cpuMsIn, inMB, memoryIn, usageOf } from './process-usage.ts'

describe('the usage of a process', () => {
  it('adds the time of user and system, whatever the program is called', () => {
    const stat = '42 (a (b) c) S 1 42 42 0 -1 4194560 900 0 0 0 150 25 7 8 20 0 11 0 100 1000 200'
    expect(cpuMsIn(stat)).to.equal(1_750)
  })

  it('reads the present and the highest memory in MiB', () => {
    const status = 'Name:\tnode\nVmPeak:\t 9999999 kB\nVmHWM:\t  262144 kB\nVmRSS:\t  131072 kB\nVmData:\t 1 kB\n'
    expect(memoryIn(status)).to.deep.equal({ residentMiB: 128, peakMiB: 256 })
  })

  it('is millions of bytes in MB', () => expect(inMB(256)).to.be.closeTo(268.44, 0.01))

  it('reads that of a real process', async () => {
    const { cpuMs, residentMiB, peakMiB } = await usageOf(process.pid)
    expect(cpuMs).to.be.above(0)
    expect(residentMiB).to.be.above(1)
    expect(peakMiB).to.be.at.least(residentMiB)
  })
})
