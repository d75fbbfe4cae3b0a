import type { KubeObject } from '../../api/object.ts'
import { isObject } from '../../json/json.ts'
import { KubeError } from '../client/errors.ts'

/** A response as an object of the API. @throws KubeError `unreachable` if it has no metadata */
export const asObject = (answer: unknown): KubeObject => {
  if (isObject(answer) && isObject(answer.metadata)) return answer as KubeObject
  throw new KubeError({ kind: 'unreachable', message: 'the response is not an object' })
}

/** The failures that count as an absent object. Where its kind may be missing, `kindAbsent` is one too. */
type Absence = readonly KubeError['kind'][]

/** The requested object, or undefined if it is absent. @throws KubeError of a kind that is not in `absence` */
export async function orUndefined(
  answer: Promise<unknown>,
  absence: Absence = ['notFound'],
): Promise<KubeObject | undefined> {
  try {
    return asObject(await answer)
  } catch (error) {
    if (error instanceof KubeError && absence.includes(error.kind)) return undefined
    throw error
  }
}
