import { escapeInvisible } from '../../common/json/escape.ts'

/** The forms in which a program reads an answer. */
export type DocumentForm = 'json' | 'yaml'

/**
 * `value` as a document of one of these forms, which says the same and has no invisible characters: inside quotes both
 * forms write them as `\u202e`.
 */
export async function documentOf(value: unknown, form: DocumentForm): Promise<string> {
  if (form === 'json') return `${shown(JSON.stringify(value, null, 2))}\n`
  const { yamlOf } = await import('./yaml-document.ts')
  const document = yamlOf(value)
  return shown(document) === document ? document : shown(yamlOf(value, { isQuoted: true }))
}

const shown = (document: string): string => document.split('\n').map(escapeInvisible).join('\n')
