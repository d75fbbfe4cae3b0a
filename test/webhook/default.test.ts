import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { REQUESTED_BY } from '../../common/api/names.ts'
import { at, objectOr } from '../../common/api/object.ts'
import { defaultsPatch } from '../../webhook/default.ts'
import { ALICE, aRequest } from './reviews.ts'

const REF = { kind: 'Deployment', name: 'cart', namespace: 'shop' }
const WHOLE = { sourceRef: REF, replicas: 2, overrideType: 'Merge', onSourceChange: 'Follow', overrideSpec: {} }
const by = (username: string) => ({ annotations: { [REQUESTED_BY]: username } })
const BY_ALICE = by('alice')

type Given = Parameters<typeof aRequest>[0] & { readonly ttl?: number }

/** The object as the API server has it after the patch. */
function patched({ ttl, ...given }: Given): unknown {
  const request = aRequest(given)
  const patch = defaultsPatch(request, ttl) as Operation[]
  return jsonPatch.applyPatch(structuredClone(request.object), patch).newDocument
}

describe('defaultsPatch', () => {
  it('adds what is missing', () => {
    const { namespace: _none, ...sourceRef } = REF
    expect(patched({ object: { metadata: {}, spec: { sourceRef, overrideSpec: {}, replicas: 2 } } })).to.deep.equal({
      metadata: BY_ALICE,
      spec: WHOLE,
    })
  })

  it('Nothing changed gives no patch.', () => {
    expect(defaultsPatch(aRequest({ object: { metadata: BY_ALICE, spec: WHOLE } }))).to.deep.equal([])
  })

  it('Twice gives the same as once.', () => {
    const object = objectOr(patched({ object: { metadata: {}, spec: { sourceRef: { kind: 'Deployment' } } }, ttl: 60 }))
    expect(defaultsPatch(aRequest({ object }), 60)).to.deep.equal([])
    expect(defaultsPatch(aRequest({ object, oldObject: object }))).to.deep.equal([])
  })

  it('keeps a zero, which is no absence', () => {
    const object = { metadata: BY_ALICE, spec: { ...WHOLE, replicas: 0, ttlSeconds: 0 } }
    expect(defaultsPatch(aRequest({ object }), 60)).to.deep.equal([])
  })

  it('fills in for a null, which the CRD takes for nothing', () => {
    const object = { metadata: BY_ALICE, spec: { ...WHOLE, replicas: null, ttlSeconds: null } }
    expect(at(patched({ object, ttl: 60 }), 'spec')).to.deep.equal({ ...WHOLE, replicas: 1, ttlSeconds: 60 })
  })

  it('A forged requester is overwritten', () => {
    expect(at(patched({ object: { metadata: by('root'), spec: WHOLE } }), 'metadata')).to.deep.equal(BY_ALICE)
  })

  it('names who changed the spec, and keeps other annotations', () => {
    const object = { metadata: { annotations: { a: 'b' } }, spec: { ...WHOLE, replicas: 3 } }
    const oldObject = { metadata: by('bob'), spec: WHOLE }
    expect(at(patched({ object, oldObject }), 'metadata', 'annotations')).to.deep.equal({
      a: 'b',
      [REQUESTED_BY]: 'alice',
    })
  })

  it('keeps who asked where the spec is as it was', () => {
    const oldObject = { metadata: by('bob'), spec: WHOLE }
    for (const metadata of [by('bob'), by('root'), {}])
      expect(at(patched({ object: { metadata, spec: WHOLE }, oldObject }), 'metadata')).to.deep.equal(by('bob'))
  })

  it('names nobody where nobody is known', () => {
    const userInfo = { ...ALICE, username: '' }
    expect(at(patched({ object: { metadata: by('root'), spec: WHOLE }, userInfo }), 'metadata', 'annotations'))
      .to //
      .deep.equal({})
    expect(defaultsPatch(aRequest({ object: { metadata: {}, spec: WHOLE }, userInfo }))).to.deep.equal([])
  })

  it('leaves the namespace that an update leaves out as it was', () => {
    const { namespace: _none, ...bare } = REF
    const oldObject = { metadata: BY_ALICE, spec: { ...WHOLE, sourceRef: { ...REF, namespace: 'else' } } }
    const object = { metadata: BY_ALICE, spec: { ...WHOLE, sourceRef: bare } }
    expect(at(patched({ object, oldObject }), 'spec', 'sourceRef', 'namespace')).to.equal('else')
    const older = { metadata: BY_ALICE, spec: { ...WHOLE, sourceRef: bare } }
    expect(defaultsPatch(aRequest({ object, oldObject: older }))).to.deep.equal([])
  })

  it('An update never gains a TTL.', () => {
    const object = { metadata: BY_ALICE, spec: WHOLE }
    expect(defaultsPatch(aRequest({ object, oldObject: object }), 60)).to.deep.equal([])
    expect(at(patched({ object, ttl: 60 }), 'spec', 'ttlSeconds')).to.equal(60)
  })

  it('has nothing to say about an object without a spec', () => {
    for (const spec of [undefined, null, 'x', []])
      expect(defaultsPatch(aRequest({ object: { metadata: {}, spec } }))).to.deep.equal([])
  })

  it('never looks into the overrideSpec of a new resource', () => {
    const spec = { ...WHOLE, overrideSpec: new Proxy({}, { ownKeys: () => expect.fail('looked') }) }
    expect(defaultsPatch(aRequest({ object: { metadata: BY_ALICE, spec } }))).to.deep.equal([])
  })
})
