import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { terminalOf } from '../../../cli/process/terminal.ts'

const stdout = (of: object) => Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24, ...of })

describe('standard output', () => {
  it('can be painted again if it is a terminal', () => {
    const terminal = stdout({})
    expect(terminalOf(terminal, { TERM: 'xterm' })).to.equal(terminal)
  })

  it('cannot if it is a pipe, a terminal that only prints, or one without a size', () => {
    expect(terminalOf(stdout({ isTTY: false }), {})).to.equal(undefined)
    expect(terminalOf(stdout({}), { TERM: 'dumb' })).to.equal(undefined)
    expect(terminalOf(stdout({ columns: 0, rows: 0 }), {})).to.equal(undefined)
  })
})
