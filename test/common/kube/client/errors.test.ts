import { expect } from 'chai'
import type { KubeErrorKind } from '../../../../common/api/failure.ts'
import { factsOf, isTransient, KubeError, levelOf } from '../../../../common/kube/client/errors.ts'

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

describe('levelOf', () => {
  const level = (failure: Partial<ConstructorParameters<typeof KubeError>[0]>, failures = 1) =>
    levelOf(new KubeError({ kind: 'conflict', message: '', ...failure }), failures, 'warn')

  it('N49: is debug for a lost race, and else the given one', () => {
    expect(level({ kind: 'notFound' })).to.equal('debug')
    expect(level({ kind: 'alreadyExists' })).to.equal('debug')
    expect(level({ conflictOver: 'object' })).to.equal('debug')
    expect(level({ conflictOver: 'fields' })).to.equal('warn')
    expect(level({ kind: 'server' })).to.equal('warn')
    expect(levelOf(new Error('a bug'), 1, 'error')).to.equal('error')
  })

  it('N49: is the given one where races are lost again and again', () =>
    expect([1, 3, 4].map((failures) => level({ kind: 'notFound' }, failures))).to.deep.equal([
      'debug',
      'debug',
      'warn',
    ]))
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
