import type { KubeObject } from '../../common/api/object.ts'
import type { NamespaceView } from '../../common/policy/policy.ts'
import { type DecodedRequest, decodeRequest } from '../../webhook/review/request.ts'
import { anExperiment } from '../builders.ts'
import { aRequest } from './reviews.ts'

/** A decoded request: the creation of `faster-cart`, with the given members replaced. */
export function aDecodedRequest(of: Parameters<typeof aRequest>[0] = {}): DecodedRequest {
  const read = decodeRequest(aRequest(of))
  if (read.is === 'invalid') throw new Error(`cannot be judged: ${JSON.stringify(read.errors)}`)
  return read.decoded
}

type SpecOf = Parameters<typeof anExperiment>[0]

/** The update of an experiment from `before` to `after`. */
export const anUpdate = (before: SpecOf, after: SpecOf): DecodedRequest =>
  aDecodedRequest({ object: anExperiment(after), oldObject: anExperiment(before) })

/** `object` in another namespace. */
export const inNamespace = (namespace: string, object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace },
})

/** A namespace with its own label. */
export const aNamespace = (name: string, labels: NamespaceView['labels'] = { team: name }): NamespaceView => ({
  name,
  labels,
})
