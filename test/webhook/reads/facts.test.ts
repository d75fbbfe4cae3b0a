import { expect } from 'chai'
import { ABSENT, known, knownValue, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { ROLLOUT_HASH } from '../../../common/workload/stable-template.ts'
import { formatNeeds } from '../../../webhook/reads/access.ts'
import { readFacts } from '../../../webhook/reads/facts.ts'
import type { PolicySource } from '../../../webhook/reads/policies.ts'
import { aDeployment, anExperiment, aRollout, FORK, installing } from '../../builders.ts'
import { aReader, failing } from '../../fakes/reader.ts'
import { aDecodedRequest, aNamespace, anUpdate, inNamespace } from '../a-decoded-request.ts'

const NOBODY: PolicySource = {
  policies: () => [],
  namespace: async (name) => aNamespace(name),
  isExcluded: () => false,
}

type Access = NonNullable<Parameters<typeof aReader>[1]>['access']
interface Given {
  readonly world?: readonly KubeObject[]
  readonly instead?: Readonly<Record<string, () => unknown>>
  readonly access?: Access
  readonly decoded?: ReturnType<typeof aDecodedRequest>
}

async function read({ world = [], instead = {}, access, decoded = aDecodedRequest() }: Given) {
  const reader = aReader(world, access ? { instead, access } : { instead })
  const { signal } = new AbortController()
  const facts = await readFacts({ kube: reader.kube, policies: NOBODY, installed: installing(), signal }, decoded)
  return { facts, ...reader }
}

const CART = '/apis/apps/v1/namespaces/shop/deployments/cart'
const ROLLOUT = '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/cart'
const BASE = '/apis/apps/v1/namespaces/shop/deployments/base'
const REPLICA_SETS = '/apis/apps/v1/namespaces/shop/replicasets'

const ofRollout = aDecodedRequest({ object: anExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' } }) })
const referring = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } })
const base = aDeployment({ name: 'base' })

describe('the source that a review reads', () => {
  const found = (source: KubeObject, ...referents: object[]) => known({ object: source, referents })
  const cases: Record<string, readonly [Given, object]> = {
    'is the workload as it is now': [{ world: [aDeployment()] }, found(aDeployment())],
    'is not a workload with another name': [{ world: [aDeployment({ name: 'till' })] }, ABSENT],
    'is not a workload in another namespace': [{ world: [inNamespace('till', aDeployment())] }, ABSENT],
    'is absent in a cluster without its kind': [
      { decoded: ofRollout, instead: { [ROLLOUT]: failing('kindAbsent') } },
      ABSENT,
    ],
    'is unknown while the API server does not answer': [
      { instead: { [CART]: failing('unreachable') } },
      unknown('unreachable'),
    ],
    'N29: is unknown, with its name, where it is too large': [
      {
        instead: {
          [CART]: () => {
            throw new KubeError({ kind: 'unread', message: 'deployment/cart is too large to be read' })
          },
        },
      },
      unknown('deployment/cart is too large to be read'),
    ],
    'is unknown where we may not read it': [{ instead: { [CART]: failing('forbidden') } }, unknown('forbidden')],
    'is unknown where another server answers': [
      { instead: { [CART]: () => ({ ...aDeployment(), kind: 'Portal' }) } },
      unknown('unreachable'),
    ],
    'is unknown if the answer is not a workload': [
      { instead: { [CART]: () => ({ kind: 'Deployment' }) } },
      unknown('unreachable'),
    ],
  }
  for (const [sentence, [given, expected]] of Object.entries(cases))
    it(sentence, async () => expect((await read(given)).facts.source).to.deep.equal(expected))

  it('throws an internal error, because no decision may come of it', async () => {
    const bug = () => {
      throw new TypeError('a bug')
    }
    const pinned = anUpdate({ onSourceChange: 'Pin' }, { onSourceChange: 'Pin', replicas: 2 })
    const revision = `/apis/apps/v1/namespaces/shop/controllerrevisions/${FORK}`
    const givens: Given[] = [
      { instead: { [CART]: bug } },
      { instead: { [revision]: bug }, decoded: pinned },
      { instead: { [BASE]: bug }, decoded: ofRollout, world: [referring] },
      { access: bug },
    ]
    for (const given of givens) {
      const outcome = await read(given).catch((error: unknown) => error)
      expect(outcome).to.be.instanceOf(TypeError)
    }
  })

  describe('that is a Rollout', () => {
    it('comes with the workload that it refers to by name', async () => {
      const { facts } = await read({ decoded: ofRollout, world: [referring, base, aDeployment()] })
      expect(facts.source).to.deep.equal(found(referring, base))
    })

    it('comes alone if that workload does not exist, which the plan reports', async () => {
      const elsewhere = inNamespace('till', base)
      const { facts } = await read({ decoded: ofRollout, world: [referring, elsewhere, aDeployment()] })
      expect(facts.source).to.deep.equal(found(referring))
    })

    it('is unknown where the answer is not an object', async () => {
      const { facts } = await read({ decoded: ofRollout, world: [referring], instead: { [BASE]: () => ({}) } })
      expect(facts.source).to.deep.equal(unknown('unreachable'))
    })

    it('is unknown if that workload cannot be read, because the template may be in it', async () => {
      const instead = { [BASE]: failing('unreachable') }
      expect((await read({ decoded: ofRollout, world: [referring], instead })).facts.source).to.deep.equal(
        unknown('unreachable'),
      )
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
      const { facts } = await read({ decoded: ofRollout, world: [stable, ...sets, elsewhere] })
      const { metadata } = replicaSet('cart-abc', 'abc')
      expect(facts.source).to.deep.equal(found(stable, { metadata }))
    })

    it('is unknown where a list has items that are no objects', async () => {
      const instead = { [REPLICA_SETS]: () => ({ items: [null, 'x', {}, replicaSet('cart-abc', 'abc')] }) }
      const { facts } = await read({ decoded: ofRollout, world: [stable], instead })
      expect(facts.source).to.deep.equal(unknown('unreachable'))
    })
  })
})

describe('the right to the object that a source refers to', () => {
  const ALL =
    'needs "create rollouts.argoproj.io", "get rollouts.argoproj.io/cart" and "get replicasets.apps" in namespace "shop"'
  const world = [referring, base]

  it('is checked once the right to the source itself is granted', async () => {
    const { facts, reviews } = await read({ decoded: ofRollout, world })
    expect(reviews).to.have.length(4)
    expect(facts.access).to.equal('granted')
    expect(formatNeeds(facts.needs)).to.equal('needs "get deployments.apps/base" in namespace "shop"')
  })

  const refusals: Record<string, readonly [Access, string]> = {
    'is not checked where that is refused, because its name would leak': [() => ({ allowed: false }), 'refused'],
    'is not checked where there is no answer': [failing('unreachable'), 'notChecked'],
  }
  for (const [sentence, [access, expected]] of Object.entries(refusals))
    it(sentence, async () => {
      const { facts, reviews } = await read({ decoded: ofRollout, world, access })
      expect(reviews).to.have.length(3)
      expect([facts.access, formatNeeds(facts.needs)]).to.deep.equal([expected, ALL])
    })

  it('comes with everything that was read', async () => {
    const { facts } = await read({ decoded: ofRollout, world })
    expect(facts.source.is).to.equal('known')
    expect(knownValue(facts.policies)?.namespace.name).to.equal('shop')
  })

  it('is not needed where the source refers to nothing', async () => {
    const { facts, reviews } = await read({ decoded: ofRollout, world: [aRollout()] })
    expect(reviews).to.have.length(3)
    expect(formatNeeds(facts.needs)).to.equal(ALL)
  })
})
