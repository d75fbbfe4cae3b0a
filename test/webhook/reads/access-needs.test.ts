import { expect } from 'chai'
import { COMMAND, SERVICE } from '../../../common/api/names.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { accessOf, formatNeeds, type Need, needsOf } from '../../../webhook/reads/access.ts'
import { DECISIVE_MS } from '../../../webhook/reads/reader.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { aReader, failing } from '../../fakes/reader.ts'
import { aDecodedRequest, anUpdate } from '../a-decoded-request.ts'
import { ALICE } from '../reviews.ts'

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const deployments = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' }
const podTemplates = { apiVersion: 'v1', kind: 'PodTemplate', plural: 'podtemplates' }
const create: Need = { verb: 'create', resource: deployments, namespace: 'shop' }
const get: Need = { verb: 'get', resource: podTemplates, namespace: 'till', name: 'base' }

const PATCH_SOURCE: Need = { verb: 'patch', resource: deployment, namespace: 'shop', name: 'cart' }

type SpecOf = Parameters<typeof anExperiment>[0]
type Reading = Parameters<typeof aReader>[1]
const accessTo = (needs: readonly Need[], reading: Reading = {}) => accessOf(aReader([], reading).kube, ALICE, needs)

describe('the rights that a requester needs', () => {
  const ref = (kind: string, namespace?: string) => ({
    sourceRef: { kind, name: 'cart', ...(namespace === undefined ? {} : { namespace }) },
  })
  const attributes = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop' }
  const rollouts = { group: 'argoproj.io', version: 'v1alpha1', resource: 'rollouts', namespace: 'till' }
  const cases: Record<string, readonly [ReturnType<typeof aDecodedRequest>, ...object[]]> = {
    'are to create such a workload and to get the source, for a create': [
      aDecodedRequest(),
      { verb: 'create', ...attributes },
      { verb: 'get', ...attributes, name: 'cart' },
    ],
    'are also to patch the fork, for an update': [
      anUpdate({}, { replicas: 2 }),
      { verb: 'create', ...attributes },
      { verb: 'get', ...attributes, name: 'cart' },
      { verb: 'patch', ...attributes, name: FORK },
    ],
    'S: are also to get all ReplicaSets, for a kind that keeps templates there, all in the namespace of the source': [
      anUpdate(ref('Rollout', 'till'), { ...ref('Rollout', 'till'), replicas: 2 }),
      { verb: 'create', ...rollouts },
      { verb: 'get', ...rollouts, name: 'cart' },
      { verb: 'patch', ...rollouts, name: FORK },
      { verb: 'get', group: 'apps', version: 'v1', resource: 'replicasets', namespace: 'till' },
    ],
  }
  for (const [sentence, [decoded, ...expected]] of Object.entries(cases))
    it(sentence, async () => {
      const reader = aReader([])
      expect(await accessOf(reader.kube, ALICE, needsOf(decoded))).to.equal('granted')
      const found = reader.reviews.map((spec) => Object(spec).resourceAttributes)
      expect(found).to.deep.equal(expected)
    })

  describe('include to patch the source', () => {
    const canary = { strategy: { canary: { steps: [{ setWeight: 20 }] } } }
    const promoting = (mode: 'Manual' | 'Automatic' | 'Export', approvedRevision?: string): SpecOf => ({
      ...canary,
      promotion: { mode, ...(approvedRevision === undefined ? {} : { approvedRevision }) },
    })
    const inside = (mode: 'Manual' | 'Export' = 'Manual'): SpecOf => ({
      strategy: { canary: { ...canary.strategy.canary, scaleDownSource: true } },
      promotion: { mode },
    })
    const saying = (command: string, spec: SpecOf = canary) =>
      anExperiment({ ...spec, metadata: { annotations: { [COMMAND]: command } } })
    const creating = (spec: SpecOf) => aDecodedRequest({ object: anExperiment(spec) })
    const said = (command: string, spec: SpecOf = canary, before = anExperiment(spec)) =>
      aDecodedRequest({ object: saying(command, spec), oldObject: before })
    const stamp = 'step=1 revision=1f2e3d4c5b at=2026-11-21T12:00:00.000Z'

    const needed: Readonly<Record<string, ReturnType<typeof aDecodedRequest>>> = {
      'for the command promote': said('promote'),
      'for the command promote with a stamp': said(`promote ${stamp}`),
      'for the command undo': said(`undo ${stamp}`),
      'for promote where a tool declares the source': said('promote', promoting('Export')),
      'for another command than the stored one': said('undo', canary, saying('promote')),
      'for a new experiment that promotes itself': creating(promoting('Automatic')),
      'for a new experiment that promotes itself, without steps': creating({ promotion: { mode: 'Automatic' } }),
      'for an edit of an experiment that promotes itself': anUpdate(promoting('Automatic'), {
        ...promoting('Automatic'),
        replicas: 2,
      }),
      'for an experiment that begins to promote itself': anUpdate(promoting('Manual'), promoting('Automatic')),
      'for resume where nothing else is asked': said('resume', promoting('Automatic')),
      'for retry where nothing else is asked': said('retry', promoting('Automatic')),
      'for an approved revision': anUpdate(promoting('Manual'), promoting('Manual', '1f2e3d4c5b')),
      'for resume on the way to an approved revision': said('resume', promoting('Manual', '1f2e3d4c5b')),
      'for retry on the way to an approved revision': said('retry', promoting('Manual', '1f2e3d4c5b')),
      'for an approved revision in a new experiment': creating(promoting('Manual', '1f2e3d4c5b')),
      'for a new experiment that makes its source smaller': creating(inside()),
      'for one whose source others write': creating(inside('Export')),
      'for an edit of an experiment that makes its source smaller': anUpdate(inside(), { ...inside(), ttlSeconds: 60 }),
      'for an experiment that begins to make it smaller': anUpdate(canary, inside()),
      'for resume of a run that makes it smaller': said('resume', inside()),
      'for retry of a run that makes it smaller': said('retry', inside()),
    }
    for (const [sentence, decoded] of Object.entries(needed))
      it(sentence, () => expect(needsOf(decoded)).to.deep.include(PATCH_SOURCE))

    const spared: Readonly<Record<string, ReturnType<typeof aDecodedRequest>>> = {
      'not without a strategy': creating({}),
      'not for a new experiment that waits for a word': creating(promoting('Manual')),
      'not for a new experiment whose source others write': creating(promoting('Export', '1f2e3d4c5b')),
      'not for pause before an approved revision': said('pause', promoting('Manual', '1f2e3d4c5b')),
      'not for pause of a run that makes its source smaller': said('pause', inside()),
      'not for abort of one': said('abort', inside()),
      'not for an edit after which none does': anUpdate(inside(), canary),
      'not for other metadata of one': aDecodedRequest({
        object: anExperiment({ ...inside(), metadata: { labels: { team: 'a' } } }),
        oldObject: anExperiment(inside()),
      }),
      'not for pause': said('pause', promoting('Automatic')),
      'not for abort': said('abort', promoting('Automatic')),
      'not for resume where somebody promotes': said('resume', promoting('Manual')),
      'not for retry where somebody promotes': said('retry', promoting('Manual')),
      'not for a word that is no command': said('promote now'),
      'not for a command that was said before': aDecodedRequest({
        object: { ...saying('promote'), spec: anExperiment({ ...canary, replicas: 3 }).spec },
        oldObject: saying('promote'),
      }),
      'not for a command that was said before, if the stored experiment cannot be read': aDecodedRequest({
        object: saying('promote'),
        oldObject: { ...saying('promote'), spec: { replicas: 'many' } },
      }),
      'not for other metadata of an experiment that promotes itself': aDecodedRequest({
        object: anExperiment({ ...promoting('Automatic'), metadata: { labels: { team: 'a' } } }),
        oldObject: anExperiment(promoting('Automatic')),
      }),
      'not for other metadata of one with an approved revision': aDecodedRequest({
        object: anExperiment({ ...promoting('Manual', '1f2e'), metadata: { labels: { team: 'a' } } }),
        oldObject: anExperiment(promoting('Manual', '1f2e')),
      }),
    }
    for (const [sentence, decoded] of Object.entries(spared))
      it(sentence, () => expect(needsOf(decoded)).not.to.deep.include(PATCH_SOURCE))
  })

  describe('include to patch the Services of a blue-green', () => {
    const blueGreen = (of: object = {}): SpecOf => ({
      strategy: { blueGreen: { activeService: 'cart', previewService: 'preview', ...of } },
    })
    const saying = (command: string, spec = blueGreen()) =>
      aDecodedRequest({
        object: anExperiment({ ...spec, metadata: { annotations: { [COMMAND]: command } } }),
        oldObject: anExperiment(spec),
      })
    const cases: Readonly<Record<string, readonly [ReturnType<typeof aDecodedRequest>, ...string[]]>> = {
      'the preview, for a new one': [aDecodedRequest({ object: anExperiment(blueGreen()) }), 'preview'],
      'both, for a new one that needs no other word': [
        aDecodedRequest({ object: anExperiment(blueGreen({ autoPromotionEnabled: true })) }),
        'cart',
        'preview',
      ],
      'the active one, for a new one without a preview': [
        aDecodedRequest({ object: anExperiment({ strategy: { blueGreen: { activeService: 'cart' } } }) }),
        'cart',
      ],
      'the active one, for resume': [saying('resume'), 'cart'],
      'the active one, for promote': [saying('promote'), 'cart'],
      'the active one, for undo': [saying('undo'), 'cart'],
      'the preview, for retry': [saying('retry'), 'preview'],
      'none, for pause': [saying('pause')],
      'none, for abort': [saying('abort')],
      'none, for a canary': [aDecodedRequest({ object: anExperiment({ strategy: { canary: {} } }) })],
    }
    for (const [sentence, [decoded, ...services]] of Object.entries(cases))
      it(sentence, () =>
        expect(needsOf(decoded).filter(({ resource }) => resource.plural === 'services')).to.deep.equal(
          services.map((name) => ({ verb: 'patch', resource: SERVICE, namespace: 'shop', name })),
        ),
      )
  })

  it('have the empty group for a core resource', async () => {
    const reader = aReader([])
    await accessOf(reader.kube, ALICE, [get])
    const core = { verb: 'get', group: '', version: 'v1', resource: 'podtemplates', namespace: 'till', name: 'base' }
    expect(reader.reviews).to.have.deep.nested.property('[0].resourceAttributes', core)
  })

  it('are printed in the words of kubectl', () => {
    expect(formatNeeds([create])).to.equal('needs "create deployments.apps" in namespace "shop"')
    expect(formatNeeds([get])).to.equal('needs "get podtemplates/base" in namespace "till"')
    expect(formatNeeds([create, { ...create, verb: 'get', name: 'cart' }, { ...create, verb: 'patch', name: 'x' }]))
      .to //
      .equal(
        'needs "create deployments.apps", "get deployments.apps/cart" and "patch deployments.apps/x" in namespace "shop"',
      )
  })
})

describe('the answer to an access review', () => {
  const granting = { status: { allowed: true } }
  const cases: Record<string, readonly [Reading, string]> = {
    'grants it': [{}, 'granted'],
    'grants nothing if allowed is missing': [{ access: () => ({}) }, 'refused'],
    'grants nothing if allowed is not a boolean': [{ access: () => ({ allowed: 'true' }) }, 'refused'],
    'is unknown where it is of another kind': [
      { instead: { [REVIEWS]: () => ({ kind: 'Portal', ...granting }) } },
      'notChecked',
    ],
    'is not checked if there is no answer': [{ access: failing('unreachable') }, 'notChecked'],
  }
  for (const [sentence, [reading, expected]] of Object.entries(cases))
    it(sentence, async () => expect(await accessTo([create], reading)).to.equal(expected))

  it('refuses although another answer is unknown, which would not change the result', async () => {
    let reviews = 0
    const access = () => (reviews++ === 0 ? { allowed: true, evaluationError: 'role not found' } : { allowed: false })
    expect(await accessTo([create, get], { access })).to.equal('refused')
  })

  it('is waited for longer than reads that only a warning needs', async () => {
    const { kube, requests } = aReader([])
    await accessOf(kube, ALICE, [create])
    expect(requests.map(({ deadlineMs }) => deadlineMs)).to.deep.equal([DECISIVE_MS])
  })

  it('is a refusal without a request where the user has no name', async () => {
    const { kube, requests } = aReader([])
    expect(
      await accessOf(kube, { ...ALICE, username: '' }, needsOf(aDecodedRequest({ object: anExperiment() }))),
    ).to.equal('refused')
    expect(requests).to.deep.equal([])
  })
})
