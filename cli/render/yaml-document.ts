import { stringify } from 'yaml'

/**
 * `value` as YAML, with long texts on one line. A module of its own, which is loaded when it is needed: of a package in
 * CommonJS, the bundle has no names for an `import()`.
 * @param isQuoted writes every text in double quotes, in which YAML has escapes
 */
export const yamlOf = (value: unknown, { isQuoted = false }: { readonly isQuoted?: boolean } = {}): string =>
  stringify(value, { lineWidth: 0, ...(isQuoted ? { defaultStringType: 'QUOTE_DOUBLE' } : {}) })
