import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { hasNoPods } from '../fork/health.ts'
import { at } from '../json/json.ts'
import type { LeavingObject } from '../outcome/conclusion.ts'
import { kubectl } from '../text/kubectl.ts'
import { listed } from '../text/list.ts'
import { shortNameOf } from '../text/short-name.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { replicasOf } from '../workload/status.ts'
import type { Write } from '../writes/write.ts'

/** How long a fork may take to lose its pods before it is deleted, and how long a finalizer of others may keep it. */
export const LEAVING_MS = 60_000

/** The finalizers of garbage collection. Of ours, no fork has one. */
const FOREGROUND = 'foregroundDeletion'
const OF_KUBERNETES: ReadonlySet<string> = new Set([FOREGROUND, 'orphan'])

/** The finalizers of others. They keep an object that is being deleted, and nobody can add one to it then. */
export const foreignFinalizers = ({ metadata: { finalizers = [] } }: Pick<KubeObject, 'metadata'>): readonly string[] =>
  finalizers.filter((each) => !OF_KUBERNETES.has(each))

/** Whether `fork` should have been gone by now, but a finalizer of others keeps it. */
export const isKeptByFinalizers = (fork: KubeObject): boolean =>
  isBeingDeleted(fork) && foreignFinalizers(fork).length > 0

interface LeavingInput {
  readonly role: 'fork' | 'twin'
  readonly now: Date
  /** milliseconds since this process first knew that it must leave; undefined: it did not know */
  readonly leavingMs: number | undefined
  /** milliseconds until its pods, which another client gave it back, are taken again; absent: nobody did */
  readonly repairInMs?: number | undefined
}

/** How a fork or twin leaves: what is written now, and what it waits for. */
interface LeavingStep {
  readonly write?: Write
  /** undefined: it is deleted now */
  readonly waitsFor?: string
  /** absent: it is deleted now */
  readonly leaving?: LeavingObject
}

/**
 * How a fork or twin leaves that nobody wants any more. First it loses its pods: once it is being deleted, no
 * controller takes them from an object that a finalizer keeps. After a minute it is deleted with the pods that it has.
 */
export function leaving(resource: WorkloadKind, of: KubeObject, input: LeavingInput): LeavingStep {
  const { role, leavingMs = 0, repairInMs } = input
  if (isBeingDeleted(of)) return released(resource, of, input)
  const leftMs = LEAVING_MS - leavingMs
  const hasPods = replicasOf(of) > 0
  if (leftMs <= 0 || hasNoPods(resource, of)) return { write: { verb: 'delete', role, resource, of } }
  const isLater = repairInMs !== undefined && repairInMs > 0
  const recheckMs = isLater ? Math.min(leftMs, repairInMs) : leftMs
  return {
    ...(hasPods && !isLater ? { write: scaleTo(resource, of, 0, { role, isRepair: repairInMs !== undefined }) } : {}),
    waitsFor: `${shortNameOf(of)} loses its pods, and is deleted then`,
    leaving: { uid: of.metadata.uid ?? '', recheckMs },
  }
}

/**
 * That a fork or twin is being deleted, and what keeps it: a finalizer, or its pods. With a foreground deletion it
 * waits for these, however long, and of their finalizers the controller knows nothing.
 */
export function deletionText(of: KubeObject): string {
  const goes = `${shortNameOf(of)} is being deleted`
  const foreign = foreignFinalizers(of)
  if (foreign.length > 0) return `${goes}, and ${keptByFinalizers(foreign)} it`
  if (!of.metadata.finalizers?.includes(FOREGROUND)) return goes
  const { namespace } = of.metadata
  const selector = `${EXPERIMENT_ID}=${at(of, 'spec', 'selector', 'matchLabels', EXPERIMENT_ID)}`
  const look = kubectl('get', { name: 'pods', namespace }, `--selector=${selector}`, '--output=yaml')
  return `${goes}, and waits until its pods are gone; a finalizer may keep one: ${look}`
}

/** `the finalizer example.com/hold keeps` */
export const keptByFinalizers = (finalizers: readonly string[]): string =>
  finalizers.length === 1 ? `the finalizer ${finalizers[0]} keeps` : `the finalizers ${listed(finalizers)} keep`

/** Waits for the end of what is being deleted, and takes the finalizers of others from it after a minute. */
function released(resource: WorkloadKind, of: KubeObject, { role, now }: LeavingInput): LeavingStep {
  const { uid = '', resourceVersion = '', deletionTimestamp = '', finalizers = [] } = of.metadata
  const goes = deletionText(of)
  if (foreignFinalizers(of).length === 0) return { waitsFor: goes, leaving: { uid, recheckMs: LEAVING_MS } }
  const held = `${goes}; the controller removes that after a minute`
  const leftMs = LEAVING_MS - (now.getTime() - Date.parse(deletionTimestamp))
  const waiting = { waitsFor: held, leaving: { uid, held, recheckMs: Math.min(LEAVING_MS, Math.max(0, leftMs)) } }
  if (leftMs > 0) return waiting
  const patch = { metadata: { uid, resourceVersion, finalizers: finalizers.filter((each) => OF_KUBERNETES.has(each)) } }
  return { ...waiting, write: { verb: 'patch', role, resource, of, patch } }
}

interface ScaleOptions {
  readonly isRepair: boolean
  /** default: `fork` */
  readonly role?: 'fork' | 'twin'
}

/** A patch that changes the replicas of the fork or twin, and nothing else. */
export function scaleTo(
  resource: WorkloadKind,
  of: KubeObject,
  replicas: number,
  { isRepair, role = 'fork' }: ScaleOptions,
): Write {
  const patch = { metadata: { uid: of.metadata.uid ?? '' }, spec: { replicas } }
  return { verb: 'patch', role, resource, of, patch, isRepair }
}
