import { at } from '../api/object.ts'
import { classify } from './classify.ts'
import { KubeError } from './errors.ts'
import { type Arrival, arrival, type Intake } from './intake.ts'
import { BadLine } from './lines.ts'
import { isVersion } from './version.ts'

/** What a line of a watch tells. */
export type WatchEvent =
  | { readonly is: 'present'; readonly version: string; readonly arrival: Arrival }
  | { readonly is: 'deleted'; readonly version: string; readonly arrival: Arrival }
  | { readonly is: 'bookmark'; readonly version: string }
  | { readonly is: 'error'; readonly error: KubeError }

/** @throws BadLine if the line is no event that an API server would send. */
export function watchEvent(line: string, intake: Intake): WatchEvent {
  const event = parsed(line)
  const type = at(event, 'type')
  const object = at(event, 'object')
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return objectEvent('present', object, intake)
    case 'DELETED':
      return objectEvent('deleted', object, intake)
    case 'BOOKMARK': {
      const version = at(object, 'metadata', 'resourceVersion')
      if (!isVersion(version)) throw new BadLine('a bookmark without a version')
      return { is: 'bookmark', version }
    }
    case 'ERROR': {
      const code = at(object, 'code')
      const failure = classify({ status: typeof code === 'number' ? code : 500, body: object }, undefined)
      return { is: 'error', error: new KubeError(failure) }
    }
    default:
      throw new BadLine('an event of no known type')
  }
}

function objectEvent(is: 'present' | 'deleted', object: unknown, intake: Intake): WatchEvent {
  const arrived = arrival(object, intake)
  if (!arrived) throw new BadLine('an object without name, uid or version')
  return { is, version: arrived.version, arrival: arrived }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new BadLine('a line that is not JSON', { cause: error })
  }
}
