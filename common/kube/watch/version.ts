/** Whether `value` is a valid resourceVersion: a decimal number as text. Source: KEP-5504. */
export const isVersion = (value: unknown): value is string => typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)

/**
 * Compares two versions of one resource: below 0 if `a` is older, 0 if they are equal, above 0 if `a` is newer. Compares
 * decimal strings, of which the longer is the greater, since numbers lose digits over 2^53.
 */
export const compareVersions = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a === b ? 0 : 1)
