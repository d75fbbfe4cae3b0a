import { matchesWhole } from '../json/sequence.ts'
import type { Change } from '../override/changes.ts'
import { parseOverridePath, type Step } from '../override/path.ts'

/**
 * The texts for `changes`, such as `containers[cart].image: a:1 -> a:2`. First come those that show values: images,
 * resources and replicas. The others only name the field, because their values may be secret.
 */
export function differences(changes: readonly Change[]): readonly string[] {
  const groups = Map.groupBy(changes, (change) => nameOf(whole(change.path)))
  const found = [...groups].map(([name, changes]) => ({ name, changes, shown: shownChange(changes) }))
  return [
    ...found.flatMap(({ name, shown }) => (shown ? `${name}: ${show(shown.before)} -> ${show(shown.after)}` : [])),
    ...found.flatMap(({ name, changes, shown }) => (shown ? [] : `${name}: ${verbOf(changes[0])}`)),
  ]
}

/** The path of a changed leaf, or of the whole item that was added or removed with it, which is one difference. */
function whole(path: readonly Step[]): readonly Step[] {
  const at = path.findIndex((step) => becameOf(step) !== undefined)
  return at < 0 ? path : path.slice(0, at + 1)
}

const becameOf = (step: Step | undefined) => (step?.is === 'item' ? step.became : undefined)

/** The change that shows its values: of an item that was added or removed, its image. */
const shownChange = (changes: readonly Change[]): Change | undefined =>
  changes.find(({ path }) => isOneOf(path.some(becameOf) ? IMAGES : PUBLIC, path))

function verbOf(change: Change | undefined): string {
  const became = becameOf(change && whole(change.path).at(-1))
  if (became !== undefined) return became
  if (change?.before === undefined) return 'set'
  return change.after === undefined ? 'removed' : 'changed'
}

const keyOf = (step: Step | undefined): string | undefined => (step?.is === 'member' ? step.key : undefined)

/** Patterns of paths below the `spec` of a workload. */
const paths = (...patterns: readonly string[]) => patterns.map((pattern) => parseOverridePath(pattern) ?? [])

const CONTAINERS = 'template.spec.{containers,initContainers,ephemeralContainers}[*]'
const IMAGES = paths(`${CONTAINERS}.image`, 'template.spec.volumes[*].image.reference')
const NUMBERS = paths('replicas', `${CONTAINERS}.resources.**`, 'template.spec.resources.**')
const CLAIMS = paths('volumeClaimTemplates[*].spec.resources.**')
const PUBLIC = [...IMAGES, ...NUMBERS, ...CLAIMS]

/** Compares the whole path, because an annotation with the same key may hold a secret. */
const isOneOf = (patterns: typeof PUBLIC, path: readonly Step[]): boolean =>
  patterns.some((pattern) => matchesWhole(pattern, path))

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
