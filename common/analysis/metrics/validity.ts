import type { CoarseCounts, EventCounts, FineCounts, Samples, WindowData } from '../window-data.ts'

/** The most requests of one arm in a window. Sums over more of them would block the controller for too long. */
const MOST_REQUESTS = 1e8

/** The largest size of a value. The sums of an analysis then stay finite. */
const LARGEST_VALUE = 1e300

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= MOST_REQUESTS
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
const areCounts = (values: readonly number[]): boolean => values.every(isCount) && isCount(sum(values))

const areSamples = (arm: readonly Samples[]): boolean =>
  arm.every(({ values }) => values.every((value) => Number.isFinite(value) && value >= 0))

const areCoarse = (arm: readonly CoarseCounts[], boundaries: readonly number[]): boolean =>
  areCounts(arm.map(({ total }) => total)) &&
  arm.every(
    ({ exceeding, total }) =>
      exceeding.length === boundaries.length &&
      exceeding.every((count, index) => isCount(count) && count <= (exceeding[index - 1] ?? total)),
  )

const areBoundaries = (boundaries: readonly number[]): boolean =>
  boundaries.every((value, index) => Number.isFinite(value) && value > (boundaries[index - 1] ?? 0))

/** The largest number of a bucket. Larger ones cannot be of durations. */
const OUTERMOST_BUCKET = 2 ** 24

const areFine = (arm: readonly FineCounts[]): boolean =>
  areCounts(arm.flatMap(({ zero, buckets }) => [zero, ...buckets.map(([, count]) => count)])) &&
  arm.every(({ buckets }) => buckets.every(([k]) => Number.isInteger(k) && Math.abs(k) <= OUTERMOST_BUCKET))

const areEvents = (arm: readonly EventCounts[]): boolean =>
  areCounts(arm.map(({ events }) => events)) &&
  arm.every(({ exposure }) => Number.isFinite(exposure) && exposure >= 0) &&
  sum(arm.map(({ exposure }) => exposure)) <= MOST_REQUESTS

const isValue = (value: number): boolean => Math.abs(value) <= LARGEST_VALUE

/**
 * Whether `data` can be what a provider has counted: finite numbers, of which counts are whole and not negative, and
 * no more requests above a boundary than above the one before it. A state keeps nothing else.
 */
export function isSound(data: WindowData): boolean {
  switch (data.is) {
    case 'samples':
      return areSamples(data.treatment) && areSamples(data.control)
    case 'coarse': {
      const { boundaries } = data
      return areBoundaries(boundaries) && areCoarse(data.treatment, boundaries) && areCoarse(data.control, boundaries)
    }
    case 'fine':
      return Number.isFinite(data.ratio) && data.ratio > 1 && areFine(data.treatment) && areFine(data.control)
    case 'events':
      return areEvents(data.treatment) && areEvents(data.control)
    case 'value':
      return isValue(data.treatment) && isValue(data.control)
    case 'treatmentValue':
      return isValue(data.treatment)
    case 'decision':
      return true
  }
}
