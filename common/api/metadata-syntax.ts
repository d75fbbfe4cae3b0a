import { showValue } from './field-path.ts'

/**
 * What Kubernetes takes for labels and annotations. Source: `IsQualifiedName`, `IsValidLabelValue`, `IsDNS1123Subdomain`
 * in apimachinery's `util/validation`, `TotalAnnotationSizeLimitB` in its `api/validation`. Lengths are judged first and
 * no two parts of an expression match the same text, so that hostile ones cost no more than others.
 */

const NAME = /^[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?$/
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/

const MAX_NAME = 63
const MAX_PREFIX = 253

/** Bytes of all keys and values of one object's annotations. */
const MAX_ANNOTATIONS = 256 * 1024

/** What is wrong with `key` as a key of labels; undefined for a good one. */
export function labelKeyProblem(key: string): string | undefined {
  const slash = key.indexOf('/')
  const [prefix, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)]
  if (prefix !== undefined && !isSubdomain(prefix))
    return `expected a DNS name before the "/" (lowercase, at most ${MAX_PREFIX} characters), got ${showValue(prefix)}`
  if (name.length > MAX_NAME)
    return `expected a name of at most ${MAX_NAME} characters${slash < 0 ? '' : ' after the "/"'}, got ${name.length}`
  if (!NAME.test(name)) return `expected a name of ${WORDS}, got ${showValue(name)}`
  return undefined
}

/** As for labels, but for case. */
export const annotationKeyProblem = (key: string): string | undefined => labelKeyProblem(key.toLowerCase())

/** What is wrong with `value` as a label's; undefined for a good one. */
export function labelValueProblem(value: string): string | undefined {
  if (value.length > MAX_NAME)
    return `expected at most ${MAX_NAME} characters, got ${value.length}; make it an annotation`
  if (value !== '' && !NAME.test(value)) return `expected ${WORDS}, got ${showValue(value)}`
  return undefined
}

/** What is wrong with annotations taken together; undefined if nothing is. */
export function annotationsProblem(annotations: Readonly<Record<string, unknown>>): string | undefined {
  const sizes = Object.entries(annotations).map(
    ([key, value]) => bytes(key) + (typeof value === 'string' ? bytes(value) : 0),
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return total > MAX_ANNOTATIONS
    ? `${total} bytes, the source's included; at most ${MAX_ANNOTATIONS}: move bulk data into a ConfigMap`
    : undefined
}

const WORDS = 'letters, digits, "-", "_" and ".", a letter or digit first and last'

const isSubdomain = (text: string): boolean =>
  text.length <= MAX_PREFIX && text.split('.').every((part) => DNS_LABEL.test(part))

const bytes = (text: string): number => Buffer.byteLength(text)
