import assert from 'node:assert/strict'
import { brokenLimits } from '../../common/api/limits.ts'
import { isObject, type JsonObject, type KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { baseOf } from '../../common/workload/base.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { derive } from '../../common/workload/desired.ts'
import { merge } from '../../common/workload/merge.ts'
import { decodeExperiment } from '../../webhook/decode.ts'
import { overrideFindings } from '../../webhook/findings.ts'
import { mergedFindings } from '../../webhook/merged-findings.ts'
import { droppedNulls } from '../../webhook/null-dropped.ts'
import { decodeReview } from '../../webhook/review.ts'
import { aDeployment, anExperiment } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'

/** How far an input came. */
export type Reached = 'unreadable' | 'malformed' | 'over the limits' | 'refused' | 'unsound once merged' | 'admitted'

const SCHEMA = deploymentSchema()

/**
 * Does with an input, as `aHostileInput` makes it, all that the webhook would, and some that it would not: twice, since the answer may depend on
 * nothing else. @throws AssertionError, or whatever one of our functions threw
 */
export function examine(json: string): Reached {
  const [first, second] = [JSON.parse(json), JSON.parse(json)]
  const told = tell(first)
  assert.equal(prototypes(), BEFORE, 'a prototype was changed')
  assert.equal(JSON.stringify(first), json, 'the input was changed')
  assert.equal(JSON.stringify(tell(second)), JSON.stringify(told), 'the second answer was another')
  return told.reached
}

/** Names of all that every object inherits. */
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
  const broken = brokenLimits(experiment.spec.overrideSpec)
  if (broken.length > 0) return { reached: 'over the limits', all: [nulls, broken, ...merges(experiment)] }
  const findings = (['Merge', 'Strategic'] as const).map((overrideType) => {
    const typed = { ...experiment, spec: { ...experiment.spec, overrideType } }
    return [overrideFindings(typed, SCHEMA), derived(typed, sourceSpec)]
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

/** The findings of the merged result; undecided where no fork comes of it. */
function derived(experiment: ExperimentDeployment, sourceSpec: unknown): readonly unknown[] {
  const { overrideSpec, overrideType = 'Merge' } = experiment.spec
  const source: KubeObject = { ...aDeployment(), spec: sourceSpec }
  const based = baseOf(deployment, { source, referents: [], shape: SCHEMA.shape })
  if (based.is !== 'base') return [based]
  const fork = derive({ kind: deployment, experiment, base: based.base, schema: SCHEMA })
  const plain = derive({ kind: deployment, experiment: anExperiment(), base: based.base, schema: SCHEMA })
  if (fork.is !== 'fork' || plain.is !== 'fork') return [fork]
  return mergedFindings(SCHEMA, { fork: fork.fork, plain: plain.fork, overrideSpec, overrideType })
}
