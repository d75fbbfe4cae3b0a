import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { statefulSets } from '../../sandbox/modules.ts'
import { needs } from '../needs.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'

const DEADLINE_MS = 60_000
/** Shorter than the timeout of mocha, which cannot name the reason. */
const TIMEOUT_MS = 2 * DEADLINE_MS
const APPLICATIONS = ['cassandra', 'cockroachdb', 'etcd', 'mysql-galera', 'mysql-upgrade', 'zookeeper']

interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas: number
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> }
    readonly template: KubeObject
  }
  readonly status?: { readonly readyReplicas?: number }
}
interface Claim extends KubeObject {
  readonly spec: { readonly volumeName: string }
  readonly status: { readonly phase: string }
}

/** A second StatefulSet with its own pods and claims. */
const copyOf = ({ apiVersion, kind, metadata, spec }: StatefulSet): object => {
  const mine = { copy: 'yes' }
  const labels = { ...spec.template.metadata.labels, ...mine }
  return {
    apiVersion,
    kind,
    metadata: { name: `${metadata.name}-copy` },
    spec: {
      ...spec,
      selector: { matchLabels: { ...spec.selector.matchLabels, ...mine } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  }
}

describe("Kubernetes' StatefulSets, on the real control plane", function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesControlPlane()
  needs('kubernetesFiles')
  const places = new Map<string, string>()

  before('all are applied at once', async () => {
    const applications = await statefulSets()
    expect(Object.keys(applications).sort()).to.deep.equal(APPLICATIONS)
    for (const [name, files] of Object.entries(applications)) {
      const namespace = await aNamespace()
      places.set(name, namespace)
      const input = files.map(({ text }) => text).join('\n---\n')
      const { code, stderr } = await plane().kubectl(['apply', '-n', namespace, '-f', '-'], { input })
      expect(code, stderr).to.equal(0)
      const [theirs] = parseAllDocuments(input).flatMap((document) => {
        const object = document.toJS() as StatefulSet | null
        return object?.kind === 'StatefulSet' ? [object] : []
      })
      if (!theirs) throw new Error(`${name} has no StatefulSet`)
      await plane().api.create(`/apis/apps/v1/namespaces/${namespace}/statefulsets`, copyOf(theirs))
    }
  })

  for (const application of APPLICATIONS)
    it(`runs ${application} and a second one, each with its own claims`, async () => {
      const { api } = plane()
      const namespace = places.get(application)
      const sets = await eventually(`StatefulSets of ${application} to be ready`, DEADLINE_MS, async () => {
        const found = await api.list<StatefulSet>(`/apis/apps/v1/namespaces/${namespace}/statefulsets`)
        expect(found).to.have.length(2)
        for (const { metadata, spec, status } of found)
          expect(status?.readyReplicas, metadata.name).to.equal(spec.replicas)
        return found
      })
      const claims = await api.list<Claim>(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`)
      expect(claims).to.have.length(sets.reduce((sum, { spec }) => sum + spec.replicas, 0))
      expect(claims.map(({ status }) => status.phase)).to.deep.equal(claims.map(() => 'Bound'))
      expect(new Set(claims.map(({ spec }) => spec.volumeName)).size).to.equal(claims.length)
    })

  it('leaves no volume behind when claims are deleted', async () => {
    const { api } = plane()
    const namespace = places.get('zookeeper')
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`
    const volumes = (await api.list<Claim>(path)).map(({ spec }) => spec.volumeName)
    expect(volumes.filter(Boolean)).to.have.length(6)
    await api.delete(`/apis/apps/v1/namespaces/${namespace}/statefulsets`)
    await api.delete(path)
    await eventually('the volumes of zookeeper to be gone', DEADLINE_MS, async () => {
      const left = (await api.list('/api/v1/persistentvolumes')).map(({ metadata }) => metadata.name)
      expect(left.filter((name) => volumes.includes(name))).to.deep.equal([])
    })
  })
})
