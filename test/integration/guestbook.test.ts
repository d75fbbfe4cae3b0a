import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { guestbook } from '../../sandbox/modules.ts'
import { needs } from '../needs.ts'
import { condition, DEADLINE_MS, forkOf, imagesOf, usesProduct } from './product.ts'

const OTHER = 'registry.example/other:2.0.0'

interface Workload extends KubeObject {
  readonly spec: {
    readonly replicas: number
    readonly template: {
      readonly metadata: { readonly labels: object }
      readonly spec: { readonly containers: readonly JsonObject[] }
    }
  }
}

describe('every Deployment of Kubernetes’ guestbook, on the real control plane', () => {
  const place = usesProduct()
  needs('kubernetesFiles')
  let sources: readonly Workload[] = []
  const all = <T>(act: (source: Workload) => Promise<T>): Promise<readonly T[]> => Promise.all(sources.map(act))
  const plain = ({ metadata }: KubeObject) => `${metadata.name}-plain`
  const other = ({ metadata }: KubeObject) => `${metadata.name}-other`

  before(async function () {
    this.timeout(DEADLINE_MS)
    const manifests = await guestbook()
    const { code, text } = await place().kubectl(['apply', '-f', '-'], manifests.join('\n---\n'))
    expect(code, text).to.equal(0)
    sources = manifests
      .flatMap((manifest) => parseAllDocuments(manifest).map((document) => document.toJS() as Workload))
      .filter(({ kind }) => kind === 'Deployment')
    expect(sources).to.have.length(5)
    await all(async (source) => {
      const { name } = source.metadata
      const containers = source.spec.template.spec.containers.map((container) => ({ ...container, image: OTHER }))
      await place().experiment(plain(source), { source: name })
      await place().experiment(other(source), { source: name, overrideSpec: { template: { spec: { containers } } } })
    })
  })

  it('is forked, once without changes and once with another image, and both forks become Ready', async () => {
    await all(async (source) => {
      const forks = await Promise.all(
        [plain(source), other(source)].map(async (name) =>
          place().deployment(forkOf(await place().reaches(name, 'Available'))),
        ),
      )
      const images = source.spec.template.spec.containers.map(({ image }) => image)
      expect(forks.map(imagesOf)).to.deep.equal([images, images.map(() => OTHER)])
      for (const fork of forks) expect(fork.spec).to.deep.include({ replicas: 1 })
    })
  })

  it('is selected by the Service of its source, with a share according to its pods', async () => {
    await all(async (source) => {
      const { replicas } = source.spec
      const share = `${Math.round(100 / (replicas + 2))}%`
      const row = {
        name: source.metadata.name,
        selected: true,
        message: '1 of the endpoints belongs to another experiment',
        share,
        experimentEndpoints: 1,
        readyEndpoints: replicas + 2,
      }
      const shown = (found: ExperimentDeployment) =>
        found.status?.services?.some((service) => service.share === share) === true
      const found = await place().shows(plain(source), `a share of ${share}`, shown)
      expect(found.status?.services).to.deep.equal([row])
      expect(condition(found, 'TrafficShared')?.reason).to.equal('Selected')
    })
  })

  it('is followed: its fork gets a change of the source, and keeps its override', async () => {
    await all(async (source) => {
      const change = { spec: { template: { spec: { terminationGracePeriodSeconds: 7 } } } }
      await place().api.patch(place().path('deployments', source.metadata.name), change)
      for (const name of [plain(source), other(source)]) {
        const fork = forkOf(await place().experimentAt(name))
        await eventually(`${fork} to follow`, DEADLINE_MS, async () => {
          const found = (await place().deployment(fork)) as Workload
          expect(found.spec.template.spec).to.deep.include({ terminationGracePeriodSeconds: 7 })
        })
      }
      expect(imagesOf(await place().deployment(forkOf(await place().experimentAt(other(source)))))[0]).to.equal(OTHER)
    })
  })

  it('keeps running when its experiment and fork are deleted', async () => {
    await all(async (source) => {
      for (const name of [plain(source), other(source)]) await place().api.delete(place().path('experiments', name))
    })
    await eventually('all forks and their pods to be gone', DEADLINE_MS, async () => {
      const label = 'labelSelector=experiment-controller.example.com/is-experiment=true'
      for (const kind of ['deployments', 'pods'] as const)
        expect(await place().api.list(`${place().path(kind)}?${label}`)).to.deep.equal([])
    })
    expect(await place().api.list(place().path('deployments'))).to.have.length(5)
  })
})
