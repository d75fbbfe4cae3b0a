import { isDnsLabel, isSubdomain } from '../api/metadata-syntax.ts'
import { showValue } from '../json/field-path.ts'

/**
 * The syntax of names, paths and addresses in a pod. Each function returns what is wrong with a text, or undefined.
 * Source: `util/validation` of apimachinery. Lengths are checked first, and no two parts of an expression match the
 * same text, so hostile input costs no extra time.
 */
export type Syntax = (text: string) => string | undefined

const MAX_LABEL = 63
const MAX_SUBDOMAIN = 253

const LABEL_WORDS = 'lowercase letters, digits and "-", a letter or digit first and last'

/** A DNS label, such as the name of a container. */
export const dnsLabelProblem: Syntax = (text) => {
  if (text.length > MAX_LABEL) return `must have at most ${MAX_LABEL} characters, got ${text.length}; shorten it`
  return isDnsLabel(text) ? undefined : `must be ${LABEL_WORDS}; got ${showValue(text)}`
}

/** A DNS name, such as the name of a Secret. */
export const dnsNameProblem: Syntax = (text) =>
  isSubdomain(text) ? undefined : `must be a DNS name: ${LABEL_WORDS}, with "." between parts; got ${showValue(text)}`

const UNDERSCORED = /^[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?$/

/** A DNS search path, in which a part may have underscores. It may end with a dot. */
export const searchPathProblem: Syntax = (text) =>
  text === '.' || isUnderscoredName(text.replace(/\.$/, ''))
    ? undefined
    : `must be a DNS name in lowercase; got ${showValue(text)}`

const isUnderscoredName = (text: string): boolean =>
  text.length <= MAX_SUBDOMAIN && text.split('.').every((each) => UNDERSCORED.test(each))

/** Printable ASCII without `=`. */
const VARIABLE = /^[\x20-\x3c\x3e-\x7e]+$/

/** The name of an environment variable. Since Kubernetes 1.34 nearly all of ASCII is valid. */
export const variableNameProblem: Syntax = (text) =>
  VARIABLE.test(text) ? undefined : `must be printable ASCII characters without "="; got ${showValue(text)}`

/** The name of a port, as IANA defines names of services. */
export const portNameProblem: Syntax = (text) => {
  if (text.length > 15) return `must have at most 15 characters, got ${text.length}; shorten it`
  if (/^\d+$/.test(text)) return `must contain a letter; for the port ${text} remove the quotes`
  const isName = /^[-a-z0-9]*$/.test(text) && /[a-z]/.test(text) && !/--|^-|-$/.test(text)
  return isName
    ? undefined
    : `must be lowercase letters, digits and single "-", with a letter, not "-" first or last; got ${showValue(text)}`
}

/** The key of a ConfigMap or Secret. */
export const keyProblem: Syntax = (text) =>
  text.length <= MAX_SUBDOMAIN && /^[-._a-zA-Z0-9]+$/.test(text) && !text.startsWith('..') && text !== '.'
    ? undefined
    : `must be letters, digits, "-", "_" and "."; got ${showValue(text)}`

/** The name of an HTTP header. */
export const headerNameProblem: Syntax = (text) =>
  /^[-A-Za-z0-9]+$/.test(text) ? undefined : `must be letters, digits and "-"; got ${showValue(text)}`

/** A path that does not leave its folder upwards. */
export const pathWithoutBackstepsProblem: Syntax = (text) =>
  text.split('/').includes('..') ? `must not contain ".."; got ${showValue(text)}` : undefined

/** A path within a volume. */
export const relativePathProblem: Syntax = (text) =>
  text.startsWith('/') ? `must be a relative path; remove the "/" at the start` : pathWithoutBackstepsProblem(text)

/** The path of a file that Kubernetes writes into a volume. */
export const filePathProblem: Syntax = (text) =>
  relativePathProblem(text) ?? (text.startsWith('..') ? `must not start with ".."; got ${showValue(text)}` : undefined)

/** An IP address without leading zeros and zones. An IPv6 address that means an IPv4 address is none either. */
export const ipProblem: Syntax = (text) =>
  isIPv4(text) || isIPv6(text) ? undefined : `must be an IP address such as 10.0.0.1; got ${showValue(text)}`

const isIPv4 = (text: string): boolean => {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

/** Eight groups, of which the last two may be written as an IPv4 address. */
const MAX_IPV6 = 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255'.length

function isIPv6(text: string): boolean {
  if (text.length > MAX_IPV6 || !text.includes(':')) return false
  const end = text.lastIndexOf(':') + 1
  const halves = (isIPv4(text.slice(end)) ? `${text.slice(0, end)}0:0` : text).split('::')
  const [front = [], back] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const count = front.length + (back?.length ?? 0)
  if (halves.length > 2 || (back ? count > 7 : count !== 8)) return false
  const groups = [...front, ...new Array<string>(8 - count).fill('0'), ...(back ?? [])]
  return groups.every((group) => /^[\da-fA-F]{1,4}$/.test(group)) && !isMapped(groups)
}

/** Whether an IPv6 address begins like `::ffff:10.0.0.1`, which some programs read as IPv4. */
const isMapped = (groups: readonly string[]): boolean =>
  groups.slice(0, 6).every((group, index) => Number.parseInt(group, 16) === (index < 5 ? 0 : 0xffff))
