import type { Facts } from '../../common/facts/facts.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { type Bench, type Figure, median, ratioFigure } from './figure.ts'
import { planCalls } from './plan-calls.ts'

const CHARACTERS = 160_000
const ROUNDS = 15

/** What the bench needs of a checkout: this one, or that of another commit. */
interface Code {
  readonly planned: (facts: Facts) => void
  readonly largeFacts: () => Facts
}

/** Plans over an override of 160,000 characters, by the code in `root`. */
async function codeIn(root: string): Promise<Code> {
  const load = (file: string) => import(new URL(file, `file://${root}/`).href)
  const [{ plan }, { statusOf }, { aRun, aRunExperiment }] = await Promise.all(
    ['common/plan/plan.ts', 'common/plan/status.ts', 'test/common/plan/some-run.ts'].map(load),
  )
  const { situationOf } = await load('common/situation/situation-of.ts').catch(() => ({ situationOf: undefined }))
  return {
    planned: (facts) => {
      const of = situationOf ? situationOf(facts) : facts
      statusOf(of, plan(of).conclusion)
    },
    largeFacts: () => {
      const run = aRun(aRunExperiment({ overrideSpec: largeOverride(), overrideType: 'Strategic' }))
      run.rest()
      return run.facts()
    },
  }
}

function largeOverride(): JsonObject {
  const env = Array.from({ length: 1_000 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(130) }))
  const overrideSpec: JsonObject = { template: { spec: { containers: [{ name: 'cart', env }] } } }
  if (Math.abs(JSON.stringify(overrideSpec).length - CHARACTERS) > 5_000) throw new Error('it has another size')
  return overrideSpec
}

/** The facts of a pass after the status was written: as the watch brings them, with the same `spec`. */
const afterStatus = (facts: Facts): Facts => ({ ...facts, experiment: { ...facts.experiment } })

/** The facts of a pass after override and source have changed, so that nothing can be known of them. */
function afterEdit(facts: Facts): Facts {
  const { experiment, source } = facts
  return {
    ...facts,
    experiment: { ...experiment, spec: structuredClone(experiment.spec) },
    source: source.is === 'known' ? { ...source, value: structuredClone(source.value) } : source,
  }
}

/** Milliseconds of one pass over such facts, its status included. */
function passMs({ planned, largeFacts }: Code, after: (facts: Facts) => Facts): number {
  const facts = largeFacts()
  const times = Array.from({ length: ROUNDS }, () => {
    const of = after(facts)
    const started = performance.now()
    planned(of)
    return performance.now() - started
  })
  return median(times)
}

/** How often a plan asked at the commit before the situation came (6cf73c86). */
const BEFORE: Readonly<Record<string, number>> = { 'paused canary': 138, 'blue-green in its preview': 397 }

export const pass: Bench = {
  name: 'pass',
  measures: 'how often one plan asks what the facts mean; with PASS_BASE=DIR also a long pass beside that checkout',
  async run(tell) {
    const figures: Figure[] = []
    for (const [name, counts] of Object.entries(await planCalls())) {
      const most = Object.entries(counts).sort(([, a], [, b]) => b - a)
      tell(
        `${name}: ${most
          .slice(0, 12)
          .map(([of, count]) => `${of} ${count}`)
          .join(', ')}`,
      )
      const value = Object.values(counts).reduce((sum, count) => sum + count, 0)
      figures.push(ratioFigure({ name, value, unit: 'calls', against: BEFORE[name] ?? 0, atMost: 0.5 }))
    }
    const { PASS_BASE: base } = process.env
    if (base === undefined) return figures
    const [former, present] = [await codeIn(base), await codeIn(process.cwd())]
    const measured = (after: (facts: Facts) => Facts) => {
      passMs(present, after)
      return { against: passMs(former, after), value: passMs(present, after) }
    }
    const { value, against } = measured(afterEdit)
    tell(`a long pass after an edit, when everything is computed: ${value.toFixed(1)} beside ${against.toFixed(1)} ms`)
    const name = 'a long pass after a status'
    return [...figures, ratioFigure({ name, unit: 'ms', ...measured(afterStatus), atMost: 0.45 })]
  },
}
