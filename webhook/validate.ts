import type { KubeObject } from '../common/api/object.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'
import type { Clock, Timers } from '../common/clock.ts'
import { startDeadline } from '../common/deadline.ts'
import { type Base, baseOf } from '../common/workload/base.ts'
import { type Derived, derive } from '../common/workload/desired.ts'
import { isExperiment } from '../common/workload/identity.ts'
import { immutableChanges } from '../common/workload/immutable.ts'
import type { SpecSchema, WorkloadKind } from '../common/workload/kind.ts'
import { type Outlook, outlookOf } from '../common/workload/outlook.ts'
import { NO_SHAPE } from '../common/workload/shape.ts'
import { tellNeeds } from './access.ts'
import { type Asked, askedBy, nameIn } from './asked.ts'
import { overrideFindings } from './findings.ts'
import { look, type Reader, type Seen, type SourceSeen, sceneOf, within } from './look.ts'
import { prediction } from './prediction.ts'
import { type Ratcheted, ratchet } from './ratchet.ts'
import { forgedRequester } from './requested-by.ts'
import type { AdmissionRequest } from './review.ts'
import type { Verdict } from './verdict.ts'
import { warning } from './warnings.ts'

/** What a validation asks. */
export interface Surroundings {
  readonly kube: Reader
  readonly schemas: { schemaOf(kind: string): SpecSchema | undefined }
  readonly timers: Timers
  readonly clock: Clock
}

/** The API server waits for 5 s, and its answer has to travel. */
const REVIEW_MS = 4_500

/** Everything that is wrong, or what the controller will do. Writes nothing, so a dry run is answered alike. */
export const validator =
  ({ kube, schemas, timers, clock }: Surroundings) =>
  async (request: AdmissionRequest): Promise<Verdict> => {
    const read = askedBy(request)
    if (read.is === 'invalid') return { is: 'invalid', name: nameIn(request), errors: read.errors }
    const { asked } = read
    const schema = schemas.schemaOf(asked.kind.kind)
    const own = ownFindings(asked, schema)
    const deadline = startDeadline(timers, REVIEW_MS)
    try {
      const reader = within(kube, deadline.signal)
      const seen = await look(reader, asked)
      const refusal = entitlement(asked, own, seen)
      return refusal ?? (await judged({ asked, schema, own, seen, reader, now: clock() }))
    } finally {
      deadline.end()
    }
  }

/** What can be said of the resource alone. */
function ownFindings(asked: Asked, schema: SpecSchema | undefined): Ratcheted {
  const { experiment, previous, request } = asked
  const findings = (of: ExperimentDeployment) => ({ spec: of.spec, errors: overrideFindings(of, schema) })
  const { errors, known } = ratchet(findings(experiment), previous && findings(previous))
  return { errors: [...forgedRequester(request), ...errors], known }
}

/** Why nothing of the source may be told or used; undefined for a requester who has the right to it. */
function entitlement(asked: Asked, own: Ratcheted, { access, needs }: Seen): Verdict | undefined {
  if (access === 'granted') return undefined
  const told = tellNeeds(needs)
  const lack: FieldError = { field: 'spec.sourceRef', message: told, cause: 'FieldValueForbidden' }
  if (own.errors.length > 0) return invalid(asked, access === 'refused' ? [...own.errors, lack] : own.errors)
  if (access === 'refused') return { is: 'forbidden', message: told }
  return { is: 'unchecked', message: `your rights could not be checked in time, try again; it ${told}` }
}

interface Facts {
  readonly asked: Asked
  readonly schema: SpecSchema | undefined
  readonly own: Ratcheted
  readonly seen: Seen
  readonly reader: Reader
  readonly now: Date
}

/** The verdict on a request whose author may know the source. */
async function judged(facts: Facts): Promise<Verdict> {
  const { asked, schema, own, seen } = facts
  const found = [...(seen.pinned ? [] : sourceErrors(asked.kind, seen.source)), ...own.errors]
  if (found.length > 0) return invalid(asked, found)
  const pending = [
    ...own.known.map(({ field, message }) => warning('InvalidOverride', `${field}: ${message}`)),
    ...(schema ? [] : [warning('SchemaNotAvailable', `override not checked yet: no schema of ${asked.kind.kind}`)]),
  ]
  const based = startingBase(facts)
  if (based.is === 'unknown') return { is: 'admitted', warnings: [based.warning, ...pending] }
  if (based.is === 'refused') return invalid(asked, based.errors)
  return derived(facts, based.base, pending)
}

type Starting =
  | { readonly is: 'base'; readonly base: Base }
  | { readonly is: 'refused'; readonly errors: readonly FieldError[] }
  /** left to the controller */
  | { readonly is: 'unknown'; readonly warning: string }

/** What the fork starts from: as the controller has it, what was pinned, else what the source is now. */
function startingBase({ asked, schema, seen: { source, pinned } }: Facts): Starting {
  if (pinned) return { is: 'base', base: pinned }
  if (source.is !== 'found') return { is: 'unknown', warning: unseen(source, asked) }
  const based = baseOf(asked.kind, { ...source, shape: schema?.shape ?? NO_SHAPE })
  if (based.is === 'missing') return { is: 'unknown', warning: warning('SourceTemplateNotFound', based.message) }
  if (based.is === 'refused') return { is: 'refused', errors: based.errors.map(aboutTheSource(asked)) }
  return based
}

async function derived(facts: Facts, base: Base, pending: readonly string[]): Promise<Verdict> {
  const { asked, schema, seen, reader, now } = facts
  const { kind, experiment, previous } = asked
  const forkOf = (of: ExperimentDeployment): Derived => derive({ kind, experiment: of, base, schema })
  const result = forkOf(experiment)
  if (result.is === 'refused')
    return result.reason === 'SchemaNotAvailable'
      ? { is: 'admitted', warnings: pending }
      : invalid(asked, result.errors)
  const { fork, replaced } = result
  const before = previous && forkIn(forkOf(previous))
  const changed = before ? immutableChanges(kind, before, fork) : []
  if (changed.length > 0) return invalid(asked, changed)
  const scene = await sceneOf(reader, { kind, seen, fork, namespace: asked.place.namespace })
  const outlook = outlookOf(scene)
  const plain = forkIn(forkOf({ ...experiment, spec: { ...experiment.spec, overrideSpec: {} } }))
  const plan = prediction({
    asked,
    plain: plain ?? fork,
    fork,
    previous: before,
    services: scene.traffic && outlook.services,
    now,
  })
  const mended = base.warnings.map((text) => warning('Source', text))
  const lost = replaced.map((text) => warning('ListReplaced', text))
  return { is: 'admitted', warnings: [...mended, ...pending, ...dangers(outlook), ...lost, ...plan] }
}

const forkIn = (of: Derived): KubeObject | undefined => (of.is === 'fork' ? of.fork : undefined)

const dangers = ({ hazards, collisions }: Outlook): readonly string[] =>
  [...hazards, ...collisions].map(({ reason, message }) => warning(reason, message))

const invalid = ({ name }: Asked, errors: readonly FieldError[]): Verdict => ({ is: 'invalid', name, errors })

function sourceErrors(kind: WorkloadKind, seen: SourceSeen): readonly FieldError[] {
  if (seen.is !== 'found' || !isExperiment(seen.source)) return []
  const source = `${kind.kind.toLowerCase()}/${seen.source.metadata.name}`
  const message = `${source} is itself an experiment; name the workload it was made from`
  return [{ field: 'spec.sourceRef.name', message, cause: 'FieldValueInvalid' }]
}

function unseen(seen: Exclude<SourceSeen, { is: 'found' }>, { kind, place: { namespace, name } }: Asked): string {
  const source = `${kind.kind.toLowerCase()}/${name}`
  // apply order must not matter: the source may come with the same `kubectl apply`
  switch (seen.is) {
    case 'kindAbsent':
      return warning('KindNotAvailable', `the cluster has no kind ${kind.kind} (${kind.apiVersion}) yet`)
    case 'absent':
      return warning(
        'SourceNotFound',
        `no ${source} in ${namespace} yet; the override is checked again when it appears`,
      )
    case 'unread':
      return warning('SourceUnread', `${source} could not be read now; the controller checks the override against it`)
  }
}

/** A finding about the source is told at the reference to it: its own path is none in the user's document. */
const aboutTheSource =
  ({ kind, place: { name } }: Asked) =>
  (error: FieldError): FieldError => ({
    field: 'spec.sourceRef.name',
    message: `${kind.kind.toLowerCase()}/${name} cannot be forked: ${error.field}: ${error.message}`,
    cause: 'FieldValueInvalid',
  })
