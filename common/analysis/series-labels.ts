import { sha256Of, WHOLE } from '../json/canonical.ts'
import { fnv1a } from '../json/fnv1a.ts'

type Labels = Readonly<Record<string, string>>

/** A series as far as its labels tell it from others. */
interface LabelledSeries {
  readonly name: string
  readonly pod: string
  /** all labels but the name */
  readonly labels: Labels
}

/** Labels of Prometheus, its operator, Thanos and Mimir that say who scraped, and not what is counted. */
export const SCRAPERS = ['job', 'prometheus', 'prometheus_replica', 'receive_replica', 'replica', '__replica__']
/** The labels that are read, beside those with the pod and its namespace. */
const READ = [...SCRAPERS, 'service', 'endpoint', 'instance', 'container', 'le']

/** The most labels of a series, and the most characters of all of them. */
export const [MAX_LABELS, MAX_CHARACTERS] = [128, 16_384]
/** The most names of labels in one answer. */
export const MAX_NAMES = 1_024
/** So many texts are kept once if they are equal. */
const MAX_TEXTS = 4_096

/** The hash that stands for the labels that nobody reads. No label has this name. */
const OTHERS = ''

/** The labels that nobody reads: the name of each, and a hash of its name and its value. */
export type UnreadLabels = readonly (readonly [label: string, hash: number])[]

/** A hash of a label and its value. It need not be safe, as it only finds series that are alike. */
export const hashOfLabel = (label: string, value: string): number => fnv1a(`${label} ${value}`)

/**
 * What is kept of the labels of a series. `malformed`: not all are texts; `long`: they are too many or too long;
 * `various`: those of the whole answer have too many names.
 */
type Kept =
  | { readonly is: 'kept'; readonly name: string; readonly labels: Labels; readonly unread?: UnreadLabels | undefined }
  | { readonly is: 'malformed' | 'long' | 'various' }

/** The value of a label; undefined if a series lacks it. Its name may be that of a member of all objects. */
export const labelIn = (labels: Labels, label: string): string | undefined =>
  Object.hasOwn(labels, label) ? labels[label] : undefined

/** Keeps the labels of the series of one answer, in few bytes. */
export class KeptLabels {
  readonly #read: ReadonlySet<string>
  readonly #names = new Set<string>()
  readonly #texts = new Map<string, string>()
  readonly #unread = new Map<string, UnreadLabels>()

  /** @param read the names of the labels with the pod and its namespace */
  constructor(read: readonly string[]) {
    this.#read = new Set([...READ, ...read])
  }

  /** The name and the labels in `metric`: those that are read, and one hash of all others. Or why there are none. */
  of(metric: Readonly<Record<string, unknown>>): Kept {
    const labels: Record<string, string> = {}
    const others: string[] = []
    let [name, count, characters] = ['', 0, 0]
    for (const [label, value] of Object.entries(metric)) {
      if (typeof value !== 'string') return { is: 'malformed' }
      count += 1
      characters += label.length + value.length
      this.#names.add(label)
      if (label === '__name__') name = this.once(value)
      else if (this.#read.has(label)) labels[label] = this.once(value)
      else others.push(label)
    }
    if (count > MAX_LABELS || characters > MAX_CHARACTERS) return { is: 'long' }
    if (this.#names.size > MAX_NAMES) return { is: 'various' }
    if (others.length === 0) return { is: 'kept', name, labels }
    const hash = this.once(hashOf('', metric, others))
    labels[OTHERS] = hash
    return { is: 'kept', name, labels, unread: this.#unreadOf(hash, metric, others) }
  }

  /** Those of equal labels are kept once. */
  #unreadOf(hash: string, metric: Readonly<Record<string, unknown>>, names: readonly string[]): UnreadLabels {
    const known = this.#unread.get(hash)
    if (known) return known
    const unread = names.map((label) => [this.once(label), hashOfLabel(label, `${metric[label]}`)] as const)
    this.#unread.set(hash, unread)
    return unread
  }

  /** The identity of a series with labels from here. Its keys are made now. */
  identityOf(one: LabelledSeries): string {
    keysOf(one, (text) => this.once(text))
    return identityOf(one)
  }

  /** `text`; of equal ones always the first, so that the others take no memory. */
  once(text: string): string {
    const known = this.#texts.get(text)
    if (known === undefined && this.#texts.size < MAX_TEXTS) this.#texts.set(text, text)
    return known ?? text
  }
}

/** Equal for the same name and the same `labels` of these names, in any order, and different for others. */
function hashOf(name: string, labels: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  let text = name
  for (const label of isAscending(names) ? names : names.toSorted()) {
    const value = `${labels[label]}`
    text += `|${label.length} ${value.length} ${label}${value}`
  }
  return sha256Of(text, WHOLE)
}

/** As it is nearly always. */
const isAscending = (names: readonly string[]): boolean =>
  names.every((name, index) => index === 0 || (names[index - 1] ?? '') < name)

/** By what series are told from each other. */
interface Keys {
  readonly histogram: string
  readonly process: string
}

/** Each series is looked up several times, and most of the work is to make its keys. */
const KEYS = new WeakMap<LabelledSeries, Keys>()

function keysOf(one: LabelledSeries, once = (text: string) => text): Keys {
  const known = KEYS.get(one)
  if (known) return known
  const { name, pod, labels } = one
  const { job, instance, container } = labels
  const others = Object.keys(labels).filter((label) => label !== 'le')
  const process = JSON.stringify([pod, job, instance, container])
  const keys = { histogram: once(hashOf(name, labels, others)), process: once(process) }
  KEYS.set(one, keys)
  return keys
}

/** Equal for the same series, also in different answers. */
export function identityOf(one: LabelledSeries): string {
  const { le } = one.labels
  const histogram = histogramOf(one)
  return le === undefined ? histogram : `${histogram} ${le}`
}

/** Equal for the buckets of one histogram. */
export const histogramOf = (one: LabelledSeries): string => keysOf(one).histogram

/** The process that a series is of, as far as its labels say. */
export const processOf = (one: LabelledSeries): string => keysOf(one).process
