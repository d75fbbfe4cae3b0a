/** The steps to a value in a JSON document: keys and list indices. */
export type Path = readonly (string | number)[]

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/

/** The longest path that is shown. A hostile document can nest long keys deeply. */
const MAX_LENGTH = 256

/** A path as users write it: `spec.containers[0].labels["app.kubernetes.io/name"]`. At most 256 characters. */
export const formatPath = (root: string, path: Path): string =>
  shortened(path.reduce<string>((field, step) => field + formatStep(step), root))

/** `path` in at most 256 characters: the middle of a longer one is cut out. */
export const shortened = (path: string): string =>
  path.length <= MAX_LENGTH ? path : `${path.slice(0, 160)}...${path.slice(3 + 160 - MAX_LENGTH)}`

/** One step of a path as text: `.name`, `[0]`, `["a.b/c"]`. */
export function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  return PLAIN_KEY.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}

/** A value from a user's manifest for a message: its JSON, cut at 60 characters; of lists and objects only the type. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`
}

/** The path to a value, linked from the value up, so that a walk over a document shares the parents. */
export interface PathNode {
  readonly depth: number
  readonly step: string | number
  readonly parent: PathNode | undefined
}

/** The path of the document itself. */
export const ROOT: PathNode = { depth: 0, step: '', parent: undefined }

/** The path of the member or item `step` of the value at `parent`. */
export const childOf = (parent: PathNode, step: string | number): PathNode => ({
  depth: parent.depth + 1,
  step,
  parent,
})

/** All steps from the root to `node`. */
export function stepsTo(node: PathNode): Path {
  const path: (string | number)[] = []
  for (let at = node; at.parent; at = at.parent) path.push(at.step)
  return path.reverse()
}
