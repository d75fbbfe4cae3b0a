import { showValue } from '../json/field-path.ts'

/**
 * The syntax of names, labels and annotations in Kubernetes. Source: `IsQualifiedName`, `IsValidLabelValue`,
 * `IsDNS1123Label` and `IsDNS1123Subdomain` in apimachinery's `util/validation`, `TotalAnnotationSizeLimitB` in its
 * `api/validation`. Lengths are checked first, and no two parts of a regular expression match the same text, so hostile
 * input costs no extra time.
 */

const NAME = /^[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?$/
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/

const MAX_NAME = 63
const MAX_PREFIX = 253

/** The limit in bytes for all keys and values of an object's annotations together. */
const MAX_ANNOTATIONS = 256 * 1024

/** What is wrong with the key of a label; undefined if it is valid. */
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

/** What is wrong with the key of an annotation; undefined if it is valid. The rules of labels, but for case. */
export const annotationKeyProblem = (key: string): string | undefined => labelKeyProblem(key.toLowerCase())

/** What is wrong with the value of a label; undefined if it is valid. */
export function labelValueProblem(value: string): string | undefined {
  if (value.length > MAX_NAME)
    return `expected at most ${MAX_NAME} characters, got ${value.length}; make it an annotation`
  if (value !== '' && !NAME.test(value)) return `expected ${WORDS}, got ${showValue(value)}`
  return undefined
}

/** What is wrong with the size of all annotations of an object; undefined if it is valid. */
export function annotationsProblem(annotations: Readonly<Record<string, unknown>>): string | undefined {
  const total = Object.entries(annotations)
    .flat()
    .reduce<number>((sum, text) => sum + bytes(text), 0)
  return total > MAX_ANNOTATIONS
    ? `${total} bytes, the source's included; at most ${MAX_ANNOTATIONS}: move bulk data into a ConfigMap`
    : undefined
}

const WORDS = 'letters, digits, "-", "_" and ".", a letter or digit first and last'

/** Whether `text` is a DNS label, such as the name of a namespace or of a Service. It is a whole segment of a path. */
export const isDnsLabel = (text: string): boolean => text.length <= MAX_NAME && DNS_LABEL.test(text)

/** Whether `text` is a DNS name, such as the name of a Secret. */
export const isSubdomain = (text: string): boolean =>
  text.length <= MAX_PREFIX && text.split('.').every((part) => DNS_LABEL.test(part))

const bytes = (text: unknown): number => (typeof text === 'string' ? Buffer.byteLength(text) : 0)
