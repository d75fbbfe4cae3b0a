import { withDefaults } from '../common/api/defaults.ts'
import type { KubeObject } from '../common/api/object.ts'
import type { Forks } from '../common/api/policy.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'
import { type Base, baseOf } from '../common/workload/base.ts'
import { type Derived, derive } from '../common/workload/desired.ts'
import { isExperiment } from '../common/workload/identity.ts'
import { immutableChanges } from '../common/workload/immutable.ts'
import type { SpecSchema } from '../common/workload/kind.ts'
import { pairOf } from '../common/workload/pair.ts'
import { NO_SHAPE } from '../common/workload/shape.ts'
import type { Asked } from './asked.ts'
import type { Seen, SourceSeen } from './look.ts'
import { mergedFindings } from './merged-findings.ts'
import { ratchet } from './ratchet.ts'
import { warning } from './warnings.ts'

/** What the controller will derive, by its own function. */
export type Derivation =
  | { readonly is: 'refused'; readonly errors: readonly FieldError[] }
  /** left to the controller: what has to be known is not there, or could not be read */
  | ({ readonly is: 'unknown'; readonly warnings: readonly string[] } & Stored)
  | ({
      readonly is: 'derived'
      readonly forks: Forks
      /** of an update: what was derived from the resource as it was */
      readonly before: KubeObject | undefined
      /** the same, with what it would have been without its override; derived where it is asked for */
      readonly formerForks: () => Forks | undefined
      readonly warnings: readonly string[]
    } & Stored)

interface Stored {
  /** what was wrong before: the controller leaves the fork as it is, or makes none */
  readonly known: readonly FieldError[]
}

/** What is derived from what was seen; for an update also whether the present fork can become that. */
export function derivation(asked: Asked, seen: Seen, schema: SpecSchema | undefined): Derivation {
  const based = startingBase(asked, seen, schema)
  // an update names the source that it named before: whatever is wrong with it is nothing new
  if (based.is === 'refused' && asked.previous) return { is: 'unknown', warnings: [], known: based.errors }
  if (based.is !== 'base') return based
  const { base } = based
  const { kind, experiment, previous } = asked
  const forkOf = (of: ExperimentDeployment): Derived => derive({ kind, experiment: of, base, schema })
  const result = forkOf(experiment)
  const then = previous && forkOf(previous)
  if (result.is === 'refused') {
    const before = then?.is === 'refused' ? then.errors : []
    const { errors, known } = ratchet(
      { spec: experiment.spec, errors: result.errors },
      () => previous && { spec: previous.spec, errors: before },
    )
    // refused without a word where there is no schema: told by who knows that
    return errors.length > 0 ? { is: 'refused', errors } : { is: 'unknown', warnings: [], known }
  }
  const { fork } = result
  const before = then && forkIn(then)
  const changed = before ? immutableChanges(kind, before, fork) : []
  if (changed.length > 0) return { is: 'refused', errors: changed }
  const besides = (of: ExperimentDeployment, made: KubeObject): Forks => {
    const plain = forkIn(forkOf({ ...of, spec: { ...of.spec, overrideSpec: {} } }))
    return pairOf({ changed: made, plain: plain ?? made, shape: schema?.shape ?? NO_SHAPE })
  }
  const forks = besides(experiment, fork)
  let former: Forks | undefined
  const formerForks = () => {
    if (previous && before) former ??= besides(previous, before)
    return former
  }
  const { errors, known } = ratchet(wholeFindings(schema, experiment, forks), () => {
    const former = formerForks()
    return previous && former && wholeFindings(schema, previous, former)
  })
  if (errors.length > 0) return { is: 'refused', errors }
  const warnings = [
    ...base.warnings.map((text) => warning('Source', text)),
    ...result.replaced.map((text) => warning('ListReplaced', text)),
  ]
  return { is: 'derived', forks, before, formerForks, warnings, known }
}

const forkIn = (of: Derived): KubeObject | undefined => (of.is === 'fork' ? of.fork : undefined)

/** What is wrong with the whole that an override makes of its base. */
function wholeFindings(schema: SpecSchema | undefined, { spec }: ExperimentDeployment, { changed, plain }: Forks) {
  const { overrideSpec, overrideType } = withDefaults(spec)
  const errors = schema ? mergedFindings(schema, { fork: changed, plain, overrideSpec, overrideType }) : []
  return { spec, errors }
}

type Starting = { readonly is: 'base'; readonly base: Base } | Exclude<Derivation, { is: 'derived' }>

/** What the fork starts from, as the controller has it: what was pinned, else what the source is now. */
function startingBase(asked: Asked, { source, pinned }: Seen, schema: SpecSchema | undefined): Starting {
  if (pinned === 'unread') return unknown(unseen({ is: 'unread' }, asked))
  if (pinned) return { is: 'base', base: pinned }
  if (source.is !== 'found') return unknown(unseen(source, asked))
  if (source.source.metadata.deletionTimestamp) return unknown(leaving(asked))
  if (isExperiment(source.source)) return { is: 'refused', errors: [copyOfACopy(asked)] }
  const based = baseOf(asked.kind, { ...source, shape: schema?.shape ?? NO_SHAPE, template: schema?.template })
  switch (based.is) {
    case 'missing':
      return unknown(warning('SourceTemplateNotFound', based.message))
    case 'refused':
      return { is: 'refused', errors: based.errors.map(aboutTheSource(asked)) }
    case 'base':
      return based
  }
}

const unknown = (why: string) => ({ is: 'unknown', warnings: [why], known: [] }) as const

const leaving = (asked: Asked): string =>
  warning('SourceNotFound', `${told(asked)} is being deleted; the override is checked again when there is another`)

const told = ({ kind, place: { name } }: Asked): string => `${kind.kind.toLowerCase()}/${name}`

const copyOfACopy = (asked: Asked): FieldError => ({
  field: 'spec.sourceRef.name',
  message: `${told(asked)} is itself an experiment; name the workload it was made from`,
  cause: 'FieldValueInvalid',
})

function unseen(seen: Exclude<SourceSeen, { is: 'found' }>, asked: Asked): string {
  const { kind, place } = asked
  // apply order must not matter: the source may come with the same `kubectl apply`
  switch (seen.is) {
    case 'kindAbsent':
      return warning('KindNotAvailable', `the cluster has no kind ${kind.kind} (${kind.apiVersion}) yet`)
    case 'absent': {
      const lack = `no ${told(asked)} in ${place.namespace} yet`
      return warning('SourceNotFound', `${lack}; the override is checked again when it appears`)
    }
    case 'unread':
      return warning(
        'SourceUnread',
        `${told(asked)} could not be read now; the controller checks the override against it`,
      )
  }
}

/** A finding about the source is told at the reference to it: its own path is none in the user's document. */
const aboutTheSource =
  (asked: Asked) =>
  (error: FieldError): FieldError => ({
    field: 'spec.sourceRef.name',
    message: `${told(asked)} cannot be forked: ${error.field}: ${error.message}`,
    cause: 'FieldValueInvalid',
  })
