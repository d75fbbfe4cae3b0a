/** Whether `value` is a resourceVersion as the API server writes them. KEP-5504. */
export const isVersion = (value: unknown): value is string => typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)

/**
 * Below 0 if `a` is older than `b`, 0 if they are the same, above if newer; of one resource only. Compared as decimal
 * strings, the longer is the greater: a number would lose digits over 2^53.
 */
export const compareVersions = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a === b ? 0 : 1)
