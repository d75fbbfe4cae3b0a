import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentPolicy, ExperimentPolicySpec } from '../../common/api/policy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { policySource } from '../../webhook/policy-source.ts'
import { type Surroundings, validator } from '../../webhook/validate.ts'
import type { Verdict } from '../../webhook/verdict.ts'
import { ANY_SCHEMA, aDeployment, anExperiment } from '../builders.ts'
import { aReader, aRequest, aService, aSlice, linesOf, surroundings } from './reviews.ts'

/** A policy for every namespace. */
export const policy = (spec: ExperimentPolicySpec, name = 'limits'): ExperimentPolicy => ({
  apiVersion: 'experimentcontroller.example.com/v1alpha1',
  kind: 'ExperimentPolicy',
  metadata: { name },
  spec,
})

/** What a request is judged by. */
export interface Given {
  readonly policies?: readonly ExperimentPolicy[]
  /** not read yet */
  readonly isUnread?: boolean
  readonly others?: readonly ExperimentDeployment[]
  readonly world?: readonly KubeObject[]
  readonly isDown?: boolean
  readonly request?: Parameters<typeof aRequest>[0]
}

const WORLD = [aDeployment(), aService(), aSlice(['cart-1', 'cart-2', 'cart-3'])]

/** A cluster with such policies; its schemas find nothing wrong. */
export function asked({
  policies = [],
  isUnread = false,
  others = [],
  world = WORLD,
  isDown = false,
}: Given): Surroundings {
  const { kube } = aReader([...world, ...others], { isDown })
  const of = surroundings(kube, ANY_SCHEMA)
  const reflector = { hasSynced: !isUnread, list: () => policies }
  return { ...of, policies: policySource(reflector, { client: kube, timers: of.timers }) }
}

/** The verdict there, and what the user is told of it. */
export const verdict = (given: Given): Promise<Verdict> => validator(asked(given))(aRequest(given.request))
export const told = async (given: Given): Promise<readonly string[]> => linesOf(await verdict(given))

/** Another experiment on the same source. */
export const other = (name: string): ExperimentDeployment => anExperiment({ metadata: { name, uid: `uid-of-${name}` } })
