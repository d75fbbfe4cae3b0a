import { knownValue } from '../api/known.ts'
import { sourceNamespaceOf } from '../api/source-namespace.ts'
import type { ExperimentDeployment, FieldError, SourceStatus } from '../api/types.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { type Base, baseOf } from '../workload/base.ts'
import { baseHash } from '../workload/derive.ts'
import { isFork } from '../workload/identity.ts'
import type { Source, WorkloadKind } from '../workload/kind.ts'
import { isPinned, type Pinned, pinnedBaseOf } from '../workload/pinned.ts'
import { type Blocked, blockedBy, mistaken } from './checks.ts'
import { waiting } from './decision.ts'
import type { SpecFacts } from './facts.ts'
import { once } from './once.ts'

/** What a fork is derived from, or why that is not known. */
export type ResolvedBase = ({ readonly is: 'base' } & Pinned) | { readonly is: 'blocked'; readonly blocked: Blocked }

/** ReplicaSets and the target of a `workloadRef` are not watched, so the pass is repeated after this time. */
const TEMPLATE_RETRY_MS = 5_000

/** What a pinned experiment started from; undefined for one that follows its source, or has not started yet. */
export const pinnedBase = ({ experiment, revision }: Pick<SpecFacts, 'experiment' | 'revision'>): Pinned | undefined =>
  pinnedBaseOf(experiment, knownValue(revision))

/** The pinned base of a pinned experiment if there is one, else the present state of the source. */
export function resolveBase(facts: SpecFacts, kind: WorkloadKind): ResolvedBase {
  const pinned = pinnedBase(facts)
  if (pinned) return { is: 'base', base: pinned.base, source: { ...pinned.source, pinned: true } }
  const { revision, experiment } = facts
  if (isPinned(experiment) && revision.is === 'unknown')
    return blocked(waiting('SourceUnread', `the pinned base could not be read now (${revision.because})`))
  return presentBase(facts, kind)
}

const blocked = (decision: Blocked['decision']): ResolvedBase => ({ is: 'blocked', blocked: blockedBy(decision) })

function presentBase(facts: SpecFacts, kind: WorkloadKind): ResolvedBase {
  const { experiment, source } = facts
  const name = `${kind.kind.toLowerCase()}/${experiment.spec.sourceRef.name}`
  if (source.is === 'unknown')
    return blocked(waiting('SourceUnread', `${name} could not be read now (${source.because})`))
  if (source.is === 'absent' || source.value.object.metadata.deletionTimestamp) return missing(facts, name)
  if (isFork(source.value.object))
    return mistake('SourceIsExperiment', `${name} is itself the fork of an experiment; name its source`)
  const schema = knownValue(facts.schema)
  const { object, referents } = source.value
  const based = baseOf(kind, {
    source: object,
    referents,
    shape: schema?.shape ?? NO_SHAPE,
    template: schema?.template,
  })
  switch (based.is) {
    case 'missing':
      return blocked(waiting('SourceTemplateNotFound', based.message, TEMPLATE_RETRY_MS))
    case 'refused':
      return {
        is: 'blocked',
        blocked: mistaken(
          'SourceNotForkable',
          based.errors.map((error) => aboutTheSource(name, error)),
        ),
      }
    case 'base':
      return {
        is: 'base',
        base: based.base,
        source: sourceStatus(experiment, { kind, source: source.value, base: based.base }),
      }
  }
}

const YET = ' yet; the override is checked again when it appears'

function missing({ experiment, fork, source }: SpecFacts, name: string): ResolvedBase {
  const namespace = sourceNamespaceOf(experiment)
  const lack = source.is === 'known' ? `${name} in ${namespace} is being deleted` : `no ${name} in ${namespace}`
  if (fork.is !== 'known') {
    const until = source.is === 'known' ? '; the override is checked again when there is another' : YET
    return blocked(waiting('SourceNotFound', `${lack}${until}`))
  }
  return blocked({ is: 'unready', reason: 'SourceNotFound', message: `${lack}; the fork stays as it is` })
}

const atTheReference = (message: string): FieldError => ({
  field: 'spec.sourceRef.name',
  message,
  cause: 'FieldValueInvalid',
})

const mistake = (reason: 'SourceIsExperiment', message: string): ResolvedBase => ({
  is: 'blocked',
  blocked: mistaken(reason, [atTheReference(message)]),
})

/** A mistake of the source is reported at the reference to it, because its own path is not in the user's document. */
const aboutTheSource = (name: string, { field, message }: FieldError): FieldError =>
  atTheReference(`${name} cannot be forked: ${field}: ${message}`)

interface Present {
  readonly kind: WorkloadKind
  readonly source: Source
  readonly base: Base
}

/** The stored status if uid and base are the same. A generation that only changed `replicas` needs no status write. */
function sourceStatus(experiment: ExperimentDeployment, { kind, source, base }: Present): SourceStatus {
  const { pinned, ...before } = experiment.status?.source ?? { uid: '', generation: 0, templateHash: '' }
  const uid = source.object.metadata.uid ?? ''
  const templateHash = once(() => baseHash(base)) // the review of a new experiment does not need it
  const isSame = before.uid === uid && before.base === base.template && before.templateHash === templateHash()
  const revision = kind.revision(source.object)
  const now = {
    uid,
    generation: source.object.metadata.generation ?? 0,
    ...(revision === undefined ? {} : { revision }),
    get templateHash() {
      return templateHash()
    },
    ...(base.template === undefined ? {} : { base: base.template }),
  }
  const status = isSame ? before : now
  return isPinned(experiment) ? { ...status, pinned: true } : status
}
