import { expect } from 'chai'
import { KubeError } from '../../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../../common/kube/client/request.ts'
import { RESOURCES, resourcePath } from '../../../../common/kube/client/resources.ts'
import { json, type Respond, reset, type ServedClient, serveClient, silence } from '../../../fakes/wire.ts'
import { VirtualTime } from '../../../virtual-time.ts'

const PATH = resourcePath(RESOURCES.Deployment, { namespace: 'shop', name: 'cart' })
const CART = { kind: 'Deployment', metadata: { name: 'cart' } }
const GET: KubeRequest = { verb: 'get', path: PATH, expects: 'Deployment' }

const failure = async (promise: Promise<unknown>): Promise<KubeError> => {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  )
  if (error instanceof KubeError) return error
  throw error
}

describe('KubeClient.request', () => {
  let here: ServedClient | undefined
  const serving = async (answers: readonly Respond[], timers?: VirtualTime): Promise<ServedClient> => {
    here = await serveClient(answers, timers)
    return here
  }
  afterEach(async () => {
    await here?.close()
    here = undefined
  })

  it('sends path, query, token and user agent, and returns the parsed JSON', async () => {
    const { client, seen, headers } = await serving([json(200, CART)])
    expect(
      await client.request({ ...GET, query: { limit: 5, labelSelector: 'a=b,c', absent: undefined } }),
    ).to.deep.equal(CART)
    expect(seen[0]).to.deep.include({ line: `GET /root${PATH}?limit=5&labelSelector=a%3Db%2Cc`, token: 'Bearer first' })
    expect(headers[0]).to.deep.include({ 'user-agent': 'test/1', accept: 'application/json' })
  })

  it('sends an apply as JSON with the content type of an apply', async () => {
    const { client, seen, headers } = await serving([json(200, CART)])
    await client.request({ verb: 'apply', path: PATH, body: { a: 1 } })
    expect(seen[0]).to.deep.include({ line: `PATCH /root${PATH}`, body: '{"a":1}' })
    expect(headers[0]).to.deep.include({ 'content-type': 'application/apply-patch+yaml' })
  })

  it('reports each request that it sends, with its resource and the status of the answer', async () => {
    const { client, sent } = await serving([json(503, { kind: 'Status' }), json(200, CART), reset])
    await client.request(GET)
    await failure(client.request({ verb: 'create', path: PATH, body: {} }))
    await failure(client.request({ verb: 'create', path: '/openapi/v3', body: {} }))
    expect(sent.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`)).to.deep.equal([
      'get deployments 503',
      'get deployments 200',
      'create deployments error',
      'create none error',
    ])
    for (const { seconds } of sent) expect(seconds).to.be.at.least(0).and.below(60)
    expect(sent.map(({ isFromApiServer }) => isFromApiServer)).to.deep.equal([true, true, false, false])
  })

  it('reports that something in front of the API server answered', async () => {
    const page: Respond = (_, response) => void response.writeHead(200).end('<html>maintenance</html>')
    const other = json(200, { kind: 'Gateway' })
    const { client, sent } = await serving([page, other, json(404, { message: 'no route' })])
    const write = { verb: 'create', path: PATH, body: {}, expects: 'Deployment' } as const
    for (let each = 0; each < 3; each += 1) await failure(client.request(write)) // is not repeated
    expect(sent.slice(0, 3).map(({ isFromApiServer }) => isFromApiServer)).to.deep.equal([false, false, false])
  })

  it('reuses connections', async () => {
    const served = await serving([json(200, CART)])
    for (let i = 0; i < 20; i++) await served.client.request(GET)
    // the second request may leave a moment before the first one's connection is free
    expect(served.connections).to.be.at.most(2)
  })

  it('throws a KubeError with its kind and the request', async () => {
    const { client } = await serving([json(409, { kind: 'Status', reason: 'AlreadyExists', message: 'taken' })])
    const error = await failure(client.request({ verb: 'create', path: PATH, body: {} }))
    expect(error).to.deep.include({ kind: 'alreadyExists', status: 409, message: 'taken', attempted: `create ${PATH}` })
  })

  for (const [what, answer] of Object.entries<Respond>({
    'HTML with 200': (_, response) => void response.end('<html>hello</html>'),
    'another kind': json(200, { kind: 'Service' }),
    'JSON that ends early': (_, response) => void response.end('{"kind": "Deployment", "meta'),
    'a body shorter than its content-length': (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{')
      response.destroy()
    },
  }))
    it(`does not accept ${what} as a response`, async () => {
      const { client, seen } = await serving([answer])
      expect((await failure(client.request(GET))).kind).to.equal('unreachable')
      expect(seen).to.have.length(3)
    })

  const unavailable = json(503, { kind: 'Status' })
  const busy = json(429, { kind: 'Status' }, { 'retry-after': '1' })
  const veryBusy = json(429, { kind: 'Status' }, { 'retry-after': '3' })
  const repeats: Record<string, { request: KubeRequest; answer: Respond; tries: number }> = {
    'repeats a get that was reset': { request: GET, answer: reset, tries: 3 },
    'repeats a list that was reset': { request: { ...GET, verb: 'list' }, answer: reset, tries: 3 },
    'repeats an apply that was reset': { request: { verb: 'apply', path: PATH, body: {} }, answer: reset, tries: 3 },
    'repeats a get after 503': { request: GET, answer: unavailable, tries: 3 },
    'repeats a delete by uid': {
      request: { verb: 'delete', path: PATH, body: { preconditions: { uid: 'u' } } },
      answer: reset,
      tries: 3,
    },
    'does not repeat a delete without a uid': { request: { verb: 'delete', path: PATH }, answer: reset, tries: 1 },
    'does not repeat a create': { request: { verb: 'create', path: PATH, body: {} }, answer: reset, tries: 1 },
    'does not repeat a patch': { request: { verb: 'patch', path: PATH, body: {} }, answer: unavailable, tries: 1 },
    'does not repeat a get after 500': {
      request: GET,
      answer: json(500, { kind: 'Status', reason: 'InternalError' }),
      tries: 1,
    },
    'does not repeat a get that must wait for more than 2 s': { request: GET, answer: veryBusy, tries: 1 },
    'repeats a create that was throttled with a short wait': {
      request: { verb: 'create', path: PATH, body: {} },
      answer: busy,
      tries: 3,
    },
  }
  for (const [what, { request, answer, tries }] of Object.entries(repeats))
    it(what, async () => {
      const time = new VirtualTime()
      const { client, seen } = await serving([answer], time)
      const outcome = failure(client.request(request))
      let isOver = false
      void outcome.then(() => {
        isOver = true
      })
      while (!isOver) await time.pass(100) // real exchanges, virtual waits
      expect(seen).to.have.length(tries)
    })

  it('does not repeat a get that was reset if one try is all that it has', async () => {
    here = await serveClient([reset], undefined, { maxTries: 1 })
    await failure(here.client.request(GET))
    expect(here.seen).to.have.length(1)
  })

  it('reads the kubeconfig again after 401, once', async () => {
    const refused = json(401, { kind: 'Status' })
    const served = await serving([json(200, CART), refused, json(200, CART), refused])
    await served.client.request(GET)
    served.writeToken('second')
    await served.client.request(GET)
    expect(served.seen.map(({ token }) => token)).to.deep.equal(['Bearer first', 'Bearer first', 'Bearer second'])
    expect((await failure(served.client.request({ ...GET, verb: 'create', body: {} }))).kind).to.equal('unreachable')
    expect(served.seen).to.have.length(5)
  })

  it('ends a request at its deadline and says so', async () => {
    const { client } = await serving([silence])
    const error = await failure(client.request({ ...GET, deadlineMs: 20 }))
    expect(error).to.deep.include({ kind: 'unreachable', message: 'timed out after 20 ms' })
  })

  it('R14: ends a write at its deadline, which is no sign that the API server cannot be reached', async () => {
    const { client } = await serving([silence])
    const error = await failure(client.request({ ...GET, verb: 'apply', body: {}, deadlineMs: 20 }))
    expect(error).to.deep.include({ kind: 'timeout', message: 'timed out after 20 ms' })
  })

  it('ends an aborted request and does not repeat it', async () => {
    const caller = new AbortController()
    const { client, seen } = await serving([() => caller.abort(new Error('enough'))])
    const error = await failure(client.request({ ...GET, signal: caller.signal }))
    expect(error).to.deep.include({ kind: 'unreachable', message: 'enough' })
    expect(seen).to.have.length(1)
  })

  it('does not read a response that is too long, and does not repeat the request', async () => {
    const { client, seen } = await serving([json(200, { ...CART, padding: 'é'.repeat(100_000) })])
    const error = await failure(client.request({ ...GET, maxBytes: 200_000 }))
    expect(error).to.deep.include({ kind: 'invalid', message: 'the response is longer than 200000 bytes' })
    expect(seen).to.have.length(1)
    expect(await client.request({ ...GET, maxBytes: 200_200 })).to.have.property('padding')
  })

  it('sends no request with a body that cannot be written as JSON', async () => {
    const { client, seen } = await serving([json(200, CART)])
    const body = { bytes: 1n }
    expect((await failure(client.request({ verb: 'apply', path: PATH, body }))).kind).to.equal('invalid')
    expect(seen).to.have.length(0)
  })

  describe('after 404 without a Status', () => {
    const ROLLOUTS: KubeRequest = { verb: 'list', path: '/apis/argoproj.io/v1alpha1/rollouts' }
    const groups = (...groups: string[]) => ({
      kind: 'APIGroupList',
      groups: groups.map((name) => ({ name, versions: [{ version: 'v1alpha1' }] })),
    })
    const cases: Record<string, { discovery: readonly object[]; kind: string }> = {
      'throws kindAbsent if the group is not listed': { discovery: [groups('apps')], kind: 'kindAbsent' },
      'throws kindAbsent if the group does not list the kind': {
        discovery: [groups('argoproj.io'), { kind: 'APIResourceList', resources: [{ name: 'workflows' }] }],
        kind: 'kindAbsent',
      },
      'throws unreachable if the kind is listed': {
        discovery: [groups('argoproj.io'), { kind: 'APIResourceList', resources: [{ name: 'rollouts' }] }],
        kind: 'unreachable',
      },
      'throws unreachable if there is no list': { discovery: [{ hello: 'world' }], kind: 'unreachable' },
    }
    for (const [what, { discovery, kind }] of Object.entries(cases))
      it(what, async () => {
        const absent: Respond = (_, response) => void response.writeHead(404).end('404 page not found')
        const { client } = await serving([absent, ...discovery.map((body) => json(200, body))])
        expect((await failure(client.request(ROLLOUTS))).kind).to.equal(kind)
      })
  })
})
