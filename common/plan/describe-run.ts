import type { KubeObject } from '../api/object.ts'
import type { Facts } from '../assess/facts.ts'
import { runState, sizesOf } from '../assess/run.ts'
import { nameOfStep } from '../strategy/compile.ts'
import { forecastTexts } from '../strategy/forecast.ts'

/** How many characters of a line are for steps: it is a warning of at most 256. */
const MAX_LINE = 220

/** All steps of the strategy, with their pods and their share, in as many lines as they need; none without a strategy. */
export function strategyLines(facts: Facts, fork: KubeObject): readonly string[] {
  const state = runState(facts, fork)
  if (!state) return []
  const { run, steps, spec } = state
  if (run.path !== 'Forward') return [`the run was ${run.path === 'Undo' ? 'undone' : 'aborted'}: no pods`]
  const sizes = sizesOf(facts, spec)
  const texts = sizes ? forecastTexts(steps, sizes) : steps.map(nameOfStep)
  const isNew = run.stepIndex === 0
  return inLines(texts.slice(run.stepIndex), isNew ? 'steps: ' : `from step ${run.stepIndex + 1} of ${steps.length}: `)
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
