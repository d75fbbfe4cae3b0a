import { expect } from 'chai'
import { parse } from 'yaml'
import { documentOf } from '../../../cli/render/document.ts'

describe('a document', () => {
  const value = { a: 'x\u202e\u0085\u001b[2J', 'k\u200b': ['line\nline', 1, null] }
  for (const [form, read] of [
    ['json', (document: string): unknown => JSON.parse(document)],
    ['yaml', (document: string): unknown => parse(document)],
  ] as const)
    it(`says the same as ${form}, without invisible characters`, async () => {
      const document = await documentOf(value, form)
      expect(document.replaceAll('\n', '')).to.not.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(read(document)).to.deep.equal(value)
    })

  it('is read alike by kubectl, which has YAML 1.1', async () => {
    const words = { values: ['on', 'yes', 'n', '0o7', '1_000', '2026-11-28', '1:30', '~', '='] }
    expect(parse(await documentOf(words, 'yaml'), { version: '1.1' })).to.deep.equal(words)
  })
})
