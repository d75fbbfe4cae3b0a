import { UNREAD } from '../../api/object.ts'
import { at, objectOr } from '../../json/json.ts'
import { BadLine } from '../client/body.ts'
import { classify } from '../client/classify.ts'
import { KubeError } from '../client/errors.ts'
import { type Arrival, arrival, type Intake } from './intake.ts'
import { isVersion } from './version.ts'

/** The meaning of a line of a watch. */
export type WatchEvent<T> =
  | { readonly is: 'present' | 'deleted'; readonly version: string; readonly arrival: Arrival<T> }
  | { readonly is: 'bookmark'; readonly version: string }
  | { readonly is: 'error'; readonly error: KubeError }

/** Reads a line of a watch. @throws BadLine if it is not a valid event */
export function watchEvent<T>(line: string, intake: Intake<T>): WatchEvent<T> {
  const event = parsed(line)
  const type = at(event, 'type')
  const unread = at(event, 'unread') // see `linesOf`
  const object = unread === undefined ? at(event, 'object') : { ...objectOr(at(event, 'object')), [UNREAD]: unread }
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return objectEvent('present', object, intake)
    case 'DELETED':
      return objectEvent('deleted', object, intake)
    case 'BOOKMARK': {
      const version = at(object, 'metadata', 'resourceVersion')
      if (!isVersion(version)) throw new BadLine('the bookmark has no version')
      return { is: 'bookmark', version }
    }
    case 'ERROR': {
      const code = at(object, 'code')
      const failure = classify({ status: typeof code === 'number' ? code : 500, body: object }, undefined)
      return { is: 'error', error: new KubeError(failure) }
    }
    default:
      throw new BadLine('the type of the event is unknown')
  }
}

function objectEvent<T>(is: 'present' | 'deleted', object: unknown, intake: Intake<T>): WatchEvent<T> {
  const arrived = arrival(object, intake)
  if (!arrived) throw new BadLine('the object has no name, uid or version')
  return { is, version: arrived.version, arrival: arrived }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new BadLine('the line is not JSON', { cause: error })
  }
}
