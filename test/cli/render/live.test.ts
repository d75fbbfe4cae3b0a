import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { live } from '../../../cli/render/live.ts'
import { VirtualTime } from '../../virtual-time.ts'

const style = { hasColour: false, isPlain: false }

/** A terminal of four rows, and all that was written to it. */
function aTerminal() {
  const terminal = Object.assign(new PassThrough(), { columns: 20, rows: 4 })
  let written = ''
  terminal.on('data', (chunk: Buffer) => {
    written += chunk.toString()
  })
  return { terminal, written: () => written }
}

describe('what is painted again in place', () => {
  it('is painted four times a second at most, and again each second', async () => {
    const timers = new VirtualTime()
    const { terminal } = aTerminal()
    const painted: string[] = []
    const screen = live({ terminal, timers, style })
    const show = (name: string) =>
      screen.show(() => {
        painted.push(`${name} at ${timers.now()}`)
        return [name]
      })
    show('a')
    await timers.pass(0)
    show('b')
    await timers.pass(100)
    show('c')
    await timers.pass(2_000)
    screen.end()
    await timers.pass(5_000)
    expect(painted).to.deep.equal(['a at 0', 'c at 250', 'c at 1250', 'c at 2100'])
  })

  it('leaves the last frame and the cursor there, cut at its end', async () => {
    const timers = new VirtualTime()
    const { terminal, written } = aTerminal()
    const screen = live({ terminal, timers, style })
    screen.show((width) => [`${width} columns`, 'two', 'three', 'four', 'five'])
    await timers.pass(0)
    screen.end()
    await new Promise((resolve) => setImmediate(resolve))
    expect(stripVTControlCharacters(written())).to.contain('20 columns\ntwo\n… 3 more lines\n')
  })
})
