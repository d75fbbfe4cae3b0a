import { expect } from 'chai'
import { headerProblem, headersFor } from '../../../../controller/analysis/http/headers.ts'

const PROBLEMS: readonly (readonly [name: string, value: string, problem: string])[] = [
  ...[
    'Host',
    'Authorization',
    'API-Key',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Cookie',
    'Accept-Encoding',
    'TE',
    'Upgrade',
  ].map((name) => [name, 'x', `the provider must not set the header ${name}`] as const),
  ['hOST', 'x', 'the provider must not set the header Host'],
  ['', 'x', 'a header of the provider has an invalid name'],
  ['X Y', 'x', 'a header of the provider has an invalid name'],
  ['Host ', 'x', 'a header of the provider has an invalid name'],
  ['Host:', 'x', 'a header of the provider has an invalid name'],
  ['X\r\nHost', 'x', 'a header of the provider has an invalid name'],
  ['Ü', 'x', 'a header of the provider has an invalid name'],
  ['X', 'a\r\nHost: b', 'a header of the provider has an invalid value'],
  ['X', 'a\nb', 'a header of the provider has an invalid value'],
  ['X', 'a\0b', 'a header of the provider has an invalid value'],
  ['X', 'ü', 'a header of the provider has an invalid value'],
]

describe('headerProblem', () => {
  for (const [name, value, problem] of PROBLEMS)
    it(`finds ${JSON.stringify(`${name}: ${value}`)}`, () =>
      expect(headerProblem({ 'X-A': '1', [name]: value })).to.equal(problem))

  it('finds none in other headers', () =>
    expect(headerProblem({ 'X-Scope-OrgID': 'shop', 'x-empty': '', 'X-Tab': 'a\tb~' })).to.equal(undefined))
})

describe('headersFor', () => {
  const provider = { type: 'Prometheus', headers: { 'X-Scope-OrgID': 'shop' } } as const
  const OURS = {
    'X-Scope-OrgID': 'shop',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'test/1',
  }

  it('asks for JSON without compression', () =>
    expect(headersFor({}, { provider, credential: undefined, userAgent: 'test/1' })).to.deep.equal(OURS))

  it('says what the body is, and who asks', () => {
    const body = { type: 'application/json', text: '{}' } as const
    expect(headersFor({ body }, { provider, credential: 'secret', userAgent: 'test/1' })).to.deep.equal({
      ...OURS,
      'content-type': 'application/json',
      authorization: 'Bearer secret',
    })
  })

  it('sends the key of New Relic in its own header', () => {
    const sender = { provider: { type: 'NewRelic' }, credential: 'NRAK', userAgent: 'test/1' } as const
    expect(headersFor({}, sender)).to.include({ 'api-key': 'NRAK' }).and.not.have.property('authorization')
  })
})
