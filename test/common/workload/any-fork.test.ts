import { expect } from 'chai'
import { OWNER_UID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { idInName, isForkOfSome, namedOwner, provenOwner } from '../../../common/workload/any-fork.ts'
import { experimentId, twinName } from '../../../common/workload/identity.ts'
import { aDeployment, anExperiment, FORK, UID } from '../../builders.ts'
import { theFork } from '../plan/some-facts.ts'

const OWNED = theFork()
const APART = theFork({
  experiment: anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'stock' } }),
})
const isOf = (of: KubeObject, metadata: object): KubeObject => ({ ...of, metadata: { ...of.metadata, ...metadata } })
const OWNER = { namespace: 'shop', name: 'faster-cart', uid: UID }

describe('a fork of any experiment', () => {
  it('has the id of its experiment at the end of its name', () => {
    expect([FORK, twinName(anExperiment())].map(idInName)).to.deep.equal([
      experimentId(UID),
      experimentId(`${UID}/control`),
    ])
    for (const name of ['cart', 'cart-experiment-1', `${FORK}-promotion`]) expect(idInName(name)).to.equal(undefined)
  })

  it('N36: is known by its name and its selector, also without any mark', () => {
    for (const fork of [OWNED, APART, isOf(OWNED, { labels: {}, ownerReferences: [], managedFields: [] })])
      expect(isForkOfSome(fork)).to.equal(true)
  })

  const others: Record<string, KubeObject> = {
    'has another name': isOf(OWNED, { name: 'cart' }),
    'has the name of another fork': isOf(OWNED, { name: 'cart-experiment-0123456789' }),
    'has another selector': { ...OWNED, spec: { selector: { matchLabels: { app: 'cart' } } } },
    'is a source': aDeployment(),
    'names another experiment as its owner': isOf(OWNED, {
      ownerReferences: OWNED.metadata.ownerReferences?.map((owner) => ({ ...owner, uid: 'other' })),
    }),
    'has the label of another experiment': isOf(APART, { labels: { [OWNER_UID]: 'other' } }),
    'has another controller': isOf(OWNED, {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: UID, controller: true }],
    }),
  }
  for (const [sentence, object] of Object.entries(others))
    it(`N36: is no object that ${sentence}`, () => expect(isForkOfSome(object)).to.equal(false))

  it('names its owner by a reference or by labels, and by labels only where they are proven', () => {
    expect([OWNED, APART].map(namedOwner)).to.deep.equal([OWNER, OWNER])
    expect([OWNED, APART].map(provenOwner)).to.deep.equal([undefined, OWNER])
    expect(namedOwner(isOf(OWNED, { ownerReferences: [] }))).to.equal(undefined)
  })
})
