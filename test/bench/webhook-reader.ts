import type { KubeObject } from '../../common/api/object.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { parsePath } from '../../common/kube/client/resources.ts'
import type { Reader } from '../../webhook/reads/reader.ts'
import { aService, aSlice } from '../webhook/reviews.ts'

const PODS = Array.from({ length: 11 }, (_, index) => `cart-${index}`)
const LISTS: Readonly<Record<string, readonly KubeObject[]>> = {
  services: [aService()],
  endpointslices: [aSlice(PODS)],
}

/**
 * An API server within the process: it holds `source` behind one Service, grants every access review, and has no other
 * object.
 */
export const readerOf = (source: KubeObject): Reader => ({
  async request({ path }) {
    const asked = parsePath(path)
    if (asked?.plural.endsWith('accessreviews')) return { kind: 'SubjectAccessReview', status: { allowed: true } }
    if (asked?.name === undefined) return { kind: 'List', metadata: {}, items: LISTS[asked?.plural ?? ''] ?? [] }
    if (asked.plural === 'namespaces') return { kind: 'Namespace', metadata: { name: asked.name, labels: {} } }
    if (asked.plural === 'deployments' && asked.name === source.metadata.name) return source
    throw new KubeError({ kind: 'notFound', message: `${path} not found`, status: 404 })
  },
})
