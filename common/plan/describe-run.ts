import type { KubeObject } from '../api/object.ts'
import type { Facts } from '../assess/facts.ts'
import { runState, sizesOf } from '../assess/run.ts'
import { compile, nameOfStep, type Step } from '../strategy/compile.ts'
import { forecastTexts } from '../strategy/forecast.ts'
import { obey } from './obey.ts'

/** How many characters of a line are for steps: it is a warning of at most 256. */
const MAX_LINE = 220

/**
 * All steps of the strategy that are left, with their pods and their share, in as many lines as they need; none without
 * a strategy. After a command of this request they are those that follow it.
 */
export function strategyLines(facts: Facts, fork: KubeObject): readonly string[] {
  const state = runState(facts, fork)
  if (!state) return []
  const { spec } = state
  const run = obey(facts, state)?.run ?? state.run
  const steps = compile(spec, run.path)
  if (run.path !== 'Forward') return [wayBack(run.path, steps[run.stepIndex]?.is)]
  const sizes = sizesOf(facts, spec)
  const texts = sizes ? forecastTexts(steps, sizes) : steps.map(nameOfStep)
  const isNew = run.stepIndex === 0
  return inLines(texts.slice(run.stepIndex), isNew ? 'steps: ' : `from step ${run.stepIndex + 1} of ${steps.length}: `)
}

function wayBack(path: 'Abort' | 'Undo', step: Step['is'] | undefined): string {
  if (step === 'restore') return 'restores the former values of the source, then takes all pods from the fork'
  return `the run was ${path === 'Undo' ? 'undone' : 'aborted'}: the fork has no pods`
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
