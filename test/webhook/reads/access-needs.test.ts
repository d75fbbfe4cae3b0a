import { expect } from 'chai'
import { accessOf, formatNeeds, type Need, needsOf } from '../../../webhook/reads/access.ts'
import { DECISIVE_MS } from '../../../webhook/reads/reader.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { aDecodedRequest, anUpdate } from '../a-decoded-request.ts'
import { ALICE } from '../reviews.ts'
import { aStrictReader, failing } from '../strict-reader.ts'

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const deployments = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' }
const podTemplates = { apiVersion: 'v1', kind: 'PodTemplate', plural: 'podtemplates' }
const create: Need = { verb: 'create', resource: deployments, namespace: 'shop' }
const get: Need = { verb: 'get', resource: podTemplates, namespace: 'till', name: 'base' }

type Reading = Parameters<typeof aStrictReader>[1]
const accessTo = (needs: readonly Need[], reading: Reading = {}) =>
  accessOf(aStrictReader([], reading).kube, ALICE, needs)

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
    'are all in the namespace of the source, for its kind': [
      anUpdate(ref('Rollout', 'till'), { ...ref('Rollout', 'till'), replicas: 2 }),
      { verb: 'create', ...rollouts },
      { verb: 'get', ...rollouts, name: 'cart' },
      { verb: 'patch', ...rollouts, name: FORK },
    ],
  }
  for (const [sentence, [decoded, ...expected]] of Object.entries(cases))
    it(sentence, async () => {
      const reader = aStrictReader([])
      expect(await accessOf(reader.kube, ALICE, needsOf(decoded))).to.equal('granted')
      const found = reader.reviews().map((spec) => Object(spec).resourceAttributes)
      expect(found).to.deep.equal(expected)
    })

  it('have the empty group for a core resource', async () => {
    const reader = aStrictReader([])
    await accessOf(reader.kube, ALICE, [get])
    const core = { verb: 'get', group: '', version: 'v1', resource: 'podtemplates', namespace: 'till', name: 'base' }
    expect(reader.reviews()).to.have.deep.nested.property('[0].resourceAttributes', core)
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
    const { kube, requests } = aStrictReader([])
    await accessOf(kube, ALICE, [create])
    expect(requests.map(({ deadlineMs }) => deadlineMs)).to.deep.equal([DECISIVE_MS])
  })

  it('is a refusal without a request where the user has no name', async () => {
    const { kube, requests } = aStrictReader([])
    expect(
      await accessOf(kube, { ...ALICE, username: '' }, needsOf(aDecodedRequest({ object: anExperiment() }))),
    ).to.equal('refused')
    expect(requests).to.deep.equal([])
  })
})
