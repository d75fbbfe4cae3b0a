import { expect } from 'chai'
import { linesOf } from '../../../cli/process/explain.ts'
import { misuse, Stop } from '../../../cli/process/stop.ts'

describe('the end of a command', () => {
  it('keeps its cause for whoever looks for a bug, and prints it to nobody', () => {
    const cause = new Error('a secret')
    const stop = new Stop(1, 'it is taken', 'Choose another.', { cause, causes: ['one', 'two'] })
    expect(stop.cause).to.equal(cause)
    expect(linesOf(stop)).to.equal('error: it is taken\n  one\n  two\nChoose another.\n')
  })

  it('is 2 for a wrong use, which it names', () =>
    expect(misuse('--ttl 5', 'no duration', 'Write 5m.')).to.include({ exitCode: 2, message: '--ttl 5: no duration' }))

  it('prints no character by which an argument could mislead', () => {
    const lines = linesOf(misuse('--for \u001b]0;x\u0007', 'no goal', 'Choose\u202e one.'))
    expect(lines).to.equal('error: --for \\u001b]0;x\\u0007: no goal\nChoose\\u202e one.\n')
  })
})
