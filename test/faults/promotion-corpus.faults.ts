import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr, objectOr } from '../../common/json/json.ts'
import { replicasOf } from '../../common/workload/status.ts'
import type { AuditTail } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { guestbook, statefulSets } from '../../sandbox/modules.ts'
import { says } from '../integration/canaries.ts'
import { aNamespace, usesControlPlane } from '../integration/fixture.ts'
import { imagesOf, type Place, placeIn, usesProduct } from '../integration/product.ts'
import { ourRequests, writesOfSource } from '../integration/promotions/play.ts'
import { needs } from '../needs.ts'
import { sideBySide } from './side-by-side.ts'

/** The StatefulSets start and replace their pods one after the other. */
const DEADLINE_MS = 240_000
const OTHER = 'registry.example/other:2.0.0'
const APPLICATIONS = ['cassandra', 'cockroachdb', 'etcd', 'mysql-galera', 'mysql-upgrade', 'zookeeper']

/** Applies `manifests`, and returns the place with the one source among them that `isSource` names. */
async function applied(manifests: readonly string[], isSource: (object: KubeObject) => boolean) {
  const place = await placeIn(await aNamespace())
  const text = manifests.join('\n---\n')
  const { code, text: said } = await place.kubectl(['apply', '-f', '-'], text)
  expect(code, said).to.equal(0)
  const source = parseAllDocuments(text)
    .map((document): KubeObject | null => document.toJS())
    .find((object) => object !== null && isSource(object))
  if (!source) throw new Error('the manifests have the source')
  const { kind, metadata } = source
  const resource = kind === 'StatefulSet' ? ('statefulSets' as const) : ('deployments' as const)
  return { place, kind, name: metadata.name, read: () => place.api.get(place.path(resource, metadata.name)) }
}
type Applied = Awaited<ReturnType<typeof applied>>

/** Waits until all pods of the source are of its present template and available. Resolves to its `spec`. */
const settled = ({ name, read }: Applied): Promise<unknown> =>
  eventually(`${name} to be settled`, DEADLINE_MS, async () => {
    const found = await read()
    const { observedGeneration, replicas, availableReplicas, updatedReplicas } = objectOr(found.status)
    const counts = { observedGeneration, replicas, availableReplicas, updatedReplicas }
    const all = replicasOf(found)
    expect(counts, JSON.stringify(counts)).to.deep.equal({
      observedGeneration: found.metadata.generation,
      replicas: all,
      availableReplicas: all,
      updatedReplicas: all,
    })
    return found.spec
  })

async function ends(place: Place, word: 'promote' | 'undo', phase: string): Promise<void> {
  await says(place, 'next', word)
  await eventually(`the run to be ${phase}`, DEADLINE_MS, async () => {
    const { status } = await place.experimentAt('next')
    if (status?.strategy?.phase !== phase) throw new Error(JSON.stringify(status?.strategy))
  })
}

/** Promotes another image into all containers of a source, and takes it back. */
async function playOn(source: Applied, audit: AuditTail): Promise<void> {
  const { place, kind, name, read } = source
  const before = await settled(source)
  const former = imagesOf(await read())
  const containers = listOr(at(before, 'template', 'spec', 'containers')).map((container) => ({
    name: `${at(container, 'name')}`,
    image: OTHER,
  }))
  await place.experiment('next', {
    source: name,
    kind: kind as 'Deployment' | 'StatefulSet',
    overrideType: 'Strategic',
    overrideSpec: { template: { spec: { containers } } },
    strategy: { canary: { steps: [{ setWeight: 20 }], scaleDownDelaySeconds: 1 } },
    promotion: { mode: 'Manual' },
  })
  await eventually('the run to wait for a promotion', DEADLINE_MS, async () => {
    const { status } = await place.experimentAt('next')
    if (status?.strategy?.stepName !== 'await') throw new Error(JSON.stringify(status?.conditions))
  })
  const writes = () => writesOfSource({ place, audit })
  expect(await writes()).to.equal(0)
  await ends(place, 'promote', 'Promoted')
  await settled(source)
  expect(imagesOf(await read())).to.deep.equal(former.map(() => OTHER))
  expect(await writes(), 'writes of a promotion').to.equal(1)
  await ends(place, 'undo', 'Undone')
  expect(await settled(source)).to.deep.equal(before)
  expect(await writes(), 'writes of a promotion and its undo').to.equal(2)
}

describe('promotions of Kubernetes’ own examples, on the real control plane', function () {
  this.timeout(600_000)
  const plane = usesControlPlane()
  needs('kubernetesFiles')
  usesProduct(WITH_PROMOTION)
  let audit: AuditTail | undefined
  before('the requests of our account are read', () => {
    audit = ourRequests(plane().auditLog)
  })
  const played = async (source: Applied) => {
    if (!audit) throw new Error('the requests are read while tests run')
    await playOn(source, audit)
  }

  const ofStatefulSets = APPLICATIONS.map((application) => {
    const run = async () => {
      const files = (await statefulSets())[application] ?? []
      const manifests = files.map(({ text }) => text)
      await played(await applied(manifests, ({ kind }) => kind === 'StatefulSet'))
    }
    return [`F37: the StatefulSet of ${application} is promoted and undone, with one write each`, run] as const
  })
  const isFrontend = ({ kind, metadata }: KubeObject) => kind === 'Deployment' && metadata.name === 'frontend'
  sideBySide({
    'F37: the frontend of the guestbook is promoted and undone, with one write each': async () =>
      played(await applied(await guestbook(), isFrontend)),
    ...Object.fromEntries(ofStatefulSets),
  })
})
