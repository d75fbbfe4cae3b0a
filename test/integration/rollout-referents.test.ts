import { expect } from 'chai'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { LEAVING_MS } from '../../common/run/leaving.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aRollout } from './argo.ts'
import { condition, DEADLINE_MS, forkOf, imagesOf, usesProduct } from './product.ts'
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

  /** The experiment with its fork. A review on a busy machine may not read the template in time. */
  async function reviewed(name: string, template: string) {
    const hasFork = ({ status }: ExperimentDeployment) => status?.experimentResourceRef !== undefined
    const found = await place().shows(
      name,
      'a fork, or that its template was not reviewed',
      (shown) => hasFork(shown) || condition(shown, 'Stalled')?.reason === 'TemplateNotReviewed',
    )
    if (hasFork(found)) return found
    const { namespace } = place()
    const annotation = `experiment-controller.example.com/reviewed-template=${template}`
    expect(condition(found, 'Stalled')?.message).to.contain(
      `kubectl annotate --overwrite expd/${name} --namespace=${namespace} ${annotation}`,
    )
    expect((await place().kubectl(['annotate', '--overwrite', `expd/${name}`, annotation])).code).to.equal(0)
    return place().shows(name, 'a fork', hasFork)
  }

  for (const [kind, { name, apiVersion }] of Object.entries(REFERENTS))
    it(`A fork starts from the template of a ${kind}, and is deleted when its experiment expires`, async () => {
      const { api, path } = place()
      const workloadRef = { apiVersion, kind, name }
      await aRollout(place(), name, { workloadRef, selector: { matchLabels: labelsOf(name) } })
      const experiment = `try-${name}`
      await place().experiment(experiment, { source: name, kind: 'Rollout' })
      const found = await reviewed(experiment, `${kind}/${name}`)
      const fork = path('rollouts', forkOf(found))
      expect(imagesOf(await api.get(fork))).to.deep.equal([`registry.example/${name}:7`])
      await api.patch(path('experiments', experiment), { spec: { ttlSeconds: 1 } })
      await place().reaches(experiment, 'Expired')
      // no Argo takes its pods, so the deletion waits for them as long as it may
      await eventually('the fork to be gone', LEAVING_MS + DEADLINE_MS, async () =>
        expect(await api.get(fork).catch(String)).to.contain('not found'),
      )
    })
})
