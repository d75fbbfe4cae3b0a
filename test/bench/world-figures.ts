import { type Figure, median } from './figure.ts'
import type { WorldStory } from './world-making.ts'
import type { Reached, WorldEnding } from './world-play.ts'

const percent = (all: readonly Reached[], verdict: keyof Reached): number =>
  (100 * all.filter((each) => each[verdict] !== undefined).length) / all.length

/** A part of wrong verdicts may exceed its bound by three standard errors. */
export const boundOf = (part: number, runs: number): number => 100 * (part + 3 * Math.sqrt((part * (1 - part)) / runs))

/** The windows until half of all experiments have the verdict; Infinity if fewer have it. */
const windowsTo = (all: readonly Reached[], verdict: keyof Reached): number =>
  median(all.map((each) => each[verdict] ?? Number.POSITIVE_INFINITY))

/** The figures of a story: the one of the product with its goal, and those of the rules of others. */
export function worldFigures(name: string, story: WorldStory, all: readonly WorldEnding[]): readonly Figure[] {
  const verdict = story.is === 'harmless' || story.is === 'fails' ? 'Fail' : 'Pass'
  const isWrong = story.is === 'harmless' || story.is === 'at the limit'
  const ours = all.map((each) => each.ours)
  const rules = Object.keys(all[0]?.others ?? {})
  const measured = (reached: readonly Reached[]) => (isWrong ? percent(reached, verdict) : windowsTo(reached, verdict))
  const [unit, value] = [isWrong ? '%' : 'windows', measured(ours)]
  const title = `${isWrong ? 'false' : 'right'} ${verdict}: ${name}`
  const { atMost = 0, within } = story
  const limit = isWrong ? boundOf(atMost, all.length) : within
  const figure = { name: title, value, unit, against: isWrong ? 100 * atMost : (within ?? value) }
  return [
    {
      ...figure,
      ratio: value / figure.against,
      ...(limit === undefined
        ? { goal: 'told', holds: true }
        : { goal: `value <= ${limit.toFixed(2)}`, holds: value <= limit }),
    },
    ...rules.map((rule) => {
      const theirs = measured(all.map(({ others }) => others[rule] ?? {}))
      return {
        name: `${title}, by ${rule}`,
        value: theirs,
        unit,
        against: value,
        ratio: theirs / value,
        goal: 'told',
        holds: true,
      }
    }),
  ]
}
