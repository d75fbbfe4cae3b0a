import { OVERRIDE_LIMITS } from '../../../common/api/limits.ts'
import type { SourceKind } from '../../../common/workload/registry.ts'
import { inParallel } from '../../in-parallel.ts'
import type { Opened } from './court.ts'
import { diceOf } from './dice.ts'
import { type Judged, judge } from './judge.ts'
import { mistaken } from './mistakes.ts'
import { anOverride } from './overrides.ts'

/** The API server answers about as many at once as the machine has cores. */
const LANES = 6

/** Judges `count` overrides of `kind`. Half of them have mistakes. The same seed gives the same overrides. */
export async function judgeMany(
  { court, grammars }: Opened,
  kind: SourceKind,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<readonly Judged[]> {
  const judged: Judged[] = []
  const numbers = Array.from({ length: count }, (_, index) => index)
  await inParallel(LANES, numbers, async (index) => {
    const dice = diceOf(seed + index * 7_919)
    const overrideType = dice.percent(50) ? 'Merge' : 'Strategic'
    const valid = anOverride(grammars[kind], dice, overrideType)
    const isMistaken = index % 2 === 1
    const overrideSpec = isMistaken ? mistaken(valid, dice) : valid
    if (JSON.stringify(overrideSpec).length > OVERRIDE_LIMITS.characters) return
    judged[index] = await judge(court, { kind, overrideType, overrideSpec, isMistaken })
  })
  return judged.filter((each) => each !== undefined)
}
