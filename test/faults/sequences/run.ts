import fc from 'fast-check'
import type { Api } from '../../../sandbox/api.ts'
import type { Opened } from '../../fuzz/admission/court.ts'
import { diceOf } from '../../fuzz/admission/dice.ts'
import { aNamespace } from '../../integration/fixture.ts'
import { installation } from '../../integration/product.ts'
import { CONVERGED_MS } from '../oracles.ts'
import type { Ground, Outcome } from './sequence.ts'
import { aPlan, type Operation, type Plan } from './steps.ts'
import { BrokenLaw, follow } from './take.ts'

/** A sequence that fails waits this long in each of its smaller forms. */
const SHRINKING_MS = 20_000
const REPEAT = 'npx mocha --config test/faults/.mocharc.json --spec test/faults/sequences.faults.ts'

interface RunOf {
  /** sequences side by side */
  readonly lanes: number
  /** sequences of each lane, one after the other */
  readonly runs: number
  /** the most steps of a sequence */
  readonly steps: number
  /** that of the first lane, from which those of the others follow */
  readonly seed: number
  /** no further sequence begins after this time, and none is made smaller */
  readonly limitMs: number
}

/** Sequences in the control plane of the run, and what they came to. */
export class Sequences {
  readonly steps = new Map<Operation, number>()
  readonly outcomes = new Map<Outcome, number>()
  readonly namespaces = new Set<string>()
  readonly #api: Api
  readonly #opened: Opened
  #restarting: Promise<void> | undefined

  constructor({ api, opened }: { readonly api: Api; readonly opened: Opened }) {
    this.#api = api
    this.#opened = opened
  }

  get total(): number {
    return [...this.steps.values()].reduce((sum, count) => sum + count, 0)
  }

  /** How often each operation was done, and how often each outcome was seen. */
  toString(): string {
    return JSON.stringify({ ...Object.fromEntries(this.steps), ...Object.fromEntries(this.outcomes) })
  }

  /** Resolves to the failures: for each lane the smallest sequence that fails, and how to repeat it. */
  async run({ lanes, seed, ...of }: RunOf): Promise<readonly string[]> {
    // neighbouring seeds begin alike
    const seeds = Array.from({ length: lanes }, (_, index) =>
      index === 0 ? seed : diceOf(seed + index).below(2 ** 30),
    )
    const ended = await Promise.allSettled(seeds.map((each) => this.#lane(each, of)))
    return ended.flatMap((lane) => (lane.status === 'rejected' ? [String(lane.reason)] : []))
  }

  /** Follows a single plan. @throws Error that says which law it breaks */
  async follow(plan: Plan): Promise<void> {
    await follow(this.ground(), plan, { namespace: await this.namespace(), name: 'only' })
  }

  async namespace(): Promise<string> {
    const namespace = await aNamespace()
    this.namespaces.add(namespace)
    return namespace
  }

  ground(limitMs = () => CONVERGED_MS): Ground {
    return {
      api: this.#api,
      opened: this.#opened,
      limitMs,
      restart: (signal) => this.#restart(signal),
      count: (outcome) => add(this.outcomes, outcome),
    }
  }

  async #lane(seed: number, { runs, steps, limitMs }: Omit<RunOf, 'lanes' | 'seed'>): Promise<void> {
    const namespace = await this.namespace()
    const endMs = performance.now() + limitMs
    let count = 0
    const law = fc.asyncProperty(aPlan(steps), async (plan) => {
      count += 1
      await follow(this.ground(), plan, { namespace, name: `s${count}` })
      for (const { operation } of plan.steps) add(this.steps, operation)
    })
    const plugins = [fc.unbiased(), fc.interruptAfterTimeLimit(limitMs)]
    const { errorInstance } = await fc.check(law, { seed, numRuns: runs, plugins, endOnFailure: true })
    if (!(errorInstance instanceof BrokenLaw)) {
      if (errorInstance) throw errorInstance
      return
    }
    console.log(`    ${namespace}/s${count} fails: ${errorInstance.message}`)
    const smallest = await this.#smallest(errorInstance, namespace, endMs)
    throw new Error(
      [
        `SEED=${seed}, the smallest sequence that fails: ${smallest.message}`,
        `repeat it with: SEQUENCE='${JSON.stringify(smallest.plan)}' ${REPEAT}`,
        `repeat the lane with: SEED=${seed} LANES=1 ${REPEAT}`,
      ].join('\n'),
    )
  }

  /** Leaves out each step before the one that failed, where it fails without that too. */
  async #smallest(found: BrokenLaw, namespace: string, endMs: number): Promise<BrokenLaw> {
    let smallest = found
    let count = 0
    for (let index = found.plan.steps.length - 2; index >= 0 && performance.now() < endMs; index -= 1) {
      count += 1
      const { shape, steps } = smallest.plan
      const ground = this.ground(() => SHRINKING_MS)
      try {
        await follow(ground, { shape, steps: steps.toSpliced(index, 1) }, { namespace, name: `smaller${count}` })
      } catch (error) {
        if (!(error instanceof BrokenLaw)) throw error
        if (error.plan.steps.length > 0) smallest = error
        index = Math.min(index, smallest.plan.steps.length - 1)
      }
    }
    return smallest
  }

  /** Those who ask while the controller is restarted get the same restart. */
  #restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const restart = async () => {
      const { controller, startController } = await installation()
      await controller().stop(signal)
      await startController()
    }
    this.#restarting ??= restart().finally(() => {
      this.#restarting = undefined
    })
    return this.#restarting
  }
}

const add = <T>(counts: Map<T, number>, what: T) => counts.set(what, (counts.get(what) ?? 0) + 1)
