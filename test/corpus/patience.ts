import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Api } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { experimentName, experimentsBy, type Subject, VARIANTS, type Variant } from './subject.ts'

/** A step of all workloads ends when all have made it, or when nothing has changed for so long. */
const STEP_MS = 60_000

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
    const waitedFor = open.filter(([, , seen]) => seen.is === 'missing' && !seen.isFinal)
    if (waitedFor.length > 0) throw new Error(`${waitedFor.length} are not there`)
  }
  await eventually(name, STEP_MS, look, { pauseMs: 500 }).catch(() => undefined) // who is late is told below
  for (const [subject, variant, seen] of open)
    if (seen.is === 'missing') subject.failures.push(`${name}, ${variant}: ${seen.what}`)
}
