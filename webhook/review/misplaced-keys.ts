import { warning } from '../../common/api/conditions.ts'
import {
  COMMAND,
  COMMAND_BY,
  COMMAND_SAW,
  GROUP,
  PREFIX,
  REQUESTED_BY,
  REVIEWED_REPLICAS,
  REVIEWED_TEMPLATE,
} from '../../common/api/names.ts'
import type { Warning } from '../../common/api/types.ts'
import { at, objectOr } from '../../common/json/json.ts'
import { parseCommand } from '../../common/strategy/command-text.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { clauses } from '../../common/text/fitted.ts'
import { annotateCommand } from '../../common/text/kubectl.ts'
import type { AdmissionRequest } from './admission-review.ts'
import { storedIn } from './command.ts'

/** The annotations of an experiment that mean something. */
const KNOWN = [COMMAND, COMMAND_BY, COMMAND_SAW, REQUESTED_BY, REVIEWED_REPLICAS, REVIEWED_TEMPLATE]
/** The prefix of our keys, and the group of our kinds, which people take for it. */
const PREFIXES = [PREFIX, `${GROUP}/`]
/** The most keys that are told. */
const MAX_KEYS = 3

/**
 * Warnings about annotations and labels of an experiment that the request adds, that do nothing, and that look as if
 * they were meant for us: a misspelt name, the group in place of the prefix, a label in place of an annotation.
 */
export function misplacedKeys(request: AdmissionRequest): readonly Warning[] {
  const annotations = added(request, 'annotations').flatMap(([key]) => {
    const meant = meantBy(key)
    return meant === undefined || KNOWN.includes(key) ? [] : [`annotation ${key}: does nothing; did you mean ${meant}?`]
  })
  const labels = added(request, 'labels').flatMap(([key, value]) =>
    meantBy(key) === COMMAND
      ? [`label ${key}: does nothing; a command is an annotation: ${commandOf(request, value)}`]
      : [],
  )
  return [...annotations, ...labels].slice(0, MAX_KEYS).map((text) => warning('LikelyMistake', ...clauses(text)))
}

/** The keys that the stored object does not have. */
const added = (request: AdmissionRequest, of: 'annotations' | 'labels') => {
  const before = objectOr(at(storedIn(request), 'metadata', of))
  return Object.entries(objectOr(at(request.object, 'metadata', of))).filter(([key]) => !Object.hasOwn(before, key))
}

/** The annotation that `key` was probably meant to be; undefined if it is not like one of ours. */
function meantBy(key: string): string | undefined {
  const end = key.indexOf('/') + 1
  const prefix = end === 0 ? undefined : didYouMean(key.slice(0, end), PREFIXES)
  if (prefix === undefined) return undefined
  const name = didYouMean(
    key.slice(end),
    KNOWN.map((known) => known.slice(PREFIX.length)),
  )
  return name === undefined ? undefined : `${PREFIX}${name}`
}

/** The command that was meant. What is none is not repeated. */
function commandOf({ object, namespace }: AdmissionRequest, value: unknown): string {
  const name = at(object, 'metadata', 'name')
  const verb = typeof value === 'string' ? parseCommand(value)?.verb : undefined
  return annotateCommand({ name: typeof name === 'string' ? name : 'NAME', namespace }, COMMAND, verb ?? 'COMMAND')
}
