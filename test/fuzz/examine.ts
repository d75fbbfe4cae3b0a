import assert from 'node:assert/strict'
import { decodeExperiment } from '../../common/api/decode.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { overrideErrors } from '../../common/assess/checks.ts'
import { mergedErrors } from '../../common/assess/merged-errors.ts'
import { baseOf } from '../../common/fork/base.ts'
import { derive } from '../../common/fork/derive.ts'
import { isObject, type JsonObject } from '../../common/json/json.ts'
import { merge } from '../../common/override/merge.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { decodeReview } from '../../webhook/review/admission-review.ts'
import { droppedNulls } from '../../webhook/review/dropped-nulls.ts'
import { aDeployment, anExperiment } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'

/** How far an input gets. */
export type Reached = 'unreadable' | 'malformed' | 'over the limits' | 'refused' | 'unsound once merged' | 'admitted'

const SCHEMA = deploymentSchema()

/**
 * Does with an input of `aHostileInput` all that the webhook would do, and more. It does so twice, because the answer
 * must depend only on the input. @throws AssertionError, or any error that one of our functions throws
 */
export function examine(json: string): Reached {
  const [first, second] = [JSON.parse(json), JSON.parse(json)]
  const told = tell(first)
  assert.equal(prototypes(), BEFORE, 'a prototype was changed')
  assert.equal(JSON.stringify(first), json, 'the input was changed')
  assert.equal(JSON.stringify(tell(second)), JSON.stringify(told), 'the second answer was another')
  return told.reached
}

/** The names of all properties that every object inherits. */
const prototypes = (): string =>
  [Object.prototype, Array.prototype, String.prototype, Function.prototype]
    .map((prototype) => Reflect.ownKeys(prototype).map(String).join())
    .join(';')

const BEFORE = prototypes()

interface Told {
  readonly reached: Reached
  readonly all: readonly unknown[]
}

function tell({ object, sourceSpec }: Readonly<Record<string, unknown>>): Told {
  const review = decodeReview({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      operation: 'UPDATE',
      namespace: 'shop',
      resource: { group: 'experimentcontroller.example.com', version: 'v1alpha1', resource: 'experimentdeployments' },
      object,
      oldObject: object,
    },
  })
  const unread = decodeReview(object)
  if (!isObject(object)) return { reached: 'unreadable', all: [review, unread] }
  const nulls = droppedNulls(object)
  const decoded = decodeExperiment(object, 'shop')
  if (decoded.is === 'malformed') return { reached: 'malformed', all: [unread, nulls, decoded.errors] }
  const { experiment } = decoded
  const { overrideErrors: broken } = experiment
  if (broken) return { reached: 'over the limits', all: [nulls, broken, ...merges(experiment)] }
  const findings = (['Merge', 'Strategic'] as const).map((overrideType) => {
    const typed = { ...experiment, spec: { ...experiment.spec, overrideType } }
    return [overrideErrors(typed, SCHEMA), derived(typed, sourceSpec)]
  })
  const { overrideType = 'Merge' } = experiment.spec
  const [own, results] = findings[overrideType === 'Merge' ? 0 : 1] ?? []
  const isSound = Array.isArray(own) && own.length === 0
  const reached = !isSound ? 'refused' : results?.length === 0 ? 'admitted' : 'unsound once merged'
  return { reached, all: [nulls, findings, ...merges(experiment)] }
}

const merges = ({ spec: { overrideSpec } }: ExperimentDeployment): readonly unknown[] =>
  (['Merge', 'Strategic'] as const).map((type) => merge(BASE, overrideSpec, type, SCHEMA.shape))

const BASE = aDeployment().spec as JsonObject

/** The findings on the merged spec; undecided if no fork can be derived. */
function derived(experiment: ExperimentDeployment, sourceSpec: unknown): readonly unknown[] {
  const { overrideSpec, overrideType = 'Merge' } = experiment.spec
  const source: KubeObject = { ...aDeployment(), spec: sourceSpec }
  const based = baseOf(deployment, { source, referents: [], shape: SCHEMA.shape })
  if (based.is !== 'base') return [based]
  const fork = derive({ kind: deployment, experiment, base: based.base, schema: SCHEMA, replicas: 1 })
  const plain = derive({ kind: deployment, experiment: anExperiment(), base: based.base, schema: SCHEMA, replicas: 1 })
  if (fork.is !== 'fork' || plain.is !== 'fork') return [fork]
  return mergedErrors(SCHEMA, {
    fork: fork.fork,
    plain: () => plain.fork,
    overrideSpec,
    overrideType,
    sourceContainers: () => ['cart'],
  })
}
