import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { answerTo } from '../../../cli/process/ask.ts'

/** Somebody at a terminal, and all that was written to it. */
function aPerson() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const interrupt = new AbortController()
  return {
    input,
    interrupt,
    answer: answerTo('Continue? [y/N] ', { input, output, signal: interrupt.signal }),
    written: () => `${output.read() ?? ''}`,
  }
}

describe('a question to a person', () => {
  it('is answered by one line', async () => {
    const { input, answer, written } = aPerson()
    input.write('y\nn\n')
    expect(await answer).to.equal('y')
    expect(written()).to.equal('Continue? [y/N] ')
  })

  it('has an empty answer if the input ends, as at Ctrl-D', async () => {
    const { input, answer, written } = aPerson()
    input.end()
    expect(await answer).to.equal('')
    expect(written()).to.equal('Continue? [y/N] \n')
  })

  it('ends at Ctrl-C', async () => {
    const { answer, interrupt } = aPerson()
    interrupt.abort(new Error('interrupted'))
    expect(await answer.catch((error: unknown) => error)).to.have.property('name', 'AbortError')
  })
})
