import { expect } from 'chai'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, condition, DEADLINE_MS, forkOf, usesProduct } from './product.ts'

describe('an experiment that is alone behind its Service, on the real control plane', () => {
  const place = usesProduct()
  const policyPath = (name?: string) => resourcePath(EXPERIMENT_POLICY, name === undefined ? {} : { name })
  after('the policy is deleted', () => place().api.delete(policyPath(place().namespace)))

  const scaleSource = (name: string, replicas: number) =>
    place().api.patch(place().path('deployments', name), { spec: { replicas } })
  const podsOf = async (fork: string) => at(await place().deployment(fork), 'spec', 'replicas')
  const warningOf = (reasons: readonly { readonly reason: string; readonly message: string }[] = []) =>
    reasons.find(({ reason }) => reason === 'AloneBehindService')?.message

  it('S13: is told by a warning, an Event and the plan, and keeps its pods', async () => {
    await aSource(place(), 'lost')
    await place().experiment('alone', { source: 'lost' })
    const found = await place().shows('alone', 'half of the traffic', ({ status }) => status?.share === '50%')
    expect(warningOf(found.status?.warnings)).to.equal(undefined)
    await scaleSource('lost', 0)
    const told = await place().shows('alone', 'the warning', ({ status }) => warningOf(status?.warnings) !== undefined)
    expect(warningOf(told.status?.warnings)).to.equal(
      'no other ready endpoint in service/lost: the fork gets all requests',
    )
    expect(condition(told, 'TrafficShared')?.message).to.contain('AloneBehindService: no other ready endpoint')
    expect([condition(told, 'Ready')?.status, told.status?.share, await podsOf(forkOf(told))]).to.deep.equal([
      'True',
      '100%',
      1,
    ])
    await eventually('the Event', DEADLINE_MS, async () => {
      const events = await place().api.list<KubeObject & { readonly reason: string }>(
        resourcePath(RESOURCES.Event, { namespace: place().namespace }),
      )
      expect(events.map(({ reason }) => reason)).to.include('AloneBehindService')
    })
    const patch = ['patch', 'expd/alone', '--type=merge', '-p', '{"spec":{"replicas":2}}', '--dry-run=server']
    expect((await place().kubectl(patch)).text).to.contain(
      '[AloneBehindService] no other ready endpoint in service/lost',
    )
  })

  it('S13: has no pods under a policy that forbids it, until its source is back', async () => {
    await aSource(place(), 'barred')
    await place().experiment('held', { source: 'barred', replicas: 2 })
    const ready = await place().shows('held', 'its traffic', ({ status }) => status?.share === '67%')
    const { apiVersion, kind } = EXPERIMENT_POLICY
    await place().api.create(policyPath(), {
      apiVersion,
      kind,
      metadata: { name: place().namespace },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': place().namespace } },
        aloneBehindService: 'Deny',
      },
    })
    await scaleSource('barred', 0)
    const held = await place().shows('held', 'no pods', ({ status }) => status?.pods === '0/0')
    expect(condition(held, 'Ready')).to.deep.include({ status: 'False', reason: 'AloneBehindService' })
    expect(condition(held, 'Ready')?.message).to.contain(`no pods until there is one (policy "${place().namespace}")`)
    await scaleSource('barred', 1)
    const back = await place().shows('held', 'its traffic again', ({ status }) => status?.share === '67%')
    expect([forkOf(back), await podsOf(forkOf(back))]).to.deep.equal([forkOf(ready), 2])
    expect(warningOf(back.status?.warnings)).to.equal(undefined)
  })
})
