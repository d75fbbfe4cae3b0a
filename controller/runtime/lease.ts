import type { KubeObject } from '../../common/api/object.ts'
import { at, objectOr, textOr } from '../../common/json/json.ts'
import { RESOURCES } from '../../common/kube/client/resources.ts'
import { microTime } from './micro-time.ts'

/**
 * How long a Lease is valid after its holder last renewed it. The times are those of Kubernetes' own controllers: the
 * lease is longer than the deadline of the holder, and that is longer than several tries.
 */
export const LEASE_MS = 15_000
/** A holder that could not renew for this long writes no more. */
export const RENEW_DEADLINE_MS = 10_000
/** The time between the starts of two renewals. */
export const RETRY_MS = 2_000
/** A write of a holder ends this long after its last renewal began: before another process can hold the Lease. */
export const WRITE_LIMIT_MS = 14_000

/** The duration in a Lease that its holder has given back. It must be positive. */
const RELEASED_SECONDS = 1

/** What a candidate reads in a Lease. */
export interface LeaseView {
  /** empty if nobody holds it */
  readonly holder: string
  /** how long the Lease must stand still before another process may take it; 0 if it was given back */
  readonly waitMs: number
  /** changes with every write. The holder and its times may be the same as long ago, after others have changed them. */
  readonly version: string
}

/**
 * The view of `lease`. Only a Lease without a holder and with the shortest duration was given back. If another client
 * removed the holder, the holder may still write until its next renewal fails. A duration that is shorter than ours
 * counts as ours, for the same reason.
 */
export function viewOf(lease: KubeObject): LeaseView {
  const holder = textOr(at(lease, 'spec', 'holderIdentity'), '')
  const seconds = at(lease, 'spec', 'leaseDurationSeconds')
  const isReleased = holder === '' && seconds === RELEASED_SECONDS
  const durationMs = typeof seconds === 'number' ? seconds * 1_000 : 0
  return {
    holder,
    waitMs: isReleased ? 0 : Math.max(LEASE_MS, durationMs),
    version: `${lease.metadata.uid}/${lease.metadata.resourceVersion}`,
  }
}

/** A new Lease of `holder`. */
export const newLease = (name: string, holder: string, at: Date) => {
  const { apiVersion, kind } = RESOURCES.Lease
  return { apiVersion, kind, metadata: { name }, spec: { ...durationOf(holder, at), leaseTransitions: 0 } }
}

/** `lease`, taken by `holder`. Uid and version stay in the body, so that the API server takes it as a condition. */
export const takenLease = (lease: KubeObject, holder: string, now: Date): KubeObject => {
  const transitions = at(lease, 'spec', 'leaseTransitions')
  const leaseTransitions = (typeof transitions === 'number' ? transitions : 0) + 1
  return { ...lease, spec: { ...objectOr(lease.spec), ...durationOf(holder, now), leaseTransitions } }
}

/** `lease`, renewed by its holder. */
export const renewedLease = (lease: KubeObject, now: Date): KubeObject => ({
  ...lease,
  spec: { ...objectOr(lease.spec), leaseDurationSeconds: LEASE_MS / 1_000, renewTime: microTime(now) },
})

/** `lease`, given back, so that a candidate need not wait. */
export const releasedLease = (lease: KubeObject, now: Date): KubeObject => ({
  ...lease,
  spec: {
    ...objectOr(lease.spec),
    holderIdentity: '',
    leaseDurationSeconds: RELEASED_SECONDS,
    renewTime: microTime(now),
  },
})

const durationOf = (holder: string, at: Date) => ({
  holderIdentity: holder,
  leaseDurationSeconds: LEASE_MS / 1_000,
  acquireTime: microTime(at),
  renewTime: microTime(at),
})
