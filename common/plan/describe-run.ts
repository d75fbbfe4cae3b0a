import type { KubeObject } from '../api/object.ts'
import type { Facts } from '../assess/facts.ts'
import { type RunState, runState, sizesOf } from '../assess/run.ts'
import { nameOfStep } from '../strategy/compile.ts'
import { forecast, forecastTexts } from '../strategy/forecast.ts'
import type { Sizes } from '../strategy/target.ts'
import { roundedDown } from '../strategy/weight.ts'
import { count } from '../text/count.ts'

/** How many characters of a line are for steps: it is a warning of at most 256. */
const MAX_LINE = 220

/** All steps of the strategy with their pods and shares, in as many lines as they need; none without a strategy. */
export function strategyLines(facts: Facts, fork: KubeObject): readonly string[] {
  const state = runState(facts, fork)
  if (!state) return []
  const { run, steps, spec } = state
  if (run.path !== 'Forward') return [`the run was ${run.path === 'Undo' ? 'undone' : 'aborted'}: no pods`]
  const sizes = sizesOf(facts, spec)
  const texts = sizes ? forecastTexts(steps, sizes) : steps.map(nameOfStep)
  const isNew = run.stepIndex === 0
  const lines = inLines(
    texts.slice(run.stepIndex),
    isNew ? 'steps: ' : `from step ${run.stepIndex + 1} of ${steps.length}: `,
  )
  return sizes ? [...lines, promotionLine(facts, state, sizes)] : lines
}

/** What a promotion costs. */
function promotionLine({ experiment }: Facts, { spec, steps }: RunState, sizes: Sizes): string {
  const { kind, name } = experiment.spec.sourceRef
  const source = `${kind.toLowerCase()}/${name}`
  if (spec.mode === 'Export') return `promote: waits until ${source} has the change; status.promotion.patch says how`
  const most = Math.max(...forecast(steps, sizes).map(({ pods }) => pods))
  const serving = Math.max(0, sizes.source - (roundedDown(spec.maxUnavailable, sizes.source) ?? 0))
  return `promote: writes ${source}; at most ${count(most, 'pod')} beside it, never fewer than ${serving} serve`
}

function inLines(texts: readonly string[], first: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const text of texts) {
    if (line !== '' && line.length + text.length > MAX_LINE) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? `${lines.length === 0 ? first : 'then '}${text}` : `; ${text}`
  }
  return line === '' ? lines : [...lines, line]
}
