import type { JsonObject } from '../../common/json/json.ts'
import { mergePatch } from '../../common/override/strategic.ts'

/** A rule by two examples. The real API server is asked whether it decides alike. */
export interface ValueCase {
  /** the row of the list of mistakes, and what the rule is about */
  readonly title: string
  /** by default a Deployment */
  readonly kind?: 'Deployment' | 'StatefulSet'
  /** patches of `aSpec` */
  readonly accepted: JsonObject
  readonly refused: JsonObject
  /** every mistake of `refused`: the path below `spec`, and the message */
  readonly errors: readonly string[]
  /** a rule of the kubelet or of a controller: the API server stores what no pod can run with, or what has no effect */
  readonly isOfKubelet?: true
}

/** Patches the pod template's spec. */
export const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })

/** Replaces the container by `cart` with more fields. */
export const container = (fields: JsonObject): JsonObject => pod({ containers: [{ ...CART, ...fields }] })

export const CART: JsonObject = { name: 'cart', image: 'registry.example/cart:1' }

const labels = { app: 'cart' }

/** The whole spec of a workload of one container, with `patch`. */
export const aSpec = (kind: 'Deployment' | 'StatefulSet', patch: JsonObject): JsonObject =>
  mergePatch(
    {
      ...(kind === 'StatefulSet' ? { serviceName: 'cart' } : {}),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [CART] } },
    },
    patch,
  )
