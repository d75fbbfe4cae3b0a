import { warning } from '../api/conditions.ts'
import type { KubeObject } from '../api/object.ts'
import type { Warning } from '../api/types.ts'
import type { JsonObject } from '../json/json.ts'
import { clauses } from '../text/fitted.ts'
import { type AuthoredOverride, likelyMistakes } from './likely-mistakes.ts'
import { newReferences } from './new-references.ts'
import { similarContainers } from './similar-containers.ts'

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
