/** Regular expressions for JavaScript and Go, each for a whole text. The CRDs have them too. */

/** The name of a metric of ours: a DNS label. */
export const NAME_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'
/** The name of an object: a DNS subdomain. */
export const OBJECT_NAME_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'
/** The name of an arg of a template. */
export const ARG_NAME_PATTERN = '^[A-Za-z][A-Za-z0-9_-]{0,62}$'
/** The value of an arg: nothing that ends a quoted text in PromQL or NRQL, or begins a placeholder. */
export const ARG_VALUE_PATTERN = '^[A-Za-z0-9_./:@=+, -]{0,253}$'
/** The name of a label of Prometheus. */
export const LABEL_PATTERN = '^[A-Za-z_][A-Za-z0-9_]*$'
/** The name of a metric of Prometheus. */
export const SERIES_PATTERN = '^[A-Za-z_:][A-Za-z0-9_:]*$'
/**
 * A matcher of a selector of Prometheus, such as `code=~"5.."`: name, operator and a value in double quotes with the
 * escapes that JSON and PromQL read alike.
 */
export const MATCHER_PATTERN = '^([A-Za-z_][A-Za-z0-9_]*) ?(=~|!~|!=|=) ?"((?:[^"\\\\\\x00-\\x1f]|\\\\[\\\\"bfnrt])*)"$'
/** The name of an attribute of New Relic. */
export const ATTRIBUTE_PATTERN = '^[A-Za-z_][A-Za-z0-9_.]*$'

const ATTRIBUTE = '[A-Za-z_][A-Za-z0-9_.]*'
const NRQL_TEXT = "'(?:[A-Za-z0-9_./:@=+, %-]|\\{\\{args\\.[A-Za-z0-9_-]+\\}\\})*'"
const COMPARISON = ` ?(?:=|!=|<=|>=|<|>) ?(?:-?[0-9]+(?:\\.[0-9]+)?|${NRQL_TEXT})`
const IS = ' (?:is|IS)(?: (?:not|NOT))? (?:true|false|null|TRUE|FALSE|NULL)'
const LIKE = `(?: (?:not|NOT))? (?:like|LIKE) ${NRQL_TEXT}`
const CONDITION = `${ATTRIBUTE}(?:${IS}|${COMPARISON}|${LIKE})`
/**
 * A condition on transactions of New Relic, such as `error is true` or `httpResponseCode >= 500`: up to four
 * comparisons of an attribute with a constant, so that nothing but the condition can be in it.
 */
export const CONDITION_PATTERN = `^${CONDITION}(?: (?:and|or|AND|OR) ${CONDITION}){0,3}$`

/** A text without control characters, on one line. */
export const LINE_PATTERN = '^[^\\x00-\\x1f\\x7f]+$'
/** As `LINE_PATTERN`, or an empty text. */
export const LINE_OR_NONE_PATTERN = '^[^\\x00-\\x1f\\x7f]*$'
const PLAIN = '\\x00-\\x20\\x7f?#%\\\\/'
const ENCODED = '%(?:[013-9A-Fa-f][0-9A-Fa-f]|2[0-9A-DFa-df])' // not a dot
/**
 * The path of a request behind an address: no empty segment, `.` or `..`, plain or encoded, which would lead elsewhere.
 */
export const PATH_PATTERN = `^/$|^(?:/\\.?(?:[^.${PLAIN}]|${ENCODED})(?:[^${PLAIN}]|${ENCODED})*)+/?$`
/** RFC 6901. */
export const POINTER_PATTERN = '^(/([^/~\\x00-\\x1f]|~0|~1)*)*$'
