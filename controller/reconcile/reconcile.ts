import { untilExpiryMs } from '../../common/api/expiry.ts'
import { apply, type WorkloadWrites } from './apply.ts'
import { type Key, observe, type Reads } from './observe.ts'
import { type Requeue, requeue, sooner } from './outcome.ts'
import { plan } from './plan.ts'
import { report, type StatusWrites } from './report.ts'

/** The API server as far as one pass cares. */
export interface Kube extends Reads, WorkloadWrites, StatusWrites {}

/** One pass over one experiment, from the present state alone. */
export const reconciler =
  (kube: Kube, clock: () => Date) =>
  async (key: Key): Promise<Requeue> => {
    const observed = await observe(kube, key, clock())
    if (!observed) return 'never' // gone or going: its fork goes with it, by owner reference
    const outcome = await apply(kube, plan(observed), observed.now)
    const reportAgainMs = await report(kube, key, observed, outcome)
    const expiresInMs = untilExpiryMs(observed.experiment, observed.now)
    return sooner(requeue(outcome), Math.min(reportAgainMs, expiresInMs > 0 ? expiresInMs : Number.POSITIVE_INFINITY))
  }
