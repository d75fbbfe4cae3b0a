import type { KubeObject } from '../api/object.ts'
import { at } from '../json/json.ts'
import { containerNames } from '../pod/value-errors.ts'
import { didYouMean } from '../text/did-you-mean.ts'

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
