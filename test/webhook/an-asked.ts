import type { KubeObject } from '../../common/api/object.ts'
import type { NamespaceView } from '../../common/api/policy.ts'
import { type Asked, askedBy } from '../../webhook/asked.ts'
import type { Rules } from '../../webhook/policies.ts'
import { anExperiment } from '../builders.ts'
import { aRequest } from './reviews.ts'

/** What a request asks that can be judged: the creation of `faster-cart`, unless told otherwise. */
export function anAsked(of: Parameters<typeof aRequest>[0] = {}): Asked {
  const asked = askedBy(aRequest(of))
  if (asked.is !== 'asked') throw new Error(`cannot be judged: ${JSON.stringify(asked.errors)}`)
  return asked.asked
}

type SpecOf = Parameters<typeof anExperiment>[0]

/** The update of an experiment from `before` to `after`. */
export const anUpdate = (before: SpecOf, after: SpecOf): Asked =>
  anAsked({ object: anExperiment(after), oldObject: anExperiment(before) })

/** `object` in another namespace. */
export const inNamespace = (namespace: string, object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace },
})

/** A namespace that has a label of its own. */
export const aNamespace = (name: string, labels: NamespaceView['labels'] = { team: name }): NamespaceView => ({
  name,
  labels,
})

/** No policy says anything about `shop`. */
export const NO_RULES: Rules = { policies: [], namespace: aNamespace('shop'), sourceNamespace: aNamespace('shop') }
