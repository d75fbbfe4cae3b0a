import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY, REQUESTED_BY } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { ApiError } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aNamespace, controlPlane } from './fixture.ts'
import { aSource, DEADLINE_MS, type Place, usesProduct } from './product.ts'
import { bind } from './roles.ts'

const GROUP = EXPERIMENT_DEPLOYMENT.apiVersion.split('/')[0] ?? ''
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const EXPERIMENTS = { apiGroups: [GROUP], resources: ['experimentdeployments'], verbs: ['*'] }

/** A role with these verbs on Deployments and with all permissions on experiments. */
const roleOf = (name: string, verbs: readonly string[]) => ({
  metadata: { name },
  rules: [EXPERIMENTS, ...(verbs.length > 0 ? [{ apiGroups: ['apps'], resources: ['deployments'], verbs }] : [])],
})

describe('the permissions of real users', () => {
  const place = usesProduct()
  let other = ''

  before('alice may create experiments and Deployments, bob only experiments', async function () {
    this.timeout(2 * DEADLINE_MS)
    const { api, namespace } = place()
    const plane = await controlPlane()
    other = await aNamespace()
    await aSource(place(), 'cart')
    await aSource(inOther(), 'secret-cart')
    await api.create(ROLES, roleOf('test-only-experiments', []))
    await api.create(ROLES, roleOf('test-experiments-and-deployments', ['create', 'get', 'patch']))
    const proof = { verb: 'create', group: GROUP, resource: 'experimentdeployments' }
    await bind(plane, 'bob', { role: 'test-only-experiments', namespace, proof })
    await bind(plane, 'alice', { role: 'test-experiments-and-deployments', namespace, proof })
  })
  after('their roles are removed', async () => {
    for (const name of ['test-only-experiments', 'test-experiments-and-deployments'])
      await place().api.delete(`${ROLES}/${name}`)
  })

  const inOther = (): Place => ({
    ...place(),
    path: (of, name) => place().path(of, name).replace(place().namespace, other),
  })

  interface Asks {
    readonly name: string
    readonly source?: string
    readonly from?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly overrideSpec?: JsonObject
  }

  const experiment = ({ name, source = 'cart', from, annotations = {}, overrideSpec = {} }: Asks) => ({
    apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
    kind: EXPERIMENT_DEPLOYMENT.kind,
    metadata: { name, annotations },
    spec: {
      sourceRef: { kind: 'Deployment', name: source, ...(from === undefined ? {} : { namespace: from }) },
      overrideSpec,
    },
  })

  /** The answer to `user`. */
  async function create(user: 'alice' | 'bob', asks: Asks): Promise<string> {
    const api = (await controlPlane()).apiAs(user)
    try {
      await api.create(place().path('experiments'), experiment(asks))
      return 'created'
    } catch (error) {
      if (error instanceof ApiError) return error.message.replace(/^.*denied the request: /, '')
      throw error
    }
  }

  const NEEDS = 'needs "create deployments.apps" and "get deployments.apps/cart"'

  it('give no fork to a user who may create only experiments', async () => {
    expect(await create('bob', { name: 'of-bob' })).to.equal(`${NEEDS} in namespace "${place().namespace}"`)
  })

  it('give the same answer whether or not the source exists', async () => {
    const answer = await create('bob', { name: 'of-bob', source: 'nothing' })
    expect(answer).to.equal(`${NEEDS.replace('cart', 'nothing')} in namespace "${place().namespace}"`)
  })

  it('give a fork to a user who may also create Deployments, and the fork names the requester', async () => {
    const forged = { [REQUESTED_BY]: 'root' }
    expect(await create('alice', { name: 'of-alice', annotations: forged })).to.equal('created')
    const { metadata, status } = await place().reaches('of-alice', 'Available')
    expect(metadata.annotations?.[REQUESTED_BY]).to.equal('alice')
    const name = status?.experimentResourceRef?.name ?? ''
    expect((await place().deployment(name)).metadata.name).to.equal(name)
  })

  it('A18: do not suffice for a source in another namespace without permissions there, nor without its consent', async () => {
    const asks = { name: 'far', source: 'secret-cart', from: other }
    const needs = 'needs "create deployments.apps" and "get deployments.apps/secret-cart" in namespace'
    expect(await create('alice', asks)).to.equal(`${needs} "${other}"`)
    const plane = await controlPlane()
    const proof = { verb: 'create', group: 'apps', resource: 'deployments' }
    await bind(plane, 'alice', { role: 'test-experiments-and-deployments', namespace: other, proof })
    const answer = await create('alice', asks)
    expect(answer).to.contain(`does not share its workloads with "${place().namespace}"`)
    expect(await create('alice', { ...asks, source: 'nothing' })).to.equal(answer)
  })

  it('suffice with both', async () => {
    const { api, namespace } = place()
    const policy = resourcePath(EXPERIMENT_POLICY, { name: `test-share-${other}` })
    await api.apply(policy, {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: `test-share-${other}` },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': other } },
        allowSourcesFrom: [namespace],
      },
    })
    await eventually('consent to be seen', DEADLINE_MS, async () => {
      const answer = await create('alice', { name: 'shared', source: 'secret-cart', from: other })
      if (answer !== 'created') throw new Error(answer)
    })
    const { status } = await place().reaches('shared', 'Available')
    expect(status?.experimentResourceRef?.namespace).to.equal(other)
    await api.delete(place().path('experiments', 'shared'))
    const fork = resourcePath(deployment, { namespace: other, name: status?.experimentResourceRef?.name ?? '' })
    await eventually('resource and fork to be gone', DEADLINE_MS, async () => {
      const left = await Promise.allSettled([
        api.get(fork),
        api.get<ExperimentDeployment>(place().path('experiments', 'shared')),
      ])
      if (left.some(({ status: settled }) => settled === 'fulfilled')) throw new Error('not yet')
    })
    await api.delete(policy)
  })
})
