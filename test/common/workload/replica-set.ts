/** The ReplicaSet of a Rollout, for tests. */

import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { aDeployment } from '../../builders.ts'

export const HASH = 'rollouts-pod-template-hash'

/** The ReplicaSet of revision `abc` of the Rollout `cart`. Argo gave its pods ephemeral metadata. */
export const stableReplicaSet = (
  pod: JsonObject = {},
  of: { readonly owner?: string; readonly ephemeral?: string } = {},
): KubeObject => {
  const { spec } = aDeployment({
    image: 'cart:stable',
    podLabels: { [HASH]: 'abc', role: 'stable', team: 'shop' },
    podAnnotations: { note: 'x', weather: 'fine' },
    pod,
  })
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'cart-abc',
      labels: { [HASH]: 'abc' },
      ...(of.ephemeral ? { annotations: { 'rollout.argoproj.io/ephemeral-metadata': of.ephemeral } } : {}),
      ownerReferences: [
        { apiVersion: 'x', kind: 'Rollout', name: 'cart', uid: of.owner ?? 'uid-of-cart', controller: true },
      ],
    },
    spec,
  }
}
