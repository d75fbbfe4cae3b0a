import { escapeInvisible } from '../../common/json/escape.ts'

/** The forms in which a program reads an answer. */
export type DocumentForm = 'json' | 'yaml'

/**
 * `value` as a document of one of these forms, which says the same and has no invisible characters: inside quotes both
 * forms write them as `\u202e`.
 */
export async function documentOf(value: unknown, form: DocumentForm): Promise<string> {
  if (form === 'json') return `${shown(JSON.stringify(value, null, 2))}\n`
  const { stringify } = await import('yaml')
  const document = stringify(value, { lineWidth: 0 })
  const isSafe = shown(document) === document
  return isSafe ? document : shown(stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE' }))
}

const shown = (document: string): string => document.split('\n').map(escapeInvisible).join('\n')
