import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import type { Known } from '../../../common/api/known.ts'
import { COMMAND_BY, REQUESTED_BY, REVIEWED_REPLICAS } from '../../../common/api/names.ts'
import { at, objectOr } from '../../../common/json/json.ts'
import type { AdmissionRequest } from '../../../webhook/review/admission-review.ts'
import { defaultsPatch } from '../../../webhook/review/defaults-patch.ts'
import { anExperiment } from '../../builders.ts'
import { ALICE, aRequest } from '../reviews.ts'

const REF = { kind: 'Deployment', name: 'cart', namespace: 'shop' }
const WHOLE = { sourceRef: REF, replicas: 2, overrideType: 'Merge', onSourceChange: 'Follow', overrideSpec: {} }
const by = (username: string) => ({ annotations: { [REQUESTED_BY]: username } })
const BY_ALICE = by('alice')

/** The patch at a time of which nothing here depends. */
const patchOf = (request: AdmissionRequest, defaultTTLSeconds?: number, template?: Known<string>) =>
  defaultsPatch(request, { now: new Date(0), defaultTTLSeconds, ...(template ? { template } : {}) })

type Given = Parameters<typeof aRequest>[0] & { readonly ttl?: number }

/** The object as the API server has it after the patch. */
function patched({ ttl, ...given }: Given): unknown {
  const request = aRequest(given)
  const patch = patchOf(request, ttl) as Operation[]
  return jsonPatch.applyPatch(structuredClone(request.object), patch).newDocument
}

describe('the patch of defaults', () => {
  it('adds what is missing', () => {
    const { namespace: _none, ...sourceRef } = REF
    expect(patched({ object: { metadata: {}, spec: { sourceRef, overrideSpec: {}, replicas: 2 } } })).to.deep.equal({
      metadata: BY_ALICE,
      spec: WHOLE,
    })
  })

  it('Nothing changed gives no patch.', () => {
    expect(patchOf(aRequest({ object: { metadata: BY_ALICE, spec: WHOLE } }))).to.deep.equal([])
  })

  it('Twice gives the same as once.', () => {
    const object = objectOr(patched({ object: { metadata: {}, spec: { sourceRef: { kind: 'Deployment' } } }, ttl: 60 }))
    expect(patchOf(aRequest({ object }), 60)).to.deep.equal([])
    expect(patchOf(aRequest({ object, oldObject: object }))).to.deep.equal([])
  })

  it('keeps a zero, which is a value', () => {
    const object = { metadata: BY_ALICE, spec: { ...WHOLE, replicas: 0, ttlSeconds: 0 } }
    expect(patchOf(aRequest({ object }), 60)).to.deep.equal([])
  })

  it('replaces a null, which the CRD takes for absent', () => {
    const object = { metadata: BY_ALICE, spec: { ...WHOLE, replicas: null, ttlSeconds: null } }
    expect(at(patched({ object, ttl: 60 }), 'spec')).to.deep.equal({ ...WHOLE, replicas: 1, ttlSeconds: 60 })
  })

  it('N9: writes nothing in place of another null, and nothing into {}', () => {
    const nulls = { overrideSpec: null, strategy: { canary: null }, promotion: null }
    for (const given of [nulls, { strategy: { canary: {} }, promotion: {}, analysis: {}, traffic: {} }])
      expect(patchOf(aRequest({ object: { metadata: BY_ALICE, spec: { ...WHOLE, ...given } } }))).to.deep.equal([])
  })

  it('A forged requester is overwritten', () => {
    expect(at(patched({ object: { metadata: by('root'), spec: WHOLE } }), 'metadata')).to.deep.equal(BY_ALICE)
  })

  it('names the user who changed the spec, and keeps other annotations', () => {
    const object = { metadata: { annotations: { a: 'b' } }, spec: { ...WHOLE, replicas: 3 } }
    const oldObject = { metadata: by('bob'), spec: WHOLE }
    expect(at(patched({ object, oldObject }), 'metadata', 'annotations')).to.deep.equal({
      a: 'b',
      [REQUESTED_BY]: 'alice',
    })
  })

  it('keeps the requester where the spec did not change', () => {
    const oldObject = { metadata: by('bob'), spec: WHOLE }
    for (const metadata of [by('bob'), by('root'), {}])
      expect(at(patched({ object: { metadata, spec: WHOLE }, oldObject }), 'metadata')).to.deep.equal(by('bob'))
  })

  it('keeps the requester of an update that only approves a revision', () => {
    const whole = { ...WHOLE, promotion: { mode: 'Manual' } }
    const approving = (of: object) => ({ ...whole, ...of, promotion: { mode: 'Manual', approvedRevision: '1f' } })
    const oldObject = { metadata: by('bob'), spec: whole }
    const metadataOf = (of: object) =>
      at(patched({ object: { metadata: {}, spec: approving(of) }, oldObject }), 'metadata')
    expect(metadataOf({})).to.deep.equal({ annotations: { [REQUESTED_BY]: 'bob', [COMMAND_BY]: 'alice' } })
    expect(metadataOf({ replicas: 3 })).to.deep.equal({
      annotations: { [REQUESTED_BY]: 'alice', [COMMAND_BY]: 'alice' },
    })
  })

  it('names no requester where the user has no name', () => {
    const userInfo = { ...ALICE, username: '' }
    expect(at(patched({ object: { metadata: by('root'), spec: WHOLE }, userInfo }), 'metadata', 'annotations'))
      .to //
      .deep.equal({})
    expect(patchOf(aRequest({ object: { metadata: {}, spec: WHOLE }, userInfo }))).to.deep.equal([])
  })

  it('keeps the stored namespace where an update leaves it out', () => {
    const { namespace: _none, ...bare } = REF
    const oldObject = { metadata: BY_ALICE, spec: { ...WHOLE, sourceRef: { ...REF, namespace: 'else' } } }
    const object = { metadata: BY_ALICE, spec: { ...WHOLE, sourceRef: bare } }
    expect(at(patched({ object, oldObject }), 'spec', 'sourceRef', 'namespace')).to.equal('else')
    const older = { metadata: BY_ALICE, spec: { ...WHOLE, sourceRef: bare } }
    expect(patchOf(aRequest({ object, oldObject: older }))).to.deep.equal([])
  })

  it('An update never gains a TTL.', () => {
    const object = { metadata: BY_ALICE, spec: WHOLE }
    expect(patchOf(aRequest({ object, oldObject: object }), 60)).to.deep.equal([])
    expect(at(patched({ object, ttl: 60 }), 'spec', 'ttlSeconds')).to.equal(60)
  })

  it('is empty for an object without a spec', () => {
    for (const spec of [undefined, null, 'x', []])
      expect(patchOf(aRequest({ object: { metadata: {}, spec } }))).to.deep.equal([])
  })

  it('never reads the overrideSpec of a new resource', () => {
    const spec = { ...WHOLE, overrideSpec: new Proxy({}, { ownKeys: () => expect.fail('looked') }) }
    expect(patchOf(aRequest({ object: { metadata: BY_ALICE, spec } }))).to.deep.equal([])
  })
})

/** The creation of `faster-cart` with another `spec`. */
const of = (spec: object): Parameters<typeof aRequest>[0] => ({
  object: { ...anExperiment(), spec: { ...anExperiment().spec, ...spec } },
})

describe('the patch of defaults, for odd values', () => {
  const bare = { kind: 'Deployment', name: 'cart' }
  const namespaceIn = (patch: readonly unknown[]) =>
    at(
      patch.find((operation) => at(operation, 'path') === '/spec/sourceRef/namespace'),
      'value',
    )

  it('adds the annotations once, because a second add would remove the first annotation', () => {
    const paths = patchOf(aRequest()).map((operation) => at(operation, 'path'))
    expect(paths.filter((path) => path === '/metadata/annotations')).to.have.length(1)
    expect(paths).to.include('/spec/replicas')
  })

  it('keeps every annotation of a new experiment whose source is elsewhere', () => {
    const spec = { ...WHOLE, sourceRef: { ...REF, namespace: 'stock' } }
    const expected = { [REQUESTED_BY]: 'alice', [REVIEWED_REPLICAS]: '2' }
    for (const metadata of [{}, { annotations: null }])
      expect(at(patched({ object: { metadata, spec } }), 'metadata', 'annotations')).to.deep.equal(expected)
  })

  it('keeps every annotation of an update that leaves them out', () => {
    const spec = { ...WHOLE, sourceRef: { ...REF, namespace: 'stock' } }
    const annotations = { [REQUESTED_BY]: 'bob', [REVIEWED_REPLICAS]: '2', [COMMAND_BY]: 'carol' }
    const oldObject = { metadata: { annotations }, spec }
    const asked = { ...annotations, [REQUESTED_BY]: 'alice', [REVIEWED_REPLICAS]: '3' }
    const annotationsOf = (replicas: number) =>
      at(patched({ object: { metadata: {}, spec: { ...spec, replicas } }, oldObject }), 'metadata', 'annotations')
    expect(annotationsOf(2)).to.deep.equal(annotations)
    expect(annotationsOf(3)).to.deep.equal(asked)
  })

  it('keeps the namespace of the source that is written', () => {
    const sourceRef = { ...bare, namespace: 'till' }
    expect(namespaceIn(patchOf(aRequest(of({ sourceRef }))))).to.equal(undefined)
  })

  it('uses the namespace of the experiment where none is written', () => {
    expect(namespaceIn(patchOf(aRequest(of({ sourceRef: bare }))))).to.equal('shop')
  })

  it('uses it also for a null, which the CRD takes for absent', () => {
    const patch = patchOf(aRequest(of({ sourceRef: { ...bare, namespace: null } })))
    expect(namespaceIn(patch)).to.equal('shop')
  })

  it('changes nothing where sourceRef is no object, which the CRD refuses', () => {
    for (const sourceRef of ['cart', null, ['cart']])
      expect(JSON.stringify(patchOf(aRequest(of({ sourceRef }))))).to.not.contain('sourceRef')
  })

  it('removes a written requester where the stored one is no name', () => {
    const sourceRef = { ...bare, namespace: 'shop' }
    const { spec } = anExperiment({ sourceRef, replicas: 1, overrideType: 'Merge', onSourceChange: 'Follow' })
    const requested = (who: unknown) => ({ metadata: { annotations: { [REQUESTED_BY]: who } }, spec })
    const patch = patchOf(aRequest({ object: requested('root'), oldObject: requested(5) }))
    expect(patch).to.deep.equal([{ op: 'remove', path: `/metadata/annotations/${REQUESTED_BY.replace('/', '~1')}` }])
  })
})
