import { expect } from 'chai'
import { accessOf, type Need, tellNeeds } from '../../webhook/access.ts'
import { needsOf } from '../../webhook/asked.ts'
import { DECISIVE_MS } from '../../webhook/reader.ts'
import { anExperiment, FORK } from '../builders.ts'
import { anAsked, anUpdate } from './an-asked.ts'
import { ALICE } from './reviews.ts'
import { aStrictReader, failing } from './strict-reader.ts'

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const deployments = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' }
const podTemplates = { apiVersion: 'v1', kind: 'PodTemplate', plural: 'podtemplates' }
const create: Need = { verb: 'create', resource: deployments, namespace: 'shop' }
const get: Need = { verb: 'get', resource: podTemplates, namespace: 'till', name: 'base' }

type Reading = Parameters<typeof aStrictReader>[1]
const accessTo = (needs: readonly Need[], reading: Reading = {}) =>
  accessOf(aStrictReader([], reading).kube, ALICE, needs)

describe('what a requester must be able to do herself', () => {
  const ref = (kind: string, namespace?: string) => ({
    sourceRef: { kind, name: 'cart', ...(namespace === undefined ? {} : { namespace }) },
  })
  const attributes = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop' }
  const rollouts = { group: 'argoproj.io', version: 'v1alpha1', resource: 'rollouts', namespace: 'till' }
  const cases: Record<string, readonly [ReturnType<typeof anAsked>, ...object[]]> = {
    'is to make such a workload, and to get the source, for a create': [
      anAsked(),
      { verb: 'create', ...attributes },
      { verb: 'get', ...attributes, name: 'cart' },
    ],
    'is to patch the fork too, and no other, for an update': [
      anUpdate({}, { replicas: 2 }),
      { verb: 'create', ...attributes },
      { verb: 'get', ...attributes, name: 'cart' },
      { verb: 'patch', ...attributes, name: FORK },
    ],
    'is all of that where the source is, of its kind': [
      anUpdate(ref('Rollout', 'till'), { ...ref('Rollout', 'till'), replicas: 2 }),
      { verb: 'create', ...rollouts },
      { verb: 'get', ...rollouts, name: 'cart' },
      { verb: 'patch', ...rollouts, name: FORK },
    ],
  }
  for (const [sentence, [asked, ...expected]] of Object.entries(cases))
    it(sentence, async () => {
      const reader = aStrictReader([])
      expect(await accessOf(reader.kube, ALICE, needsOf(asked))).to.equal('granted')
      const found = reader.reviews().map((spec) => Object(spec).resourceAttributes)
      expect(found).to.deep.equal(expected)
    })

  it('is asked with the empty group of what is in the core of the API', async () => {
    const reader = aStrictReader([])
    await accessOf(reader.kube, ALICE, [get])
    const core = { verb: 'get', group: '', version: 'v1', resource: 'podtemplates', namespace: 'till', name: 'base' }
    expect(reader.reviews()).to.have.deep.nested.property('[0].resourceAttributes', core)
  })

  it('is told in the words of kubectl', () => {
    expect(tellNeeds([create])).to.equal('needs "create deployments.apps" in namespace "shop"')
    expect(tellNeeds([get])).to.equal('needs "get podtemplates/base" in namespace "till"')
    expect(tellNeeds([create, { ...create, verb: 'get', name: 'cart' }, { ...create, verb: 'patch', name: 'x' }]))
      .to //
      .equal(
        'needs "create deployments.apps", "get deployments.apps/cart" and "patch deployments.apps/x" in namespace "shop"',
      )
  })
})

describe('the answer about a right', () => {
  const granting = { status: { allowed: true } }
  const cases: Record<string, readonly [Reading, string]> = {
    'grants it': [{}, 'granted'],
    'grants nothing where it does not say so': [{ access: () => ({}) }, 'refused'],
    'grants nothing where it says so in another type': [{ access: () => ({ allowed: 'true' }) }, 'refused'],
    'is nobody’s where it is of another kind': [
      { instead: { [REVIEWS]: () => ({ kind: 'Portal', ...granting }) } },
      'unknown',
    ],
    'is unknown where none comes': [{ access: failing('unreachable') }, 'unknown'],
  }
  for (const [sentence, [reading, expected]] of Object.entries(cases))
    it(sentence, async () => expect(await accessTo([create], reading)).to.equal(expected))

  it('refuses although that about another is unknown: it would not become a yes', async () => {
    let reviews = 0
    const access = () => (reviews++ === 0 ? { allowed: true, evaluationError: 'role not found' } : { allowed: false })
    expect(await accessTo([create, get], { access })).to.equal('refused')
  })

  it('is waited for as long as a refusal is worth: longer than for what a forecast needs', async () => {
    const { kube, requests } = aStrictReader([])
    await accessOf(kube, ALICE, [create])
    expect(requests.map(({ deadlineMs }) => deadlineMs)).to.deep.equal([DECISIVE_MS])
  })

  it('is not asked about nobody: an authorizer may take nobody for anybody', async () => {
    const { kube, requests } = aStrictReader([])
    expect(await accessOf(kube, { ...ALICE, username: '' }, needsOf(anAsked({ object: anExperiment() })))).to.equal(
      'refused',
    )
    expect(requests).to.deep.equal([])
  })
})
