import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { ownerReference } from '../../common/workload/identity.ts'
import { ROLLOUT_HASH } from '../../common/workload/stable-template.ts'
import { tellNeeds } from '../../webhook/access.ts'
import { look as lookFrom, type PolicySource } from '../../webhook/look.ts'
import { aBase, aDeployment, anExperiment, aRollout, FORK } from '../builders.ts'
import { aNamespace, anAsked, anUpdate, inNamespace } from './an-asked.ts'
import { aStrictReader, failing } from './strict-reader.ts'

const NOBODY: PolicySource = { policies: () => [], namespace: async (name) => aNamespace(name) }

type Access = NonNullable<Parameters<typeof aStrictReader>[1]>['access']
interface Given {
  readonly world?: readonly KubeObject[]
  readonly instead?: Readonly<Record<string, () => unknown>>
  readonly access?: Access
  readonly asked?: ReturnType<typeof anAsked>
}

async function look({ world = [], instead = {}, access, asked = anAsked() }: Given) {
  const reader = aStrictReader(world, access ? { instead, access } : { instead })
  const { signal } = new AbortController()
  const seen = await lookFrom({ kube: reader.kube, policies: NOBODY, signal }, asked)
  return { seen, ...reader }
}

const CART = '/apis/apps/v1/namespaces/shop/deployments/cart'
const ROLLOUT = '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/cart'
const BASE = '/apis/apps/v1/namespaces/shop/deployments/base'
const REPLICA_SETS = '/apis/apps/v1/namespaces/shop/replicasets'

const ofRollout = anAsked({ object: anExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' } }) })
const referring = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } })
const base = aDeployment({ name: 'base' })

describe('what a review sees of the source', () => {
  const found = (source: KubeObject, ...referents: object[]) => ({ is: 'found', source, referents })
  const cases: Record<string, readonly [Given, object]> = {
    'is what is there now': [{ world: [aDeployment()] }, found(aDeployment())],
    'is not one of another name': [{ world: [aDeployment({ name: 'till' })] }, { is: 'absent' }],
    'is not one of another namespace': [{ world: [inNamespace('till', aDeployment())] }, { is: 'absent' }],
    'is nothing in a cluster without its kind': [
      { asked: ofRollout, instead: { [ROLLOUT]: failing('kindAbsent') } },
      { is: 'kindAbsent' },
    ],
    'is unknown while nobody answers': [{ instead: { [CART]: failing('unreachable') } }, { is: 'unread' }],
    'is unknown where we may not look': [{ instead: { [CART]: failing('forbidden') } }, { is: 'unread' }],
    'is unknown where somebody else answers': [
      { instead: { [CART]: () => ({ ...aDeployment(), kind: 'Portal' }) } },
      { is: 'unread' },
    ],
    'is unknown where the answer is no object of the cluster': [
      { instead: { [CART]: () => ({ kind: 'Deployment' }) } },
      { is: 'unread' },
    ],
  }
  for (const [sentence, [given, expected]] of Object.entries(cases))
    it(sentence, async () => expect((await look(given)).seen.source).to.deep.equal(expected))

  it('throws what is a bug of ours: no verdict may come of it', async () => {
    const bug = () => {
      throw new TypeError('a bug')
    }
    const pinned = anUpdate({ onSourceChange: 'Pin' }, { onSourceChange: 'Pin', replicas: 2 })
    const revision = `/apis/apps/v1/namespaces/shop/controllerrevisions/${FORK}`
    const givens: Given[] = [
      { instead: { [CART]: bug } },
      { instead: { [revision]: bug }, asked: pinned },
      { instead: { [BASE]: bug }, asked: ofRollout, world: [referring] },
      { access: bug },
    ]
    for (const given of givens) {
      const outcome = await look(given).catch((error: unknown) => error)
      expect(outcome).to.be.instanceOf(TypeError)
    }
  })

  describe('that is a Rollout', () => {
    it('comes with the workload that it refers to by name', async () => {
      const { seen } = await look({ asked: ofRollout, world: [referring, base, aDeployment()] })
      expect(seen.source).to.deep.equal(found(referring, base))
    })

    it('comes alone where that is not there: whoever derives says so', async () => {
      const elsewhere = inNamespace('till', base)
      const { seen } = await look({ asked: ofRollout, world: [referring, elsewhere, aDeployment()] })
      expect(seen.source).to.deep.equal(found(referring))
    })

    it('comes alone where that is no object of the cluster', async () => {
      const { seen } = await look({ asked: ofRollout, world: [referring], instead: { [BASE]: () => ({}) } })
      expect(seen.source).to.deep.equal(found(referring))
    })

    it('is unknown where that cannot be read: a template may be in it', async () => {
      const instead = { [BASE]: failing('unreachable') }
      expect((await look({ asked: ofRollout, world: [referring], instead })).seen.source).to.deep.equal({
        is: 'unread',
      })
    })

    const stable = { ...aRollout(), status: { stableRS: 'abc' } }
    const replicaSet = (name: string, hash: string): KubeObject => ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name, namespace: 'shop', labels: { [ROLLOUT_HASH]: hash } },
    })

    it('comes with the ReplicaSets of its stable revision, by label', async () => {
      const sets = [replicaSet('cart-abc', 'abc'), replicaSet('cart-def', 'def')]
      const elsewhere = inNamespace('till', replicaSet('cart-ghi', 'abc'))
      const { seen } = await look({ asked: ofRollout, world: [stable, ...sets, elsewhere] })
      const { metadata } = replicaSet('cart-abc', 'abc')
      expect(seen.source).to.deep.equal(found(stable, { metadata }))
    })

    it('comes without what a list holds that is no object', async () => {
      const instead = { [REPLICA_SETS]: () => ({ items: [null, 'x', {}, replicaSet('cart-abc', 'abc')] }) }
      const { seen } = await look({ asked: ofRollout, world: [stable], instead })
      expect(seen.source).to.deep.equal(found(stable, replicaSet('cart-abc', 'abc')))
    })
  })
})

describe('the right to what a source refers to', () => {
  const BOTH = 'needs "create rollouts.argoproj.io" and "get rollouts.argoproj.io/cart" in namespace "shop"'
  const world = [referring, base]

  it('is asked for once the source itself is granted', async () => {
    const { seen, reviews } = await look({ asked: ofRollout, world })
    expect(reviews()).to.have.length(3)
    expect(seen.access).to.equal('granted')
    expect(tellNeeds(seen.needs)).to.equal('needs "get deployments.apps/base" in namespace "shop"')
  })

  const refusals: Record<string, readonly [Access, string]> = {
    'is not asked for where that is refused: its name would be told': [() => ({ allowed: false }), 'refused'],
    'is not asked for where nobody can tell': [failing('unreachable'), 'unknown'],
  }
  for (const [sentence, [access, expected]] of Object.entries(refusals))
    it(sentence, async () => {
      const { seen, reviews } = await look({ asked: ofRollout, world, access })
      expect(reviews()).to.have.length(2)
      expect([seen.access, tellNeeds(seen.needs)]).to.deep.equal([expected, BOTH])
    })

  it('comes with all that was seen', async () => {
    const { seen } = await look({ asked: ofRollout, world })
    expect(seen.source.is).to.equal('found')
    expect(seen.rules?.namespace.name).to.equal('shop')
  })

  it('is none where the source refers to nothing', async () => {
    const { seen, reviews } = await look({ asked: ofRollout, world: [aRollout()] })
    expect(reviews()).to.have.length(2)
    expect(tellNeeds(seen.needs)).to.equal(BOTH)
  })
})

describe('what an experiment was pinned to', () => {
  const pin = { onSourceChange: 'Pin' }
  const revision: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: FORK, namespace: 'shop', ownerReferences: [ownerReference(anExperiment())] },
    data: { base: aBase(), source: { uid: 'u', generation: 1, templateHash: 'x' } },
  }
  const PATH = `/apis/apps/v1/namespaces/shop/controllerrevisions/${FORK}`
  const update = anUpdate(pin, { ...pin, replicas: 2 })

  it('is read for an update', async () => {
    const { seen, paths } = await look({ asked: update, world: [revision, aDeployment()] })
    expect(seen.pinned).to.deep.equal(aBase())
    expect(paths()).to.include(PATH)
  })

  it('is read beside the experiment, wherever its source is', async () => {
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'till' }
    const asked = anUpdate({ ...pin, sourceRef }, { ...pin, sourceRef, replicas: 2 })
    expect((await look({ asked, world: [revision] })).seen.pinned).to.deep.equal(aBase())
    const elsewhere = inNamespace('till', revision)
    expect((await look({ asked, world: [elsewhere] })).seen.pinned).to.equal(undefined)
  })

  const unread: Record<string, Given> = {
    'is nothing for a create': { asked: anAsked({ object: anExperiment(pin) }) },
    'is nothing where an experiment follows its source': { asked: anUpdate({}, { replicas: 2 }) },
  }
  for (const [sentence, given] of Object.entries(unread))
    it(`${sentence}, and is not read`, async () => {
      const { seen, paths } = await look({ ...given, world: [revision, aDeployment()] })
      expect(seen.pinned).to.equal(undefined)
      expect(paths()).to.deep.equal([CART])
    })

  it('is nothing where it is not there yet', async () =>
    expect((await look({ asked: update })).seen.pinned).to.equal(undefined))

  const unknown: Record<string, Given> = {
    'is unknown where nobody answers': { instead: { [PATH]: failing('unreachable') } },
    'is unknown where we may not look': { instead: { [PATH]: failing('forbidden') } },
    'is unknown where the answer is no object of the cluster': { instead: { [PATH]: () => ({ data: {} }) } },
  }
  for (const [sentence, given] of Object.entries(unknown))
    it(sentence, async () => expect((await look({ ...given, asked: update })).seen.pinned).to.equal('unread'))
})
