import { expect } from 'chai'
import { jsonLog, shouldLogRepetition } from '../../../common/program/log.ts'

describe('jsonLog', () => {
  it('writes one object per line, with level, time, text and all facts', () => {
    const lines: string[] = []
    const log = jsonLog({ destination: { write: (line) => lines.push(line) }, facts: { program: 'controller' } })
    log.with({ key: 'shop/cart' }).warn({ reason: 'SourceNotFound' }, 'reconciled')
    log.debug({}, 'unseen')
    expect(lines).to.have.length(1)
    const { time, ...rest } = JSON.parse(lines[0] ?? '')
    expect(time).to.match(/^\d{4}-\d\d-\d\dT/)
    expect(rest).to.deep.equal({
      level: 'warn',
      program: 'controller',
      key: 'shop/cart',
      reason: 'SourceNotFound',
      msg: 'reconciled',
    })
    expect(lines[0]).to.match(/\n$/)
  })

  it('S14: escapes format characters, which a terminal would obey, and keeps their meaning', () => {
    const lines: string[] = []
    const log = jsonLog({ destination: { write: (line) => lines.push(line) } })
    log.info({ name: 'a\u202eb\u{e0041}\n' }, 'reconciled')
    expect(lines[0]).to.contain('"a\\u202eb\\udb40\\udc41\\n"')
    expect(JSON.parse(lines[0] ?? '').name).to.equal('a\u202eb\u{e0041}\n')
  })
})

describe('shouldLogRepetition', () => {
  it('is true for powers of two', () => {
    const logged = Array.from({ length: 20 }, (_, times) => times).filter(shouldLogRepetition)
    expect(logged).to.deep.equal([1, 2, 4, 8, 16])
  })
})
