import { warning } from '../api/conditions.ts'
import type { KubeObject } from '../api/object.ts'
import type { Warning } from '../api/types.ts'
import { at, type JsonObject } from '../json/json.ts'
import { containerNames } from '../pod/value-errors.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { clauses } from '../text/fitted.ts'
import { type AuthoredOverride, likelyMistakes } from './likely-mistakes.ts'
import { newReferences } from './new-references.ts'

interface Advised extends AuthoredOverride {
  readonly fork: KubeObject
  /** the spec of the source */
  readonly source: JsonObject
  /** the names of its containers */
  readonly sourceContainers: () => readonly string[]
}

/** Warnings about what Kubernetes accepts in an override but its author rarely means. */
export const advice = ({ fork, source, sourceContainers, ...written }: Advised): readonly Warning[] => [
  ...similarContainers(fork, sourceContainers()).map((message) => warning('NewContainer', ...clauses(message))),
  ...newReferences(written.overrideSpec, source).map((message) => warning('NewReference', ...clauses(message))),
  ...likelyMistakes(written).map((message) => warning('LikelyMistake', ...clauses(message))),
]

/**
 * A line for each container that only the fork has and whose name is close to one of the source's: under Strategic a
 * misspelt name adds a container.
 */
export function similarContainers(fork: KubeObject, ofSource: readonly string[]): readonly string[] {
  const known = new Set(ofSource)
  return containerNames(at(fork.spec, 'template', 'spec')).flatMap((name) => {
    if (known.has(name)) return []
    const meant = didYouMean(name, ofSource)
    return meant === undefined
      ? []
      : [`container ${name} is new: the source has none of this name; did you mean "${meant}"?`]
  })
}
