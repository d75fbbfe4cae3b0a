import { type Known, known, unknown } from '../../api/known.ts'
import { type KubeObject, UNREAD } from '../../api/object.ts'
import type { FieldError } from '../../api/types.ts'
import { type AnalysisProvider, decodeProvider } from './provider.ts'
import { type AnalysisTemplate, decodeTemplate } from './template.ts'

/** The template in a stored object; unknown, with the first mistake, if it is not as the API says or is too large. */
export function knownTemplate(object: KubeObject): Known<AnalysisTemplate> {
  if (object[UNREAD] !== undefined) return tooLarge(object)
  const decoded = decodeTemplate(object)
  return decoded.is === 'template' ? known(decoded.template) : malformed(decoded.errors)
}

/** The provider in a stored object; unknown, with the first mistake, if it is not as the API says or is too large. */
export function knownProvider(object: KubeObject): Known<AnalysisProvider> {
  if (object[UNREAD] !== undefined) return tooLarge(object)
  const decoded = decodeProvider(object)
  return decoded.is === 'provider' ? known(decoded.provider) : malformed(decoded.errors)
}

const malformed = ([first]: readonly FieldError[]) => unknown(`${first?.field}: ${first?.message}`)

const tooLarge = (object: KubeObject) => unknown(`it is too large to be read: ${object[UNREAD]}`)
