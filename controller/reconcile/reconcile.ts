import { untilExpiryMs } from '../../common/api/expiry.ts'
import { apply, type WorkloadWrites } from './apply.ts'
import { type Key, observe, type Reads } from './observe.ts'
import { type Requeue, requeue, sooner } from './outcome.ts'
import { plan } from './plan.ts'
import { report, type StatusWrites } from './report.ts'

/** The API server as far as one pass cares. */
export interface Kube extends Reads, WorkloadWrites, StatusWrites {}

/** One pass among others. */
interface Pass {
  /** resolves when what is left, to tell, may go on: the forks of others are changed before this one is told of */
  readonly giveWay: () => Promise<void>
}

const ALONE: Pass = { giveWay: async () => undefined }

const NEIGHBOURS_RETRY_MS = 60_000

/** One pass over one experiment, from the present state alone. */
export const reconciler =
  (kube: Kube, clock: () => Date, { giveWay }: Pass = ALONE) =>
  async (key: Key): Promise<Requeue> => {
    const observed = await observe(kube, key, clock())
    if (!observed) return 'never' // gone or going: its fork goes with it, by owner reference, or is gone
    const outcome = await apply(kube, plan(observed), observed.now)
    await giveWay()
    const reportAgainMs = await report(kube, key, observed, outcome)
    const expiresInMs = untilExpiryMs(observed.experiment, observed.now)
    const others = [
      ...(expiresInMs > 0 ? [expiresInMs] : []),
      ...(observed.neighbours === undefined ? [NEIGHBOURS_RETRY_MS] : []), // nobody tells when they can be read again
    ]
    return sooner(requeue(outcome), Math.min(reportAgainMs, ...others))
  }
