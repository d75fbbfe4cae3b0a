import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Api } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { experimentName, experimentsBy, type Subject, VARIANTS, type Variant } from './subject.ts'

/** Nothing has moved for so long: nothing will. */
const STILL_MS = 60_000
/** As long as something moves. */
const STEP_MS = 600_000

/**
 * Resolves when `left` says that nobody is left to wait for, or has said of nobody for a minute that he has made it.
 * How long all of them take together is the machine's business.
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
  await eventually(what, STEP_MS, look, { pauseMs: 500 }).catch(() => undefined) // who is late is told by the caller
}

/** What an experiment has come to: done, or what is still missing. */
export type Seen =
  | { readonly is: 'done' }
  | { readonly is: 'missing'; readonly what: string; readonly isFinal?: boolean }

interface Step {
  readonly name: string
  readonly see: (subject: Subject, variant: Variant, found: ExperimentDeployment) => Seen
}

/** Waits until every experiment of `subjects` is done with a step; notes the others' last words as failures. */
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
