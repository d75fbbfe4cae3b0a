import type { KubeObject } from '../api/object.ts'
import { at, isEmpty, isObject, listOr, objectOr, parseJson } from '../json/json.ts'
import { controllerOf } from './identity.ts'
import type { Template } from './kind.ts'
import { omit } from './status.ts'

/** Label of a ReplicaSet and its pods: the hash of their revision of the Rollout. */
export const ROLLOUT_HASH = 'rollouts-pod-template-hash'
/** Annotation of a ReplicaSet: the labels and annotations that its pods have only in their current role. */
const EPHEMERAL_METADATA = 'rollout.argoproj.io/ephemeral-metadata'

type Fields = Readonly<Record<string, unknown>>

/**
 * The template of the stable ReplicaSet of the Rollout `source`, without what Argo has added. That in `spec.template`
 * may be an aborted canary. The hash is not computed: argoproj/argo-rollouts#4696.
 */
export function stableTemplate(source: KubeObject, hash: string, referents: readonly KubeObject[]): Template {
  const replicaSet = referents.find(
    (each) => each.metadata.labels?.[ROLLOUT_HASH] === hash && controllerOf(each)?.uid === source.metadata.uid,
  )
  const template = at(replicaSet, 'spec', 'template')
  if (!replicaSet || !isObject(template))
    return {
      is: 'missing',
      message: `no ReplicaSet of rollout/${source.metadata.name} has the stable revision ${hash}`,
    }
  const ephemeral = objectOr(parseJson(replicaSet.metadata.annotations?.[EPHEMERAL_METADATA] ?? ''))
  const metadata = objectOr(template.metadata)
  return {
    is: 'found',
    base: 'Stable',
    template: {
      ...template,
      metadata: {
        labels: omit(objectOr(metadata.labels), [...Object.keys(objectOr(ephemeral.labels)), ROLLOUT_HASH]),
        annotations: omit(objectOr(metadata.annotations), Object.keys(objectOr(ephemeral.annotations))),
      },
      spec: withoutInjectedAffinity(objectOr(template.spec)),
    },
  }
}

/** Argo's `antiAffinity` separates revisions by their hash, which the pods of a fork do not have. */
function withoutInjectedAffinity(pod: Fields): Fields {
  const affinity = objectOr(pod.affinity)
  const antiAffinity = objectOr(affinity.podAntiAffinity)
  const required = 'requiredDuringSchedulingIgnoredDuringExecution'
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
  const kept = {
    [required]: listOr(antiAffinity[required]).filter((term) => !isByHash(term)),
    [preferred]: listOr(antiAffinity[preferred]).filter((term) => !isByHash(at(term, 'podAffinityTerm'))),
  }
  const { podAntiAffinity: _replaced, ...otherAffinity } = affinity
  const { affinity: _also, ...rest } = pod
  const terms = Object.fromEntries(Object.entries(kept).filter(([, list]) => list.length > 0))
  const remaining = { ...otherAffinity, ...(isEmpty(terms) ? {} : { podAntiAffinity: terms }) }
  return isEmpty(remaining) ? rest : { ...rest, affinity: remaining }
}

const isByHash = (term: unknown): boolean =>
  listOr(at(term, 'labelSelector', 'matchExpressions')).some((match) => at(match, 'key') === ROLLOUT_HASH) ||
  Object.hasOwn(objectOr(at(term, 'labelSelector', 'matchLabels')), ROLLOUT_HASH)
