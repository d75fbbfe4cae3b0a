/** Mistakes that are stored while nothing is reviewed, as when the webhook was removed in an emergency. */
import type { JsonObject } from '../../../common/json/json.ts'
import { type Dice, diceOf } from '../../fuzz/admission/dice.ts'
import { mistaken } from '../../fuzz/admission/mistakes.ts'
import { anOverride } from '../../fuzz/admission/overrides.ts'
import { NEVER } from './edits.ts'
import { type Ground, Sequence } from './sequence.ts'
import { SHAPES } from './source.ts'

const TRIES = 20

/** An experiment with a good fork, and an override of it that the review refuses. */
export interface Mistaken {
  readonly sequence: Sequence
  readonly body: readonly object[]
}

/** The same `seed` gives the same mistake. */
export async function aMistaken(ground: Ground, namespace: string, seed: number): Promise<Mistaken> {
  const dice = diceOf(seed)
  const [name, shape] = [`u${seed}`, dice.pick(SHAPES)]
  const sequence = new Sequence(ground, { namespace, name, shape })
  await sequence.begin()
  for (let count = 0; count < TRIES; count += 1) {
    const overrideType = dice.percent(50) ? 'Merge' : 'Strategic'
    const body = [
      { op: 'add', path: '/spec/overrideType', value: overrideType },
      { op: 'add', path: '/spec/overrideSpec', value: await aMistake(ground, sequence, overrideType, dice) },
    ]
    if (await sequence.experiment.isRefused(body)) return { sequence, body }
  }
  throw new Error(`${TRIES} mistakes of seed ${seed} are all taken`)
}

async function aMistake({ opened }: Ground, sequence: Sequence, type: 'Merge' | 'Strategic', dice: Dice) {
  const { kind } = sequence.source
  if (dice.percent(20)) {
    const { template } = await sequence.source.read()
    return dice.pick(NEVER)({ kind, overrideType: type, pod: template.spec as JsonObject })
  }
  return mistaken(anOverride(opened.grammars[kind], dice, type), dice)
}

/**
 * To be called while nothing is reviewed: the status must tell the mistake, the fork must stay, and the last good
 * experiment must heal all.
 */
export async function isReported({ sequence, body }: Mistaken): Promise<void> {
  if (!(await sequence.experiment.patch(body, 'json'))) return // the CRD refuses it
  try {
    await sequence.isHeld('it was refused before')
  } catch (error) {
    throw new Error(`${JSON.stringify(body)}: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
  await sequence.heal()
}
