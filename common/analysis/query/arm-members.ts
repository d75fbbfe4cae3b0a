import { type MetricKind, POINTERS, type WebPointers } from '../../api/analysis/metric.ts'
import type { Arm, WindowData } from '../window-data.ts'
import { type Failed, failed, type WindowAnswer } from './window-query.ts'

/** What an answer has for one arm. Nothing of it has been checked. Undefined and null mean that it does not have it. */
export type ArmMembers = Readonly<Partial<Record<keyof WebPointers, unknown>>>

/** The most samples of an arm in one window. */
const MAX_SAMPLES = 10_000
/** The most boundaries. Histograms have far fewer. */
const MAX_BOUNDARIES = 1_000

/** The arms that a metric asks about. A Threshold is not compared with the control. */
export const armsOfKind = (kind: MetricKind): readonly Arm[] =>
  kind === 'Threshold' ? ['treatment'] : ['treatment', 'control']

type Check = (value: unknown) => boolean

const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isFiniteNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const isSeconds: Check = (value) => isFiniteNumber(value) && (value as number) >= 0

const isList = (value: unknown, max: number, isItem: Check): value is readonly number[] =>
  Array.isArray(value) && value.length <= max && value.every(isItem)

interface Expectation {
  readonly holds: Check
  readonly words: string
}

const COUNT: Expectation = { holds: isCount, words: 'a whole number, not negative' }

const EXPECTED: Readonly<Record<keyof WebPointers, Expectation>> = {
  samples: {
    holds: (value) => isList(value, MAX_SAMPLES, isSeconds),
    words: `a list of at most ${MAX_SAMPLES} numbers, not negative`,
  },
  boundaries: {
    holds: (value) =>
      isList(value, MAX_BOUNDARIES, isFiniteNumber) && value.every((each, at) => each > (value[at - 1] ?? 0)),
    words: `a list of at most ${MAX_BOUNDARIES} numbers above 0, ascending`,
  },
  exceeding: {
    holds: (value) => isList(value, MAX_BOUNDARIES, isCount),
    words: 'a list of whole numbers, not negative',
  },
  total: COUNT,
  events: COUNT,
  value: { holds: isFiniteNumber, words: 'a number' },
}

type Name = keyof WebPointers

/** The names of all members. */
export const MEMBERS = Object.keys(EXPECTED) as readonly Name[]

const isThere = (value: unknown): boolean => value !== undefined && value !== null

/**
 * What the answers for both arms say about a metric of `kind`. Where a kind can use several sets of members, the first
 * one counts of which an arm has anything. An arm without one of its members is silent: the provider does not know it.
 * A member of another type is a failure, which names the member and nothing that is in it.
 */
export function dataOf(kind: MetricKind, arms: Readonly<Record<Arm, ArmMembers>>): WindowAnswer {
  const sets = POINTERS[kind]
  if (!sets) return failed(`a metric of kind ${kind} cannot use such an answer`)
  const expected = armsOfKind(kind)
  const names = sets.find((set) => set.some((name) => expected.some((arm) => isThere(arms[arm][name]))))
  if (!names) return { is: 'silent', arms: expected }
  const wrong = expected.flatMap((arm) => firstWrong(arm, arms[arm], names) ?? [])[0]
  if (wrong) return wrong
  const silent = expected.filter((arm) => !names.every((name) => isThere(arms[arm][name])))
  if (silent.length > 0) return { is: 'silent', arms: silent }
  return compared(names, arms, kind)
}

function firstWrong(arm: Arm, members: ArmMembers, names: readonly Name[]): Failed | undefined {
  const wrong = names.find((name) => isThere(members[name]) && !EXPECTED[name].holds(members[name]))
  return wrong && failed(`${wrong} of the ${arm}: must be ${EXPECTED[wrong].words}`)
}

/** Members whose types have been checked. */
interface Checked {
  readonly samples: readonly number[]
  readonly boundaries: readonly number[]
  readonly exceeding: readonly number[]
  readonly total: number
  readonly events: number
  readonly value: number
}

function compared(names: readonly Name[], arms: Readonly<Record<Arm, ArmMembers>>, kind: MetricKind): WindowAnswer {
  const [treatment, control] = [arms.treatment as Checked, arms.control as Checked]
  const both = <T>(of: (members: Checked) => T) => ({ treatment: of(treatment), control: of(control) })
  if (names.includes('samples')) return data({ is: 'samples', ...both(({ samples }) => [{ values: samples }]) })
  if (names.includes('events'))
    return data({ is: 'events', ...both(({ events, total }) => [{ events, exposure: total }]) })
  if (kind === 'Threshold') return data({ is: 'treatmentValue', treatment: treatment.value })
  if (names.includes('value')) return data({ is: 'value', ...both(({ value }) => value) })
  const wrongCounts = countsProblem('treatment', treatment) ?? countsProblem('control', control)
  return (
    wrongCounts ??
    boundariesProblem(treatment, control) ??
    data({
      is: 'coarse',
      boundaries: treatment.boundaries,
      ...both(({ exceeding, total }) => [{ exceeding, total }]),
    })
  )
}

const data = (window: WindowData): WindowAnswer => ({ is: 'data', data: window })

function countsProblem(arm: Arm, { boundaries, exceeding, total }: Checked): Failed | undefined {
  if (exceeding.length !== boundaries.length)
    return failed(`exceeding of the ${arm}: must have as many items as boundaries`)
  return exceeding.every((count, at) => count <= (exceeding[at - 1] ?? total))
    ? undefined
    : failed(`exceeding of the ${arm}: must not be above total, or above the count before it`)
}

function boundariesProblem({ boundaries: ours }: Checked, { boundaries: others }: Checked): Failed | undefined {
  const areSame = ours.length === others.length && ours.every((each, at) => each === others[at])
  return areSame ? undefined : failed('boundaries: must be the same for treatment and control')
}
