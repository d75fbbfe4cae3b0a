import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { type KubeRequest, MAX_LIST_BYTES } from '../../../common/kube/client/request.ts'
import {
  bounded,
  DECISIVE_MS,
  listPages,
  listViews,
  READ_MS,
  type Reader,
  sharing,
  unlessOver,
  within,
} from '../../../webhook/reads/reader.ts'
import { aReader, failing } from '../../fakes/reader.ts'
import { turn } from '../../virtual-time.ts'
import { aService } from '../reviews.ts'

const PATH = '/api/v1/namespaces/shop/services'
const listing = (view: (object: KubeObject) => string | undefined = ({ metadata }) => metadata.name) => ({
  path: PATH,
  query: { labelSelector: 'app=cart' },
  view,
})

/** A reader that answers with `answers`, one after the other; with a diary of all requests. */
function answering(...answers: unknown[]) {
  const requests: KubeRequest[] = []
  const kube: Reader = {
    request: async (request) => {
      requests.push(request)
      return answers.shift()
    },
  }
  return { kube, requests }
}

describe('a list that a warning needs', () => {
  it('is read by its selector from the cache of the API server, which costs etcd nothing', async () => {
    const { kube, requests } = answering({ items: [] })
    await listViews(kube, listing())
    const query = { labelSelector: 'app=cart', resourceVersion: '0' }
    expect(requests).to.deep.equal([{ verb: 'list', path: PATH, query, deadlineMs: READ_MS }])
  })

  it('leaves out items that are no objects, and items that the view leaves out', async () => {
    const items = [null, 'x', {}, { metadata: {} }, { metadata: 'x' }, aService('cart'), aService('till')]
    const view = ({ metadata }: KubeObject) => (metadata.name === 'till' ? undefined : `${metadata.name}`)
    expect(await listViews(answering({ items }).kube, listing(view))).to.deep.equal(['cart'])
    expect(await listViews(answering({ items: 'x' }).kube, listing())).to.deep.equal([])
  })

  it('is unknown where it cannot be read, and throws an internal error', async () => {
    const { kube } = aReader([], { instead: { [PATH]: failing('forbidden') } })
    expect(await listViews(kube, listing())).to.equal(undefined)
    const bug = listViews(answering({ items: [aService()] }).kube, {
      ...listing(),
      view: () => {
        throw new TypeError('a bug')
      },
    })
    expect(await bug.catch((error: unknown) => error)).to.be.instanceOf(TypeError)
  })
})

describe('a list that is read page by page', () => {
  const { signal } = new AbortController()
  const paged = { ...listing(), limit: 2, maxBytes: 100, signal }

  it('goes on where the API server says that there is more', async () => {
    const { kube, requests } = answering(
      { items: [aService('a'), aService('b')], metadata: { continue: 'more' } },
      { items: [aService('c'), 'x'], metadata: { continue: '' } },
    )
    expect(await listPages(kube, paged)).to.deep.equal(['a', 'b', 'c'])
    const page = { verb: 'list', path: PATH, maxBytes: 100, signal }
    const query = { labelSelector: 'app=cart', limit: 2 }
    expect(requests).to.deep.equal([
      { ...page, query },
      { ...page, query: { ...query, continue: 'more' } },
    ])
  })

  it('ends where there is no continue token', async () => {
    const { kube, requests } = answering({ items: [aService('a')] })
    expect(await listPages(kube, paged)).to.deep.equal(['a'])
    expect(requests).to.have.length(1)
  })

  it('keeps a value of the view that is falsy', async () => {
    const { kube } = answering({ items: [aService('a'), aService('b')] })
    expect(await listPages(kube, { ...paged, view: ({ metadata }) => metadata.name === 'a' })).to.deep.equal([
      true,
      false,
    ])
  })
})

describe('the reads of a review', () => {
  const { signal } = new AbortController()
  const asked = async (limitMs: number, request: Partial<KubeRequest> = {}) => {
    const { kube, requests } = answering({})
    await within(kube, { limitMs, signal }).request({ verb: 'get', path: PATH, ...request })
    return requests[0]
  }

  it('end with the review, and each early enough for what depends on it', async () => {
    expect(await asked(4_500)).to.deep.equal({ verb: 'get', path: PATH, deadlineMs: READ_MS, signal })
    expect((await asked(1_500))?.deadlineMs).to.equal(750)
  })

  it('take the time that they ask for where a refusal depends on them', async () =>
    expect((await asked(4_500, { deadlineMs: DECISIVE_MS }))?.deadlineMs).to.equal(DECISIVE_MS))

  it('are limited in length where they are lists, and only there', async () => {
    const { kube, requests } = answering({}, {}, {})
    for (const request of [{ verb: 'list' }, { verb: 'list', maxBytes: 7 }, { verb: 'get' }] as const)
      await bounded(kube).request({ path: PATH, ...request })
    expect(requests.map(({ maxBytes }) => maxBytes)).to.deep.equal([MAX_LIST_BYTES, 7, undefined])
  })

  it('are at most eight lists at once; other reads do not wait', async () => {
    const { promise, resolve } = Promise.withResolvers<object>()
    const begun: string[] = []
    const kube = bounded({
      request: ({ verb }) => {
        begun.push(verb)
        return promise
      },
    })
    const all = Array.from({ length: 9 }, () => kube.request({ verb: 'list', path: PATH }))
    all.push(kube.request({ verb: 'get', path: PATH }))
    await turn()
    expect(begun.filter((verb) => verb === 'list')).to.have.length(8)
    expect(begun).to.include('get')
    resolve({})
    await Promise.all(all)
    expect(begun).to.have.length(10)
  })

  it('fail as unreachable where their turn does not come in time', async () => {
    const over = new AbortController()
    const { promise, resolve } = Promise.withResolvers<object>()
    const kube = bounded({ request: () => promise })
    const all = Array.from({ length: 8 }, () => kube.request({ verb: 'list', path: PATH }))
    const late = kube.request({ verb: 'list', path: PATH, signal: over.signal }).catch((error: unknown) => error)
    over.abort()
    expect(await late).to.deep.include({ name: 'KubeError', kind: 'unreachable' })
    resolve({})
    await Promise.all(all)
  })

  it('fail with the error of the API server, even if the review has ended meanwhile', async () => {
    const over = new AbortController()
    const kube = bounded({
      request: async () => {
        over.abort()
        return failing('invalid')()
      },
    })
    const outcome = await kube
      .request({ verb: 'list', path: PATH, signal: over.signal })
      .catch((error: unknown) => error)
    expect(outcome).to.deep.include({ name: 'KubeError', kind: 'invalid' })
  })

  it('throw an internal error as it is, even with a signal', async () => {
    const kube = bounded({ request: () => Promise.reject(new TypeError('a bug')) })
    const outcome = await kube.request({ verb: 'list', path: PATH, signal }).catch((error: unknown) => error)
    expect(outcome).to.be.instanceOf(TypeError)
  })
})

describe('equal reads of concurrent reviews', () => {
  const GET = { verb: 'get', path: PATH } as const
  /** A reader whose answers the test gives, with the requests that wait for one. */
  function waiting() {
    const requests: { readonly request: KubeRequest; readonly answer: (value: unknown) => void }[] = []
    const request = (request: KubeRequest) => {
      const { promise, resolve } = Promise.withResolvers<unknown>()
      requests.push({ request, answer: resolve })
      return promise
    }
    return { kube: sharing({ request }), requests }
  }

  it('share an answer that is asked for after all of them', async () => {
    const { kube, requests } = waiting()
    const first = kube.request(GET)
    const others = [kube.request(GET), kube.request(GET)]
    await turn()
    expect(requests).to.have.length(1)
    requests[0]?.answer('old')
    expect(await first).to.equal('old')
    await turn()
    expect(requests).to.have.length(2)
    requests[1]?.answer('new')
    expect(await Promise.all(others)).to.deep.equal(['new', 'new'])
  })

  it('share nothing with reads of another path or of another user, and lists share nothing', async () => {
    const { kube, requests } = waiting()
    const access = (user: string) => ({ verb: 'create', path: PATH, body: { spec: { user } } }) as const
    const list = { verb: 'list', path: PATH } as const
    const all = [{ ...GET, path: '/api' }, GET, access('alice'), access('bob'), list, list].map(kube.request)
    await turn()
    expect(requests).to.have.length(6)
    for (const { answer } of requests) answer('x')
    await Promise.all(all)
  })

  it('are not begun for a review that has ended', async () => {
    const { kube, requests } = waiting()
    const read = kube.request({ ...GET, signal: AbortSignal.abort() }).catch((error: unknown) => error)
    expect(await read).to.deep.include({ name: 'KubeError', kind: 'unreachable' })
    expect(requests).to.deep.equal([])
  })

  it('fail as unreachable for a review that ends, and go on for the others', async () => {
    const { kube, requests } = waiting()
    const over = new AbortController()
    const [first, late, other] = [kube.request(GET), kube.request({ ...GET, signal: over.signal }), kube.request(GET)]
    over.abort()
    expect(await late.catch((error: unknown) => error)).to.deep.include({ name: 'KubeError', kind: 'unreachable' })
    requests[0]?.answer('old')
    await first
    await turn()
    expect(requests[1]?.request.signal).to.equal(undefined)
    requests[1]?.answer('new')
    expect(await other).to.equal('new')
  })
})

describe('a promise that is awaited until a review ends', () => {
  it('gives its value, or undefined once the review has ended, and throws an internal error', async () => {
    const over = new AbortController()
    expect(await unlessOver(Promise.resolve(1), over.signal)).to.equal(1)
    const bug = unlessOver(Promise.reject(new TypeError('a bug')), over.signal)
    expect(await bug.catch((error: unknown) => error)).to.be.instanceOf(TypeError)
    const late = unlessOver(new Promise(() => undefined), over.signal)
    over.abort()
    expect(await late).to.equal(undefined)
    expect(await unlessOver(Promise.resolve(1), over.signal)).to.equal(undefined)
  })
})
