import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { ExperimentPolicy, ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { policySource } from '../../webhook/reads/policies.ts'
import type { ReviewDecision } from '../../webhook/review/decision.ts'
import { type ValidatorDeps, validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment } from '../builders.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, aService, aSlice, linesOf, validatorDeps } from './reviews.ts'

/** A policy for every namespace. */
export const policy = (spec: ExperimentPolicySpec, name = 'limits'): ExperimentPolicy => ({
  apiVersion: 'experimentcontroller.example.com/v1alpha1',
  kind: 'ExperimentPolicy',
  metadata: { name },
  spec,
})

/** The conditions of a request. */
export interface Given {
  readonly policies?: readonly ExperimentPolicy[]
  /** whether the policies have not been read yet */
  readonly isUnread?: boolean
  readonly others?: readonly ExperimentDeployment[]
  readonly world?: readonly KubeObject[]
  readonly isDown?: boolean
  readonly request?: Parameters<typeof aRequest>[0]
}

/** The source `cart`, and its Service with three endpoints. */
export const WORLD = [aDeployment(), aService(), aSlice(['cart-1', 'cart-2', 'cart-3'])]

/** The dependencies of a validator in a cluster with such policies. The schemas find no mistakes. */
export function depsOf({
  policies = [],
  isUnread = false,
  others = [],
  world = WORLD,
  isDown = false,
}: Given): ValidatorDeps {
  const { kube } = aReader([...world, ...others], { isDown })
  const deps = validatorDeps(kube, ANY_SCHEMA)
  const reflector = { hasSynced: !isUnread, list: () => policies }
  return {
    ...deps,
    policies: policySource(reflector, {
      client: kube,
      timers: deps.timers,
      ownNamespace: 'experiment-controller-system',
    }),
  }
}

/** The decision under these conditions, as lines for the user. */
export const decisionOn = (given: Given): Promise<ReviewDecision> => validator(depsOf(given))(aRequest(given.request))
export const linesFor = async (given: Given): Promise<readonly string[]> => linesOf(await decisionOn(given))

/** Another experiment of the same source. */
export const other = (name: string): ExperimentDeployment => anExperiment({ metadata: { name, uid: `uid-of-${name}` } })
