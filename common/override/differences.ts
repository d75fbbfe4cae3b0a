import { matchesWhole } from '../json/sequence.ts'
import { count } from '../text/count.ts'
import { withShortDigest } from '../text/digest.ts'
import type { Part } from '../text/fitted.ts'
import type { FieldChange } from './changes.ts'
import { type ItemStep, type PathStep, parseOverridePath } from './path.ts'

/** What became of a field: it has a value that it had not, an item of a list is new, and so on. */
type DifferenceVerb = 'set' | 'added' | 'removed' | 'changed' | 'moved'

/** A field in which two specs differ, or a whole item that only one of them has. */
export interface DifferenceRow {
  /** as people know it: `containers[cart].image` */
  readonly name: string
  readonly verb: DifferenceVerb
  /** its leaves, at least one */
  readonly changes: readonly FieldChange[]
  /** the leaf whose values may be shown: an image, resources, replicas; undefined: the values may be secret */
  readonly shown: FieldChange | undefined
}

/**
 * The differences of which `changes` are the leaves. First come those that show values. The others only name the field,
 * because their values may be secret.
 */
export function differenceRows(changes: readonly FieldChange[]): readonly DifferenceRow[] {
  const found = grouped(changes)
  return [...found.filter(({ shown }) => shown !== undefined), ...found.filter(({ shown }) => shown === undefined)]
}

/**
 * The texts for `changes`, such as `containers[cart].image: a:1 -> a:2`, in the order of `differenceRows`. What does
 * not fit: first the values, then long keys.
 */
export const differences = (changes: readonly FieldChange[]): readonly (readonly Part[])[] =>
  differenceRows(changes).map(({ name, verb, changes: [first], shown }) => {
    const place = first && name.length > MAX_STEP ? [name, nameOf(whole(first.path), MAX_STEP)] : name
    return [place, ': ', shown ? [showValues(shown), verb] : verb]
  })

/** The longest text of `changedFields`: a column of `kubectl get` in a terminal. */
const MAX_FIELDS = 60

/** The fields of `differences` in a short text without values: `containers[cart].image`, `12 fields` or `none`. */
export function changedFields(changes: readonly FieldChange[]): string {
  const names = differenceRows(changes).map(({ name }) => name)
  if (names.length === 0) return 'none'
  const text = names.join(', ')
  return text.length <= MAX_FIELDS ? text : count(names.length, 'field')
}

/** What a field had before a change: its name without shortening, and whether texts show its value. */
interface FormerValue {
  readonly name: string
  readonly value: unknown
  readonly isShown: boolean
}

/** What the fields of `changes` had before, of those that were there. */
export const formerValues = (changes: readonly FieldChange[]): readonly FormerValue[] =>
  changes.flatMap((change) => {
    const { path, before: value, isMoved } = change
    return value === undefined || isMoved
      ? []
      : [{ name: nameOf(path), value, isShown: shownChange([change]) !== undefined }]
  })

/** The fields of `changes`, by the same names. */
export const fieldNames = (changes: readonly FieldChange[]): ReadonlySet<string> =>
  new Set(changes.map(({ path }) => nameOf(path)))

/** The changes by the name of their difference. `shown` is the one with public values, if any. */
function grouped(changes: readonly FieldChange[]): readonly DifferenceRow[] {
  // All leaves of one item that was added or removed come one after the other and share its step, and so its name.
  let [step, name]: readonly [PathStep | undefined, string] = [undefined, '']
  const groups = Map.groupBy(changes, ({ path }) => {
    const of = whole(path)
    const last = of.at(-1)
    if (last === undefined || last !== step) [step, name] = [last, nameOf(of)]
    return name
  })
  return [...groups].flatMap(([name, changes]) => {
    const [first] = changes
    return first ? [{ name, verb: verbOf(first), changes, shown: shownChange(changes) }] : []
  })
}

/** The longest step that is shown of a path that does not fit. The name of a container is no longer. */
const MAX_STEP = 63

/** The path of a changed leaf, or of the whole item that was added or removed with it, which is one difference. */
function whole(path: readonly PathStep[]): readonly PathStep[] {
  const at = path.findIndex((step) => becameOf(step) !== undefined)
  return at < 0 ? path : path.slice(0, at + 1)
}

const becameOf = (step: PathStep | undefined) => (step?.is === 'item' ? step.became : undefined)

/** The change that shows its values: of an item that was added or removed, its image. */
const shownChange = (changes: readonly FieldChange[]): FieldChange | undefined =>
  changes.find(({ path }) => isOneOf(path.some(becameOf) ? IMAGES : PUBLIC, path))

function verbOf(change: FieldChange): DifferenceVerb {
  if (change.isMoved) return 'moved'
  const became = becameOf(whole(change.path).at(-1))
  if (became !== undefined) return became
  if (change.before === undefined) return 'set'
  return change.after === undefined ? 'removed' : 'changed'
}

const keyOf = (step: PathStep | undefined): string | undefined => (step?.is === 'member' ? step.key : undefined)

/** Patterns of paths below the `spec` of a workload. */
const paths = (...patterns: readonly string[]) => patterns.map((pattern) => parseOverridePath(pattern) ?? [])

const CONTAINERS = 'template.spec.{containers,initContainers,ephemeralContainers}[*]'
const IMAGES = paths(`${CONTAINERS}.image`, 'template.spec.volumes[*].image.reference')
const NUMBERS = paths('replicas', `${CONTAINERS}.resources.**`, 'template.spec.resources.**')
const CLAIMS = paths('volumeClaimTemplates[*].spec.resources.**')
const PUBLIC = [...IMAGES, ...NUMBERS, ...CLAIMS]

/** Compares the whole path, because an annotation with the same key may hold a secret. */
const isOneOf = (patterns: typeof PUBLIC, path: readonly PathStep[]): boolean =>
  patterns.some((pattern) => matchesWhole(pattern, path))

const textOf = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'object' ? undefined : String(value)

/** Both values of a leaf in words, with short digests unless these are the same. Undefined: it had, or has, none. */
export function valueTexts({ before, after }: FieldChange): Readonly<Record<'before' | 'after', string | undefined>> {
  const [from, to] = [textOf(before), textOf(after)]
  const [short, other] = [from && withShortDigest(from), to && withShortDigest(to)]
  return short === other ? { before: from, after: to } : { before: short, after: other }
}

function showValues(change: FieldChange): string {
  const { before = 'none', after = 'none' } = valueTexts(change)
  return `${before} -> ${after}`
}

const PLAIN = /^[A-Za-z][\w-]*$/

/** Its first key, and the others unless they are absent by default: `80`, `80/UDP`. */
function itemName({ names, index, keyed }: ItemStep): string {
  const [first = `${index}`, whole = first] = names
  const usual = [first, ...(keyed?.keys ?? []).slice(1).map(({ fallback }) => fallback)].join('/')
  return whole === usual ? first : whole
}

/**
 * The path as users know it: fields of the pod without `template.spec`, items by their key. Longer keys are `[...]`.
 */
function nameOf(path: readonly PathStep[], longest = Number.POSITIVE_INFINITY): string {
  const isInPod = keyOf(path[0]) === 'template' && keyOf(path[1]) === 'spec' && path.length > 2
  const text = (isInPod ? path.slice(2) : path).map((step) => {
    const key = step.is === 'item' ? itemName(step) : step.key
    if (key.length > longest) return '[...]'
    if (step.is === 'item') return `[${key}]`
    return PLAIN.test(step.key) ? `.${step.key}` : `[${JSON.stringify(step.key)}]`
  })
  return text.join('').replace(/^\./, '')
}
