import '../../../property.ts'
import { expect } from 'chai'
import fc from 'fast-check'
import { errors } from 'undici'
import { RequestRefused, safeErrorText } from '../../../../controller/analysis/http/failures.ts'

const errorWith = (code: string) => Object.assign(new Error(`connect ${code} 10.1.2.3:9090 secret`), { code })

describe('wordsFor', () => {
  for (const [code, words] of Object.entries({
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection closed',
    ENOTFOUND: 'name not found',
    EAI_AGAIN: 'no answer from DNS',
    CERT_HAS_EXPIRED: 'certificate expired',
    CERT_UNTRUSTED: 'certificate not trusted',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate not trusted',
    SELF_SIGNED_CERT_IN_CHAIN: 'certificate not trusted',
    ERR_TLS_CERT_ALTNAME_INVALID: 'certificate of another name',
    ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS connection',
    UND_ERR_HEADERS_OVERFLOW: 'headers too long',
    toString: 'request failed',
    EUNKNOWN: 'request failed',
  }))
    it(`says "${words}" for ${code}`, () => expect(safeErrorText(errorWith(code))).to.equal(words))

  it('takes the first error of several addresses', () =>
    expect(safeErrorText(new AggregateError([errorWith('ECONNREFUSED'), errorWith('ETIMEDOUT')]))).to.equal(
      'connection refused',
    ))

  it('says that the parser of HTTP found none', () =>
    expect(safeErrorText(new errors.HTTPParserError('secret'))).to.equal('answer is not HTTP'))

  it('says what we refused in our words', () =>
    expect(safeErrorText(new RequestRefused('address not allowed'))).to.equal('address not allowed'))

  for (const thrown of [undefined, null, 'secret', new Error('secret'), { code: 7 }, new AggregateError([], 'secret')])
    it(`says nothing of ${String(thrown)}`, () => expect(safeErrorText(thrown)).to.equal('request failed'))

  it('never tells the message of an error', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (code) => {
        expect(safeErrorText(Object.assign(new Error('~secret~'), { code: `${code}~secret~` }))).not.to.include('~')
      }),
    )
  })
})
