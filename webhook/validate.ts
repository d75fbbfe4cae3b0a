import { brokenLimits } from '../common/api/limits.ts'
import { at, type KubeObject } from '../common/api/object.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'
import { type Base, baseOf } from '../common/workload/base.ts'
import { derive } from '../common/workload/desired.ts'
import { isExperiment } from '../common/workload/identity.ts'
import { immutableChanges } from '../common/workload/immutable.ts'
import type { SpecSchema, WorkloadKind } from '../common/workload/kind.ts'
import { outlookOf, type Scene } from '../common/workload/outlook.ts'
import { workloadKind } from '../common/workload/registry.ts'
import { serviceShares } from '../common/workload/services.ts'
import { NO_SHAPE } from '../common/workload/shape.ts'
import { type Pair, sidesOf } from '../common/workload/sides.ts'
import { decodeExperiment } from './decode.ts'
import { overrideFindings } from './findings.ts'
import {
  lookAtNeighbours,
  lookAtPrimary,
  lookAtReferrer,
  lookAtServices,
  lookAtSlices,
  lookAtSource,
  type Reader,
  type SourceSeen,
} from './look.ts'
import { prediction } from './prediction.ts'
import type { AdmissionRequest } from './review.ts'
import type { Verdict } from './verdict.ts'
import { warning } from './warnings.ts'

/** What a validation asks. */
export interface Surroundings {
  readonly kube: Reader
  readonly schemas: { schemaOf(kind: string): SpecSchema | undefined }
}

/** Everything that is wrong, or what the controller will do. Writes nothing, so a dry run is answered alike. */
export const validator =
  ({ kube, schemas }: Surroundings) =>
  async (request: AdmissionRequest): Promise<Verdict> => {
    const decoded = decodeExperiment(request.object, request.namespace)
    if (decoded.is === 'malformed') return { allowed: false, name: nameIn(request), errors: decoded.errors }
    const { experiment } = decoded
    const denied = (errors: readonly FieldError[]): Verdict => ({ allowed: false, name: nameIn(request), errors })

    const broken = brokenLimits(experiment.spec.overrideSpec)
    if (broken.length > 0) return denied(broken) // nothing may clone, merge or print it

    const { sourceRef } = experiment.spec
    const kind = workloadKind(sourceRef.kind)
    if (!kind) return denied([unknownKind(sourceRef.kind)])
    const schema = schemas.schemaOf(sourceRef.kind)
    const place = { namespace: request.namespace, name: sourceRef.name }
    const seen = await lookAtSource(kube, kind, place)
    const errors = [...sourceErrors(kind, seen), ...overrideFindings(experiment, schema)]
    if (errors.length > 0) return denied(errors)

    const pending = schema ? [] : [warning('SchemaNotAvailable', `override not checked yet: no schema of ${kind.kind}`)]
    if (seen.is !== 'found') return { allowed: true, warnings: [unseen(seen, kind, place), ...pending] }
    const based = baseOf(kind, { ...seen, shape: schema?.shape ?? NO_SHAPE })
    if (based.is === 'missing') {
      return { allowed: true, warnings: [warning('SourceTemplateNotFound', based.message), ...pending] }
    }
    if (based.is === 'refused') return denied(based.errors.map(derivationError(kind, experiment)))
    const { base } = based
    const derived = derive({ kind, experiment, base, schema })
    if (derived.is === 'refused' && derived.reason === 'SchemaNotAvailable') return { allowed: true, warnings: pending }
    if (derived.is === 'refused') return denied(derived.errors)
    const { fork } = derived
    const previous = previousFork(request, { kind, base, schema })
    const changed = previous ? immutableChanges(kind, previous, fork) : []
    if (changed.length > 0) return denied(changed)
    const scene = await sceneOf(kube, { kind, source: seen.source, referents: seen.referents, fork })
    const { services, hazards, collisions } = outlookOf(scene)
    const { operation, dryRun } = request
    const plan = prediction({
      operation,
      dryRun,
      source: seen.source,
      fork,
      previous,
      services: scene.traffic && services,
    })
    const mended = base.warnings.map((text) => warning('Source', text))
    const dangers = [...hazards, ...collisions].map(({ reason, message }) => warning(reason, message))
    const replaced = derived.replaced.map((text) => warning('ListReplaced', text))
    return { allowed: true, warnings: [...mended, ...pending, ...dangers, ...replaced, ...plan] }
  }

/** For the words to the user only, so whatever it is. */
const nameIn = ({ object }: AdmissionRequest): string => String(at(object, 'metadata', 'name') ?? '')

const unknownKind = (kind: string): FieldError => ({
  field: 'spec.sourceRef.kind',
  message: `unsupported value ${JSON.stringify(kind.slice(0, 60))}; the CRD lists the kinds that can be forked`,
  cause: 'FieldValueNotSupported',
})

function sourceErrors(kind: WorkloadKind, seen: SourceSeen): readonly FieldError[] {
  if (seen.is !== 'found' || !isExperiment(seen.source)) return []
  const source = `${kind.kind.toLowerCase()}/${seen.source.metadata.name}`
  const message = `${source} is itself an experiment; name the workload it was made from`
  return [{ field: 'spec.sourceRef.name', message, cause: 'FieldValueInvalid' }]
}

function unseen(
  seen: Exclude<SourceSeen, { is: 'found' }>,
  kind: WorkloadKind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  const source = `${kind.kind.toLowerCase()}/${name}`
  // apply order must not matter: the source may come with the same `kubectl apply`
  if (seen.is === 'kindAbsent')
    return warning('KindNotAvailable', `the cluster has no kind ${kind.kind} (${kind.apiVersion}) yet`)
  if (seen.is === 'absent')
    return warning('SourceNotFound', `no ${source} in ${namespace} yet; the override is checked again when it appears`)
  return warning('SourceUnread', `${source} could not be read now; the controller checks the override against it`)
}

/** A finding about the source is told at the reference to it: its own path is none in the user's document. */
const derivationError =
  (kind: WorkloadKind, { spec }: ExperimentDeployment) =>
  (error: FieldError): FieldError => ({
    field: 'spec.sourceRef.name',
    message: `${kind.kind.toLowerCase()}/${spec.sourceRef.name} cannot be forked: ${error.field}: ${error.message}`,
    cause: 'FieldValueInvalid',
  })

/** What surrounds the fork today. Of EndpointSlices only those of Services that concern it. */
async function sceneOf(kube: Reader, pair: Pair & { readonly source: KubeObject }): Promise<Scene> {
  const { kind, source } = pair
  const { namespace = '' } = source.metadata
  const [services, neighbours, primary, referrer] = await Promise.all([
    lookAtServices(kube, namespace),
    lookAtNeighbours(kube, namespace),
    lookAtPrimary(kube, kind, source),
    lookAtReferrer(kube, source),
  ])
  if (services === undefined) return { pair, traffic: undefined, neighbours, primary, referrer }
  const concerned = serviceShares({ services, slices: [] }, sidesOf(pair)).map(({ name }) => name)
  const slices = await lookAtSlices(kube, namespace, concerned)
  return { pair, traffic: slices && { services, slices }, neighbours, primary, referrer }
}

interface Known {
  readonly kind: WorkloadKind
  readonly base: Base
  readonly schema: SpecSchema | undefined
}

/** What was derived before an update; an old override over the limits counts as unknown, so that it can be mended. */
function previousFork(request: AdmissionRequest, { kind, base, schema }: Known) {
  if (request.operation === 'CREATE') return undefined
  const old = decodeExperiment(request.oldObject, request.namespace)
  if (old.is === 'malformed' || brokenLimits(old.experiment.spec.overrideSpec).length > 0) return undefined
  const derived = derive({ kind, experiment: old.experiment, base, schema })
  return derived.is === 'fork' ? derived.fork : undefined
}
