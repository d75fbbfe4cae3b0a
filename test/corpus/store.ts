import type { KubeObject } from '../../common/api/object.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { inParallel } from '../in-parallel.ts'
import { objectsOf, type Specimen } from './specimen.ts'
import { containersOf, type Subject } from './subject.ts'

const KINDS: readonly WorkloadKind[] = Object.values(WORKLOAD_KINDS)
/** kubectl processes at once: the start of each takes most of a core */
const LANES = 4
/** Workloads that start their pods do so within this time. The others are forked as their spec says. */
const SETTLE_MS = 20_000

interface Stored {
  readonly subjects: readonly Subject[]
  readonly refused: readonly { readonly file: string; readonly why: string }[]
}

/** Applies every specimen to its own namespace, and finds the workloads that were created. */
export async function storeAll(plane: ControlPlane, specimens: readonly Specimen[]): Promise<Stored> {
  const refused: { file: string; why: string }[] = []
  const places: { readonly specimen: Specimen; readonly namespace: string }[] = []
  await inParallel(LANES, specimens, async (specimen) => {
    const { metadata } = await plane.api.create('/api/v1/namespaces', { metadata: { generateName: 'corpus-' } })
    places.push({ specimen, namespace: metadata.name })
    const items = objectsOf(specimen)
    const { stderr } = await plane.kubectl(['-n', metadata.name, 'apply', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    })
    for (const why of await lacking(plane, metadata.name, items, stderr)) refused.push({ file: specimen.path, why })
  })
  await settled(
    plane,
    places.map(({ namespace }) => namespace),
  )
  const subjects: Subject[] = []
  await inParallel(LANES, places, async ({ specimen, namespace }) => {
    for (const [kind, source] of await workloadsIn(plane, namespace))
      subjects.push(await subjectOf(plane, specimen, { kind, source }))
  })
  const order = ({ file, kind, name }: Subject) => `${file} ${kind.kind} ${name}`
  return { subjects: subjects.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)), refused }
}

async function workloadsIn({ api }: ControlPlane, namespace: string) {
  const lists = await Promise.all(
    KINDS.map(async (kind) => {
      const found = await api.list(resourcePath(kind, { namespace })).catch((): KubeObject[] => []) // kind not served
      return found.map((source) => [kind, source] as const)
    }),
  )
  return lists.flat()
}

/** The output of kubectl for each workload among `items` that does not exist. */
async function lacking(
  plane: ControlPlane,
  namespace: string,
  items: readonly Readonly<Record<string, unknown>>[],
  said: string,
) {
  const there = new Set(
    (await workloadsIn(plane, namespace)).map(([kind, { metadata }]) => `${kind.kind}/${metadata.name}`),
  )
  const wanted = items
    .filter(({ kind }) => KINDS.some((known) => known.kind === kind))
    .map((item) => item as unknown as KubeObject)
  return wanted
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    .filter((name) => !there.has(name))
    .map(
      (name) =>
        `${name}: ${said
          .split('\n')
          .filter((line) => !line.startsWith('Warning'))
          .join(' ')
          .trim()}`,
    )
}

/** Waits until no more Rollout becomes healthy: the base of a healthy one is its stable ReplicaSet. */
async function settled({ api }: ControlPlane, namespaces: readonly string[]): Promise<void> {
  const ours = new Set(namespaces)
  let before = ''
  let since = performance.now()
  await eventually(
    'the workloads to settle',
    SETTLE_MS,
    async () => {
      const lists = await Promise.all(KINDS.map((kind) => api.list(resourcePath(kind)).catch((): KubeObject[] => [])))
      const states = lists
        .flat()
        .filter(({ metadata }) => ours.has(metadata.namespace ?? ''))
        .map(({ metadata, status }) => `${metadata.uid} ${JSON.stringify(status)}`)
        .join()
      if (states !== before) since = performance.now()
      before = states
      if (performance.now() - since < 2_000) throw new Error('they still change')
    },
    { pauseMs: 500 },
  ).catch(() => undefined) // some never become healthy; they are forked as they are
}

interface Found {
  readonly kind: WorkloadKind
  readonly source: KubeObject
}

let count = 0

async function subjectOf({ api }: ControlPlane, { path }: Specimen, { kind, source }: Found): Promise<Subject> {
  count += 1
  return {
    file: path,
    namespace: source.metadata.namespace ?? '',
    kind,
    name: source.metadata.name,
    prefix: `e${count}`,
    containers: await containersOf(api, kind, { ...source, apiVersion: kind.apiVersion, kind: kind.kind }),
    failures: [],
    warnings: new Set(),
    planned: [],
    outcome: '',
    services: '',
    share: '',
  }
}
