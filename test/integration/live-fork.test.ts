import { expect } from 'chai'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { at, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { aSource, condition, forkOf, imagesOf, usesProduct } from './product.ts'

describe('a fork that somebody edits by hand, on the real control plane', () => {
  const place = usesProduct()
  const policyPath = (name?: string) => resourcePath(EXPERIMENT_POLICY, name === undefined ? {} : { name })
  after('the policy is deleted', () => place().api.delete(policyPath(place().namespace)))

  const compliance = 'PolicyCompliant'

  it('S8: is put back where the controller sets it; what is added stays, and is told where a policy denies it', async () => {
    const { apiVersion, kind } = EXPERIMENT_POLICY
    await place().api.create(policyPath(), {
      apiVersion,
      kind,
      metadata: { name: place().namespace },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': place().namespace } },
        allowedOverridePaths: ['template.spec.containers[*].image'],
      },
    })
    await aSource(place(), 'edited')
    const image = 'registry.example/cart:2'
    await place().experiment('watched', {
      source: 'edited',
      overrideType: 'Strategic',
      overrideSpec: { template: { spec: { containers: [{ name: 'cart', image }] } } },
    })
    const ready = await place().reaches('watched', 'Available')
    expect(condition(ready, compliance)?.message).to.contain(place().namespace)
    const fork = forkOf(ready)
    const spec = {
      hostNetwork: true,
      volumes: [{ name: 'host', hostPath: { path: '/etc' } }],
      containers: [{ name: 'cart', image: 'registry.example/other:3' }],
    }
    const patch = JSON.stringify({ spec: { template: { metadata: { labels: { tier: 'open' } }, spec } } })
    const { code, text } = await place().kubectl(['patch', 'deployment', fork, '--type=strategic', '-p', patch])
    expect(code, text).to.equal(0)
    const told = await place().shows('watched', 'all three additions', (found) =>
      ['hostNetwork', 'volumes[host]', 'labels.tier'].every(
        (field) =>
          condition(found, compliance)?.message.includes(`deployment/${fork}: spec.template.`) &&
          condition(found, compliance)?.message.includes(`${field}: added by hand`),
      ),
    )
    expect(condition(told, compliance)).to.deep.include({ status: 'False', reason: 'PolicyViolated' })
    const live = await place().deployment(fork)
    expect(imagesOf(live)).to.deep.equal([image])
    const pod = at(live, 'spec', 'template', 'spec')
    expect([at(pod, 'hostNetwork'), listOr(at(pod, 'volumes')).length]).to.deep.equal([true, 1])
    const remove = JSON.stringify({
      spec: {
        template: {
          metadata: { labels: { tier: null } },
          spec: { hostNetwork: null, volumes: [{ name: 'host', $patch: 'delete' }] },
        },
      },
    })
    expect((await place().kubectl(['patch', 'deployment', fork, '--type=strategic', '-p', remove])).code).to.equal(0)
    await place().shows('watched', 'compliance again', (found) => condition(found, compliance)?.status === 'True')
  })
})
