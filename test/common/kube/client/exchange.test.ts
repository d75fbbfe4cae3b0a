import { expect } from 'chai'
import type { Dispatcher } from 'undici'
import type { ApiServerAccess } from '../../../../common/kube/client/access.ts'
import { Exchange } from '../../../../common/kube/client/exchange.ts'
import type { Call } from '../../../../common/kube/client/request.ts'
import { turn } from '../../../virtual-time.ts'

const CALL: Call = { method: 'GET', path: '/api?limit=5', headers: { accept: 'application/json' } }
const { signal } = new AbortController()

/** An exchange over connections that answer with these statuses, or throw these errors, one for each call in turn. */
function world(...answers: readonly (number | Error)[]) {
  return worldWith(() => undefined, answers)
}

/** The same, where `login` says what people wait for. */
function worldWith(login: () => Promise<unknown> | undefined, answers: readonly (number | Error)[] = []) {
  const sent: Dispatcher.RequestOptions[] = []
  const diary: string[] = []
  const dispatcher = {
    compose: () => dispatcher,
    request: async (options: Dispatcher.RequestOptions) => {
      const answer = answers[sent.push(options) - 1] ?? 200
      if (answer instanceof Error) throw answer
      return { statusCode: answer, body: { dump: async () => void diary.push('dump') } }
    },
  } as unknown as Dispatcher
  const access = (): Promise<ApiServerAccess> =>
    Promise.resolve({
      origin: 'https://10.0.0.1:6443',
      prefix: '/root',
      headers: { authorization: `Bearer ${diary.includes('reload') ? 'second' : 'first'}` },
      dispatcher,
    })
  const note = (what: string) => () => void diary.push(what)
  const exchange = new Exchange({ access, login, reload: note('reload'), drop: note('drop') }, 'test/1')
  return { exchange, sent, diary }
}

describe('Exchange', () => {
  it('sends a call with path prefix, token and user agent', async () => {
    const { exchange, sent } = world()
    const { statusCode } = await exchange.send(CALL, signal)
    expect(statusCode).to.equal(200)
    expect(sent).to.deep.equal([
      {
        origin: 'https://10.0.0.1:6443',
        path: '/root/api?limit=5',
        method: 'GET',
        headers: { authorization: 'Bearer first', accept: 'application/json', 'user-agent': 'test/1' },
        body: null,
        signal,
      },
    ])
  })

  it('returns any status but 401 as it is', async () => {
    const { exchange, diary } = world(500)
    expect([(await exchange.send(CALL, signal)).statusCode, diary]).to.deep.equal([500, []])
  })

  it('sends a call again after 401, with new credentials, and only once', async () => {
    const { exchange, sent, diary } = world(401, 401)
    expect((await exchange.send(CALL, signal)).statusCode).to.equal(401)
    expect(sent.map(({ headers }) => (headers as Record<string, string>).authorization)).to.deep.equal([
      'Bearer first',
      'Bearer second',
    ])
    expect(diary).to.deep.equal(['dump', 'reload'])
  })

  const errors: Record<string, readonly [code: string, diary: readonly string[]]> = {
    'drops the credentials when certificates do not fit': ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ['drop']],
    'drops the credentials when the server demands a certificate': [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      ['drop'],
    ],
    'keeps the credentials when a connection was reset': ['ECONNRESET', []],
  }
  for (const [sentence, [code, expected]] of Object.entries(errors))
    it(`${sentence}, and throws the error`, async () => {
      const error = Object.assign(new Error('broken'), { code })
      const { exchange, diary } = world(error)
      expect(await exchange.send(CALL, signal).catch((thrown: unknown) => thrown)).to.equal(error)
      expect(diary).to.deep.equal(expected)
    })

  it('waits until people have logged in, and that is no part of the time for the call', async () => {
    const login = Promise.withResolvers<void>()
    const logins = [login.promise]
    const { exchange, sent, diary } = worldWith(() => logins.shift())
    const limit = { lift: () => void diary.push('lift'), restart: () => void diary.push('restart') }
    const sending = exchange.send(CALL, signal, limit)
    await turn()
    expect([sent.length, diary]).to.deep.equal([0, ['lift']])
    login.resolve()
    await sending
    expect([sent.length, diary]).to.deep.equal([1, ['lift', 'restart']])
  })

  it('ends the wait for a login when the caller does not want the answer any more', async () => {
    const caller = new AbortController()
    const { exchange, sent } = worldWith(() => new Promise(() => undefined))
    const sending = exchange.send(CALL, caller.signal).catch((error: unknown) => error)
    const reason = new Error('not wanted')
    caller.abort(reason)
    expect(await sending).to.equal(reason)
    expect(sent).to.deep.equal([])
  })

  it('lets people log in again after 401', async () => {
    const logins = [undefined, Promise.resolve()]
    const { exchange, sent, diary } = worldWith(() => logins.shift(), [401])
    const limit = { lift: () => void diary.push('lift'), restart: () => void diary.push('restart') }
    await exchange.send(CALL, signal, limit)
    expect([sent.length, diary]).to.deep.equal([2, ['dump', 'reload', 'lift', 'restart']])
  })
})
