import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { aRollout } from './argo.ts'
import { DEADLINE_MS, forkOf, imagesOf, usesProduct } from './product.ts'
import { usesRolloutCrds } from './rollout-crds.ts'

/** The objects that a `workloadRef` may name besides a Deployment, by their kind. */
const REFERENTS = {
  ReplicaSet: { name: 'of-set', apiVersion: 'apps/v1' },
  PodTemplate: { name: 'of-template', apiVersion: 'v1' },
} as const

/** No Argo runs here, so a Rollout has no stable ReplicaSet to start from instead. */
describe('a Rollout without a template of its own, on the real control plane', () => {
  usesRolloutCrds()
  const place = usesProduct()

  const labelsOf = (name: string) => ({ app: name })
  const templateOf = (name: string) => ({
    metadata: { labels: labelsOf(name) },
    spec: { containers: [{ name: 'cart', image: `registry.example/${name}:7` }] },
  })
  before('a ReplicaSet and a PodTemplate', async () => {
    const { namespace, api } = place()
    const [set, template] = [REFERENTS.ReplicaSet.name, REFERENTS.PodTemplate.name]
    await api.create(`/apis/apps/v1/namespaces/${namespace}/replicasets`, {
      metadata: { name: set },
      spec: { replicas: 0, selector: { matchLabels: labelsOf(set) }, template: templateOf(set) },
    })
    await api.create(`/api/v1/namespaces/${namespace}/podtemplates`, {
      metadata: { name: template },
      template: templateOf(template),
    })
  })

  for (const [kind, { name, apiVersion }] of Object.entries(REFERENTS))
    it(`A fork starts from the template of a ${kind}, and is deleted when its experiment expires`, async () => {
      const { api, path } = place()
      const workloadRef = { apiVersion, kind, name }
      await aRollout(place(), name, { workloadRef, selector: { matchLabels: labelsOf(name) } })
      const experiment = `try-${name}`
      await place().experiment(experiment, { source: name, kind: 'Rollout' })
      const found = await place().shows(
        experiment,
        'a fork',
        ({ status }) => status?.experimentResourceRef !== undefined,
      )
      const fork = path('rollouts', forkOf(found))
      expect(imagesOf(await api.get(fork))).to.deep.equal([`registry.example/${name}:7`])
      await api.patch(path('experiments', experiment), { spec: { ttlSeconds: 1 } })
      await place().reaches(experiment, 'Expired')
      await eventually('the fork to be gone', DEADLINE_MS, async () =>
        expect(await api.get(fork).catch(String)).to.contain('not found'),
      )
    })
})
