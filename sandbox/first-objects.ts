import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../common/api/object.ts'
import type { Api } from './api.ts'
import { type EventuallyOptions, eventually } from './eventually.ts'

const NODES = ['node-1', 'node-2', 'node-3']
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const DEADLINE_MS = 60_000

interface Condition {
  readonly type: string
  readonly status: string
}
interface CrdSpec {
  readonly spec: {
    readonly group: string
    readonly names: { readonly plural: string }
    readonly versions: readonly { readonly name: string; readonly served: boolean }[]
  }
}
interface Conditioned {
  readonly spec?: { readonly taints?: readonly object[] }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

const isTrue = ({ status }: Conditioned, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false

const parsed = (manifests: readonly string[]): readonly KubeObject[] =>
  manifests.flatMap((text) => parseAllDocuments(text).flatMap((document) => document.toJS() ?? []))

/** The path that lists its objects of all namespaces. */
const collectionOf = (crd: KubeObject): string => {
  const { group, names, versions } = (crd as KubeObject & CrdSpec).spec
  return `/apis/${group}/${versions.find(({ served }) => served)?.name}/${names.plural}`
}

/**
 * Applies the CustomResourceDefinitions in `manifests` (YAML, any number of documents each) and waits until they are
 * served.
 * @throws Error if one is refused, or not established within a minute
 */
export async function applyCrds(
  api: Api,
  manifests: readonly string[],
  options: EventuallyOptions = {},
): Promise<void> {
  await Promise.all(
    parsed(manifests).map(async (crd) => {
      const path = `${CRDS}/${crd.metadata.name}`
      const collection = collectionOf(crd)
      await api.apply(path, crd)
      await eventually(
        `the CustomResourceDefinition ${crd.metadata.name} to be established`,
        DEADLINE_MS,
        async () => {
          const { status } = await api.get<Conditioned>(path)
          if (!isTrue({ status: status ?? {} }, 'Established')) throw new Error(JSON.stringify(status))
          await api.list(`${collection}?limit=1`) // a CRD that existed before is established before it is served
        },
        options,
      )
    }),
  )
}

/**
 * Deletes the CustomResourceDefinitions in `manifests` with all their objects, and waits until they are gone.
 * @throws Error if one still exists after a minute
 */
export async function removeCrds(api: Api, manifests: readonly string[]): Promise<void> {
  await Promise.all(
    parsed(manifests).map(async ({ metadata: { name } }) => {
      await api.delete(`${CRDS}/${name}`)
      await eventually(`the CustomResourceDefinition ${name} to be gone`, DEADLINE_MS, async () => {
        const found = await api.list(`${CRDS}?fieldSelector=metadata.name=${name}`)
        if (found.length > 0) throw new Error(JSON.stringify(found[0]?.status))
      })
    }),
  )
}

/** Creates three nodes. They do nothing until kwok simulates them. */
export async function createNodes(api: Api): Promise<void> {
  await Promise.all(
    NODES.map((name) =>
      api.create('/api/v1/nodes', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
      }),
    ),
  )
}

/** Resolves when every node is Ready and has no taints, so that pods are placed at once. */
export async function nodesReady(api: Api, options: EventuallyOptions): Promise<void> {
  await eventually(
    'three Ready nodes',
    DEADLINE_MS,
    async () => {
      const nodes = await api.list<Conditioned>('/api/v1/nodes')
      const ready = nodes.filter((node) => isTrue(node, 'Ready') && !node.spec?.taints?.length)
      if (ready.length < NODES.length) throw new Error(`${ready.length} of ${NODES.length} are ready`)
    },
    options,
  )
}
