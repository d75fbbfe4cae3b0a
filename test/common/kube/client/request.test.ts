import { expect } from 'chai'
import { KubeError } from '../../../../common/kube/client/errors.ts'
import {
  type Call,
  callOf,
  type KubeRequest,
  REQUEST_VERBS,
  type RequestVerb,
  watchOf,
} from '../../../../common/kube/client/request.ts'

const path = '/apis/apps/v1/deployments'

describe('callOf', () => {
  const methods: Record<RequestVerb, Call['method']> = {
    get: 'GET',
    list: 'GET',
    create: 'POST',
    update: 'PUT',
    patch: 'PATCH',
    apply: 'PATCH',
    delete: 'DELETE',
  }
  for (const [verb, method] of Object.entries(methods) as [RequestVerb, Call['method']][])
    it(`sends ${verb} as ${method}`, () => expect(callOf({ verb, path }).method).to.equal(method))

  it('asks for JSON unless the request wants something else', () => {
    expect(callOf({ verb: 'get', path }).headers).to.deep.equal({ accept: 'application/json' })
    expect(callOf({ verb: 'get', path, accept: 'text/plain' }).headers).to.deep.equal({ accept: 'text/plain' })
  })

  const types: Record<string, readonly [KubeRequest, string]> = {
    'a create as JSON': [{ verb: 'create', path, body: {} }, 'application/json'],
    'an apply as an apply patch': [{ verb: 'apply', path, body: {} }, 'application/apply-patch+yaml'],
    'a patch as the request says': [
      { verb: 'patch', path, body: {}, contentType: 'application/merge-patch+json' },
      'application/merge-patch+json',
    ],
  }
  for (const [what, [request, type]] of Object.entries(types))
    it(`sends ${what}`, () => expect(callOf(request).headers).to.include({ 'content-type': type }))

  it('writes the body as JSON, and no body where there is none', () => {
    expect(callOf({ verb: 'create', path, body: { a: [1] } }).body).to.equal('{"a":[1]}')
    expect(callOf({ verb: 'delete', path })).not.to.have.property('body')
  })

  it('encodes the query and leaves out what is undefined', () => {
    const query = { limit: 5, watch: true, labelSelector: 'a=b,c', continue: undefined }
    expect(callOf({ verb: 'list', path, query }).path).to.equal(`${path}?limit=5&watch=true&labelSelector=a%3Db%2Cc`)
    expect(callOf({ verb: 'list', path, query: { continue: undefined } }).path).to.equal(path)
  })

  it('throws invalid for a body that cannot be written as JSON', () => {
    const body = { bytes: 1n }
    expect(() => callOf({ verb: 'create', path, body }))
      .to.throw(KubeError)
      .and.include({ kind: 'invalid' })
  })
})

describe('watchOf', () => {
  it('is a GET with its query', () => {
    expect(watchOf({ path, query: { watch: true }, signal: new AbortController().signal })).to.deep.equal({
      method: 'GET',
      path: `${path}?watch=true`,
      headers: { accept: 'application/json' },
    })
  })
})

describe('VERBS', () => {
  it('R14: give writes as much time as reads, because admission webhooks may be slow, and lists the most', () => {
    const { get, list, ...writes } = REQUEST_VERBS
    expect([get.deadlineMs, list.deadlineMs]).to.deep.equal([30_000, 60_000])
    expect(new Set(Object.values(writes).map(({ deadlineMs }) => deadlineMs))).to.deep.equal(new Set([30_000]))
  })
})
