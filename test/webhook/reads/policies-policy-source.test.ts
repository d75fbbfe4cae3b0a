import { expect } from 'chai'
import { policyReflector, policySource } from '../../../webhook/reads/policies.ts'
import { DECISIVE_MS } from '../../../webhook/reads/reader.ts'
import { aPolicy } from '../../builders.ts'
import { aReader } from '../../fakes/reader.ts'
import { ScriptedClient } from '../../fakes/wire-by-hand.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'

const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { team: 'a' } } }
const policy = (name: string) => ({
  ...aPolicy({ name, maxReplicas: 3 }),
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: '7', managedFields: [{ manager: 'kubectl' }] },
})

/** The policies of a cluster whose answers the test gives. */
function world() {
  const [client, timers] = [new ScriptedClient(), new VirtualTime()]
  const reflector = policyReflector({ client, timers, random: () => 1, log: diaryLog() })
  const reader = aReader([shop])
  reflector.start()
  return {
    client,
    reflector,
    reader,
    source: policySource(reflector, { client: reader.kube, timers, ownNamespace: 'experiment-controller-system' }),
  }
}

describe('the policies of the cluster', () => {
  it('are unknown until they have been read, and then known for all namespaces at once', async () => {
    const { client, reflector, source } = world()
    const { request, answer } = await client.list()
    expect(request.path).to.equal('/apis/experimentcontroller.example.com/v1alpha1/experimentpolicies')
    expect(source.policies()).to.equal(undefined)
    answer({ kind: 'ExperimentPolicyList', metadata: { resourceVersion: '9' }, items: [policy('one'), policy('two')] })
    await reflector.synced()
    expect(source.policies()?.map(({ metadata, spec }) => [metadata.name, spec.maxReplicas])).to.deep.equal([
      ['one', 3],
      ['two', 3],
    ])
    await reflector.stop()
  })

  it('are kept without managedFields, which nothing here needs', async () => {
    const { client, reflector, source } = world()
    const { answer } = await client.list()
    answer({ kind: 'ExperimentPolicyList', metadata: { resourceVersion: '9' }, items: [policy('one')] })
    await reflector.synced()
    expect(source.policies()?.[0]?.metadata).to.not.have.property('managedFields')
    await reflector.stop()
  })

  it('select namespaces by labels, which are waited for as long as a decision needs', async () => {
    const { reflector, reader, source } = world()
    expect(await source.namespace('shop')).to.deep.equal({ name: 'shop', labels: { team: 'a' } })
    expect(reader.requests).to.deep.equal([
      { verb: 'get', path: '/api/v1/namespaces/shop', expects: 'Namespace', deadlineMs: DECISIVE_MS },
    ])
    await reflector.stop()
  })
})
