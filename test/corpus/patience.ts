import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Api } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { experimentName, experimentsBy, type Subject, VARIANTS, type Variant } from './subject.ts'

/** After this time without progress, there will be none. */
const STILL_MS = 60_000
/** The limit while there is progress. */
const STEP_MS = 600_000

/**
 * Resolves when `left` returns nothing more to wait for, or has made no progress for a minute. The total time depends
 * on the machine.
 */
export async function whileTheyMove(what: string, left: () => Promise<number>): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY
  let since = performance.now()
  const look = async () => {
    const now = await left()
    if (now < fewest) {
      fewest = now
      since = performance.now()
    }
    if (now > 0 && performance.now() - since < STILL_MS) throw new Error(`${now} are left`)
  }
  await eventually(what, STEP_MS, look, { pauseMs: 500 }).catch(() => undefined) // the caller reports what is late
}

/** The state of an experiment: done, or what is still missing. */
export type Seen =
  | { readonly is: 'done' }
  | { readonly is: 'missing'; readonly what: string; readonly isFinal?: boolean }

interface Step {
  readonly name: string
  readonly see: (subject: Subject, variant: Variant, found: ExperimentDeployment) => Seen
}

/**
 * Waits until every experiment of `subjects` is done with a step; records the last messages of the others as failures.
 */
export async function allDone(api: Api, subjects: readonly Subject[], { name, see }: Step): Promise<void> {
  let open: readonly (readonly [Subject, Variant, Seen])[] = []
  const look = async () => {
    const all = await experimentsBy(api)
    open = subjects.flatMap((subject) =>
      VARIANTS.flatMap((variant) => {
        const found = all.get(`${subject.namespace}/${experimentName(subject, variant)}`)
        if (!found) return []
        const seen = see(subject, variant, found)
        return seen.is === 'done' ? [] : [[subject, variant, seen] as const]
      }),
    )
    return open.filter(([, , seen]) => seen.is === 'missing' && !seen.isFinal).length
  }
  await whileTheyMove(name, look)
  for (const [subject, variant, seen] of open)
    if (seen.is === 'missing') subject.failures.push(`${name}, ${variant}: ${seen.what}`)
}
