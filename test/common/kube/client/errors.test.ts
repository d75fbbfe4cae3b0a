import { expect } from 'chai'
import type { KubeErrorKind } from '../../../../common/api/failure.ts'
import { factsOf, isTransient, KubeError } from '../../../../common/kube/client/errors.ts'

describe('KubeError', () => {
  it('carries what is known of the failure', () => {
    const cause = new Error('reset')
    const error = new KubeError({ kind: 'unreachable', message: 'reset', attempted: 'get /api' }, { cause })
    expect(error).to.include({ kind: 'unreachable', message: 'reset', attempted: 'get /api', cause, name: 'KubeError' })
    expect(error.status).to.equal(undefined)
  })
})

describe('isTransient', () => {
  const kinds: Record<KubeErrorKind, boolean> = {
    throttled: true,
    server: true,
    timeout: true,
    unreachable: true,
    notFound: false,
    kindAbsent: false,
    conflict: false,
    alreadyExists: false,
    gone: false,
    forbidden: false,
    terminating: false,
    invalid: false,
    unread: false,
  }
  for (const [kind, expected] of Object.entries(kinds) as [KubeErrorKind, boolean][])
    it(`is ${expected} for ${kind}`, () => expect(isTransient(new KubeError({ kind, message: '' }))).to.equal(expected))
})

describe('factsOf', () => {
  const factsAbout = (failure: Partial<ConstructorParameters<typeof KubeError>[0]>) =>
    factsOf(new KubeError({ kind: 'conflict', message: 'the words of the API server', ...failure })).error

  it('has kind, status, reason, request and message of a KubeError', () => {
    expect(factsAbout({ status: 409, reason: 'Conflict', attempted: 'apply /x' })).to.deep.equal({
      kind: 'conflict',
      status: 409,
      reason: 'Conflict',
      attempted: 'apply /x',
      message: 'the words of the API server',
    })
  })

  it('leaves out messages that may quote values of the object', () => {
    expect(factsAbout({ kind: 'invalid' })).not.to.have.property('message')
    expect(factsAbout({ kind: 'forbidden', forbiddenBy: 'admission' })).not.to.have.property('message')
  })

  it('keeps the message about missing rights', () =>
    expect(factsAbout({ kind: 'forbidden', forbiddenBy: 'rights' })).to.have.property('message'))

  it('has name and stack of other errors', () => {
    const error = new TypeError('of mine')
    expect(factsOf(error)).to.deep.equal({ error: { kind: 'TypeError', stack: error.stack } })
  })

  it('has only the type of a value that is no error', () =>
    expect(factsOf('secret')).to.deep.equal({ error: { kind: 'string' } }))
})
