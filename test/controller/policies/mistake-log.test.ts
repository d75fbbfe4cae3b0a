import { expect } from 'chai'
import type { Log } from '../../../common/program/log.ts'
import { MistakeLog } from '../../../controller/policies/mistake-log.ts'
import { aPolicy } from '../../builders.ts'

describe('the log of mistakes in policies', () => {
  function aMistakeLog() {
    const lines: unknown[] = []
    const messages = new Map<string, string>()
    const policies = { list: () => [...messages.keys()].map((name) => aPolicy({ name })) }
    const conditionOf = ({ metadata: { name } }: ReturnType<typeof aPolicy>) => {
      const message = messages.get(name) ?? ''
      return { type: 'Valid', status: message === '' ? 'True' : 'False', reason: 'NeverMatches', message } as never
    }
    const log = { warn: (of: object) => lines.push(of) } as unknown as Log
    return { lines, messages, mistakes: new MistakeLog({ policies, validity: { conditionOf }, log }) }
  }

  it('has each mistake once, and again when it has changed', () => {
    const { lines, messages, mistakes } = aMistakeLog()
    messages.set('strict', 'one').set('right', '')
    mistakes.look()
    expect(lines, 'before the start').to.deep.equal([])
    mistakes.start()
    mistakes.look()
    messages.set('strict', 'two')
    mistakes.look()
    expect(lines).to.deep.equal([
      { policy: 'strict', mistakes: 'one' },
      { policy: 'strict', mistakes: 'two' },
    ])
  })

  it('has a mistake again that was corrected and came back, and forgets policies that are gone', () => {
    const { lines, messages, mistakes } = aMistakeLog()
    messages.set('strict', 'one')
    mistakes.start()
    messages.delete('strict')
    mistakes.look()
    messages.set('strict', 'one')
    mistakes.look()
    expect(lines).to.have.length(2)
  })
})
