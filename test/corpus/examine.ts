import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { ownWrites } from '../../sandbox/proof.ts'
import { inParallel } from '../in-parallel.ts'
import { allDone, type Seen, whileTheyMove } from './patience.ts'
import type { Specimen } from './specimen.ts'
import { storeAll } from './store.ts'
import {
  experimentName,
  experimentOf,
  experimentsBy,
  FIRST_IMAGE,
  overrideOf,
  SECOND_IMAGE,
  type Subject,
  VARIANTS,
} from './subject.ts'

const KINDS: readonly WorkloadKind[] = Object.values(WORKLOAD_KINDS)
const LANES = 8
/** A field that all kinds have, and that reaches the fork without a new revision of the source. */
const FOLLOWED = { spec: { minReadySeconds: 1 } }

/** The results of a corpus. */
export interface Report {
  readonly subjects: readonly Subject[]
  /** workloads that the API server itself refused, with its message */
  readonly refused: readonly { readonly file: string; readonly why: string }[]
  /** writes of our accounts that must not happen */
  readonly forbidden: readonly string[]
}

/**
 * Forks every workload of `specimens` in three ways, and updates, follows and deletes the forks. The product runs in
 * `plane`, and Argo Rollouts if there are Rollouts. `say` is called for each step.
 */
export async function examine(
  plane: ControlPlane,
  specimens: readonly Specimen[],
  say: (line: string) => void,
): Promise<Report> {
  const since = new Date()
  const { api } = plane
  const { subjects, refused } = await storeAll(plane, specimens)
  say(`${subjects.length} workloads of ${specimens.length} files; ${refused.length} were not taken by the API server`)

  await inParallel(4, subjects, (subject) => fork(plane, subject))
  await allDone(api, subjects, {
    name: 'fork',
    see: (subject, variant, found) => seesImage(subject, found, variant === 'plain' ? undefined : FIRST_IMAGE),
  })
  await summarise(plane, subjects)
  await comparePlans(plane, subjects, since)
  say('forked, unmodified and with another image under both merge types')

  await inParallel(LANES, subjects, async (subject) => {
    const path = resourcePath(EXPERIMENT_DEPLOYMENT, {
      namespace: subject.namespace,
      name: experimentName(subject, 'strategic'),
    })
    await attempt(subject, 'update', () =>
      api.patch(path, { spec: { overrideSpec: overrideOf(subject, 'strategic', SECOND_IMAGE) } }),
    )
  })
  await allDone(api, subjects, {
    name: 'update',
    see: (subject, variant, found) => seesImage(subject, found, variant === 'strategic' ? SECOND_IMAGE : undefined),
  })
  say('updated')

  await inParallel(LANES, subjects, (subject) => {
    const path = resourcePath(subject.kind, { namespace: subject.namespace, name: subject.name })
    return attempt(subject, 'follow', () => api.patch(path, FOLLOWED))
  })
  await follow(plane, subjects)
  say('followed')

  await inParallel(LANES, subjects, ({ namespace }) => api.delete(resourcePath(EXPERIMENT_DEPLOYMENT, { namespace })))
  await gone(plane, subjects)
  say('deleted')
  const { forbidden } = await ownWrites(plane.auditLog, since)
  return { subjects, refused, forbidden }
}

/** Applies the three experiments with one kubectl, as a user would, and keeps its warnings. */
async function fork({ kubectl }: ControlPlane, subject: Subject): Promise<void> {
  const items = VARIANTS.map((variant) => experimentOf(subject, variant, FIRST_IMAGE))
  const { code, stderr } = await kubectl(['create', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  })
  for (const [, reason = ''] of stderr.matchAll(/^Warning: \[(\w+)\]/gm))
    if (reason !== 'Plan') subject.warnings.add(reason)
  for (const [, fork = '', namespace = ''] of stderr.matchAll(/^Warning: \[Plan\] creates \w+\/(\S+) in ([\w-]+):/gm))
    subject.planned.push(`patch ${subject.kind.plural}/${namespace}/${fork}`)
  if (code !== 0) subject.failures.push(`admission: ${stderr.replaceAll(/^Warning:.*\n/gm, '').trim()}`)
}

/** Checks that the accounts of the product have made each write that the plans named exactly once, and no other. */
async function comparePlans({ auditLog }: ControlPlane, subjects: readonly Subject[], since: Date): Promise<void> {
  const { all } = await ownWrites(auditLog, since)
  const counts = new Map<string, number>()
  for (const write of all)
    if (KINDS.some(({ plural }) => write.includes(` ${plural}/`))) counts.set(write, (counts.get(write) ?? 0) + 1)
  for (const { planned, failures } of subjects)
    for (const write of planned) {
      const count = counts.get(write) ?? 0
      counts.delete(write)
      // Argo sets the stable revision of a Rollout only after its start, and the fork follows it
      const isExpected = count === 1 || (count > 1 && write.includes(' rollouts/'))
      if (!isExpected) failures.push(`plan: ${write} was named at apply and made ${count} times`)
    }
  for (const write of counts.keys())
    subjects
      .find(({ namespace }) => write.includes(`/${namespace}/`))
      ?.failures.push(`plan: ${write} was made, and no plan named it`)
}

async function attempt(subject: Subject, name: string, act: () => Promise<unknown>): Promise<void> {
  await act().catch((error: unknown) => subject.failures.push(`${name}: ${error}`))
}

/** Whether it is available, with `image` if that is given; otherwise its own message. */
function seesImage(subject: Subject, { metadata, status }: ExperimentDeployment, image?: string): Seen {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (status?.observedGeneration !== metadata.generation || !ready) return { is: 'missing', what: 'not observed' }
  const stalled = status.conditions?.some(({ type, status: value }) => type === 'Stalled' && value === 'True') === true
  if (ready.status !== 'True') return { is: 'missing', what: `${ready.reason}: ${ready.message}`, isFinal: stalled }
  if (image && subject.containers && !status.image?.split(',').includes(image))
    return { is: 'missing', what: `has ${status.image}` }
  return { is: 'done' }
}

/** The Services and the share in a row, from the unmodified fork. */
async function summarise({ api }: ControlPlane, subjects: readonly Subject[]): Promise<void> {
  const all = await experimentsBy(api)
  for (const subject of subjects) {
    const status = all.get(`${subject.namespace}/${experimentName(subject, 'plain')}`)?.status
    const services = status?.services ?? []
    subject.services = services.map(({ name, reason }) => (reason ? `${name} (${reason})` : name)).join(', ') || 'none'
    subject.share = status?.share ?? '-'
    subject.outcome = status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? 'nothing'
  }
}

async function follow(plane: ControlPlane, subjects: readonly Subject[]): Promise<void> {
  const following = new Set<string>()
  const look = async () => {
    const lists = await Promise.all(
      KINDS.map((kind) => plane.api.list(resourcePath(kind)).catch((): KubeObject[] => [])),
    )
    for (const each of lists.flat()) {
      const isFollowing = at(each, 'spec', 'minReadySeconds') === FOLLOWED.spec.minReadySeconds
      if (isFollowing) following.add(`${each.metadata.namespace}/${each.metadata.name}`)
    }
    return (await late_(plane, subjects, following)).length
  }
  await whileTheyMove('all forks to follow', look)
  for (const [subject, variant] of await late_(plane, subjects, following))
    subject.failures.push(`follow, ${variant}: the fork is as it was`)
}

/** Experiments with a fork that is not in `following`. */
async function late_({ api }: ControlPlane, subjects: readonly Subject[], following: ReadonlySet<string>) {
  const all = await experimentsBy(api)
  return subjects.flatMap((subject) =>
    VARIANTS.flatMap((variant) => {
      const fork = all.get(`${subject.namespace}/${experimentName(subject, variant)}`)?.status?.experimentResourceRef
        ?.name
      return fork === undefined || following.has(`${subject.namespace}/${fork}`) ? [] : [[subject, variant] as const]
    }),
  )
}

async function gone({ api }: ControlPlane, subjects: readonly Subject[]): Promise<void> {
  const namespaces = new Map(subjects.map((subject) => [subject.namespace, subject]))
  const left = async () => {
    const label = '?labelSelector=experiment-controller.example.com/is-experiment=true'
    const lists = await Promise.all(
      KINDS.map((kind) => api.list(`${resourcePath(kind)}${label}`).catch((): KubeObject[] => [])),
    )
    return lists.flat().filter(({ metadata }) => namespaces.has(metadata.namespace ?? ''))
  }
  await whileTheyMove('all forks to be gone', async () => (await left()).length)
  for (const { metadata } of await left())
    namespaces.get(metadata.namespace ?? '')?.failures.push(`delete: ${metadata.name} is left`)
}
