import { matchesWhole } from '../json/sequence.ts'
import type { Change } from '../override/changes.ts'
import { parseOverridePath, type Step } from '../override/path.ts'

/** One difference between two forks as a text: `containers[cart].image: a:1 -> a:2`. */
export interface Difference {
  readonly text: string
  /** whether values are shown; images, resources and replicas are, others may be secret */
  readonly isShown: boolean
}

/** The texts for `changes`: first those that show values, then those that only name the field. */
export function differences(changes: readonly Change[]): readonly Difference[] {
  const groups = Map.groupBy(changes, (change) => nameOf(whole(change.path)))
  const found = [...groups].map(([name, changes]) => difference(name, changes))
  return [...found.filter(({ isShown }) => isShown), ...found.filter(({ isShown }) => !isShown)]
}

/** The path of a changed leaf, or of the whole item that was added or removed with it, which is one difference. */
function whole(path: readonly Step[]): readonly Step[] {
  const at = path.findIndex((step) => step.is === 'item' && step.became !== undefined)
  return at < 0 ? path : path.slice(0, at + 1)
}

function difference(name: string, changes: readonly Change[]): Difference {
  const [first] = changes
  const last = first && whole(first.path).at(-1)
  if (last?.is === 'item' && last.became !== undefined) return became(name, last.became, changes)
  if (!first || !isPublic(first.path)) return { text: `${name}: ${verbOf(first)}`, isShown: false }
  return { text: `${name}: ${show(first.before)} -> ${show(first.after)}`, isShown: true }
}

function became(name: string, how: 'added' | 'removed', changes: readonly Change[]): Difference {
  const image = changes.find(({ path }) => isOneOf(IMAGES, path))
  if (image) return { text: `${name}: ${show(image.before)} -> ${show(image.after)}`, isShown: true }
  return { text: `${name}: ${how}`, isShown: false }
}

const verbOf = (change: Change | undefined): string => {
  if (change?.before === undefined) return 'set'
  return change.after === undefined ? 'removed' : 'changed'
}

const keyOf = (step: Step | undefined): string | undefined => (step?.is === 'member' ? step.key : undefined)

/** Patterns of paths below the `spec` of a workload. */
const paths = (...patterns: readonly string[]) => patterns.map((pattern) => parseOverridePath(pattern) ?? [])

const CONTAINERS = 'template.spec.{containers,initContainers,ephemeralContainers}[*]'
const IMAGES = paths(`${CONTAINERS}.image`, 'template.spec.volumes[*].image.reference')
const NUMBERS = paths(
  'replicas',
  `${CONTAINERS}.resources.**`,
  'template.spec.resources.**',
  'volumeClaimTemplates[*].spec.resources.**',
)
const PUBLIC = [...IMAGES, ...NUMBERS]

const isOneOf = (patterns: typeof PUBLIC, path: readonly Step[]): boolean =>
  patterns.some((pattern) => matchesWhole(pattern, path))

/** Compares the whole path, because an annotation with the same key may hold a secret. */
const isPublic = (path: readonly Step[]): boolean => isOneOf(PUBLIC, path)

const show = (value: unknown): string => (value === undefined || typeof value === 'object' ? 'none' : String(value))

const PLAIN = /^[A-Za-z][\w-]*$/

/** The path as users know it: fields of the pod without `template.spec`, items by their key. */
function nameOf(path: readonly Step[]): string {
  const isInPod = keyOf(path[0]) === 'template' && keyOf(path[1]) === 'spec' && path.length > 2
  const text = (isInPod ? path.slice(2) : path).map((step) => {
    if (step.is === 'item') return `[${step.names[0] ?? step.index}]`
    return PLAIN.test(step.key) ? `.${step.key}` : `[${JSON.stringify(step.key)}]`
  })
  return text.join('').replace(/^\./, '')
}
