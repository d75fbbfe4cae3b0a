import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { at } from '../../../common/json/json.ts'
import { SimilarSources } from '../../../webhook/reads/similar-sources.ts'
import { validator } from '../../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aRollout } from '../../builders.ts'
import { aReader, failing } from '../../fakes/reader.ts'
import { VirtualTime } from '../../virtual-time.ts'
import { aDecodedRequest, inNamespace } from '../a-decoded-request.ts'
import { aRequest, validatorDeps } from '../reviews.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments'
const ROLLOUTS = '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts'
const STATEFUL_SETS = '/apis/apps/v1/namespaces/shop/statefulsets'

const aStatefulSet = (name: string): KubeObject => ({ ...aDeployment({ name }), kind: 'StatefulSet' })
const aFork = (name: string): KubeObject => aDeployment({ name, labels: { [EXPERIMENT_ID]: 'x' } })
const named = (name: string) => aDecodedRequest({ object: anExperiment({ sourceRef: { kind: 'Deployment', name } }) })

interface Given {
  readonly world?: readonly KubeObject[]
  readonly instead?: Readonly<Record<string, () => unknown>>
  /** the resources that the requester may list */
  readonly mayList?: readonly string[]
}

function reading({ world = [], instead = {}, mayList = ['deployments', 'statefulsets', 'rollouts'] }: Given) {
  const time = new VirtualTime()
  const access = (spec: unknown) => ({
    allowed:
      at(spec, 'resourceAttributes', 'verb') !== 'list' ||
      mayList.includes(`${at(spec, 'resourceAttributes', 'resource')}`),
  })
  const reader = aReader(world, { instead, access })
  const similar = new SimilarSources(reader.kube, time)
  const { signal } = new AbortController()
  return { ...reader, time, of: (name: string) => similar.of(named(name), { kube: reader.kube, signal }) }
}

const cases: Record<string, readonly [name: string, Given, ...told: string[]]> = {
  'names the close one of the same kind': [
    'crat',
    { world: [aDeployment(), aDeployment({ name: 'till' })] },
    'deployment/cart',
  ],
  'names nothing if nothing is close': ['checkout', { world: [aDeployment()] }],
  'names nothing of another namespace': ['crat', { world: [inNamespace('stock', aDeployment())] }],
  'names one of the same name of another kind, but none that is only close': [
    'db',
    { world: [aStatefulSet('db'), aRollout(), aStatefulSet('dc')] },
    'statefulset/db',
  ],
  'names both': ['crat', { world: [aDeployment(), aStatefulSet('crat')] }, 'deployment/cart', 'statefulset/crat'],
  'names no fork, because forks are no sources': ['crat', { world: [aFork('cart')] }],
  'names only what the requester may list': [
    'crat',
    { world: [aDeployment(), aStatefulSet('crat')], mayList: ['statefulsets'] },
    'statefulset/crat',
  ],
  'names what can be read': [
    'crat',
    { world: [aDeployment()], instead: { [STATEFUL_SETS]: failing('unreachable'), [ROLLOUTS]: failing('kindAbsent') } },
    'deployment/cart',
  ],
  'names nothing if the list fails': ['crat', { instead: { [DEPLOYMENTS]: failing('server') } }],
  'compares no endless names': ['c'.repeat(64), { world: [aDeployment({ name: 'c'.repeat(63) })] }],
}

describe('the sources that may be meant', () => {
  for (const [sentence, [name, given, ...told]] of Object.entries(cases))
    it(`M6: ${sentence}`, async () => expect(await reading(given).of(name)).to.deep.equal(told))

  it('M6: are asked for in short, and only as the requester', async () => {
    const { of, requests, reviews, asked } = reading({ mayList: ['deployments'] })
    await of('crat')
    expect(asked).to.deep.equal([DEPLOYMENTS])
    const list = requests.find(({ verb }) => verb === 'list')
    expect(list?.query).to.include({ limit: 500, includeObject: 'None' })
    expect(list?.accept).to.contain('as=Table')
    expect(reviews.map((spec) => at(spec, 'user'))).to.deep.equal(['alice', 'alice', 'alice'])
  })

  it('M6: are listed once in ten seconds, and the permission is asked each time', async () => {
    const { of, asked, reviews, time } = reading({ world: [aDeployment()], mayList: ['deployments'] })
    await of('crat')
    await of('carts')
    expect([asked.length, reviews.length]).to.deep.equal([1, 6])
    await time.pass(10_000)
    await of('crat')
    expect(asked).to.have.length(2)
  })

  it('M6: are not asked for where the source exists', async () => {
    const { kube, requests } = aReader([aDeployment()])
    await validator(validatorDeps(kube, ANY_SCHEMA))(aRequest())
    expect(requests.filter(({ accept }) => accept?.includes('as=Table'))).to.deep.equal([])
    expect(requests.map(({ path }) => path)).not.to.include(DEPLOYMENTS)
  })
})
