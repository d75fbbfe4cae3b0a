/** Whether `value` is a valid resourceVersion: a decimal number as text. Source: KEP-5504. */
export const isVersion = (value: unknown): value is string => typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)

/** Below 0 if `a` is older, above 0 if newer. Compares text, as numbers lose digits: the longer is the greater. */
export const compareVersions = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a === b ? 0 : 1)
