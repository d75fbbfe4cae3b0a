import { stringify } from 'yaml'

/**
 * `value` as YAML, with long texts on one line. kubectl reads version 1.1, in which `on` without quotes is no text.
 * This is a module of its own, which is loaded when it is needed: of a package in CommonJS, the bundle has no names for
 * an `import()`.
 * @param isQuoted writes every text in double quotes, in which YAML has escapes
 */
export const yamlOf = (value: unknown, { isQuoted = false }: { readonly isQuoted?: boolean } = {}): string =>
  stringify(value, { compat: 'yaml-1.1', lineWidth: 0, ...(isQuoted ? { defaultStringType: 'QUOTE_DOUBLE' } : {}) })
