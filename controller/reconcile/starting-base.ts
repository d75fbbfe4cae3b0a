import type { KubeObject } from '../../common/api/object.ts'
import { sourceNamespaceOf } from '../../common/api/policy.ts'
import type { ExperimentDeployment, SourceStatus } from '../../common/api/types.ts'
import { type Base, baseOf } from '../../common/workload/base.ts'
import { baseHash } from '../../common/workload/desired.ts'
import { isExperiment } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { isPinned, type Pinned, pinnedIn } from '../../common/workload/pinned.ts'
import { type Checked, type Objection, stalled, tell, waiting } from './checks.ts'
import type { Observed } from './observe.ts'

/** What a fork is derived from, or why that cannot be told. */
export type Resolved =
  | { readonly is: 'base'; readonly base: Base; readonly source: SourceStatus }
  | { readonly is: 'objection'; readonly objection: Objection }

/** A ReplicaSet or the object behind a `workloadRef` has no watch of ours. */
const TEMPLATE_RETRY_MS = 5_000

/** What a pinned experiment started from; undefined of one that follows, or is yet to start. */
export const keptBase = ({ experiment, pinned }: Pick<Observed, 'experiment' | 'pinned'>): Pinned | undefined =>
  isPinned(experiment) ? pinnedIn(experiment, pinned) : undefined

/** The pinned base if there is one and it counts, else what the source is now. */
export function resolveBase(observed: Checked): Resolved {
  const kept = keptBase(observed)
  return kept ? { is: 'base', base: kept.base, source: { ...kept.source, pinned: true } } : presentBase(observed)
}

function presentBase(observed: Checked): Resolved {
  const { experiment, kind, source, referents, fork, schema } = observed
  const { name } = experiment.spec.sourceRef
  if (!source || source.metadata.deletionTimestamp) {
    const lack = `no ${kind.kind.toLowerCase()}/${name} in ${sourceNamespaceOf(experiment)}`
    return fork
      ? objection({ is: 'unready', reason: 'SourceNotFound', message: `${lack}; the experiment stays as it is` })
      : objection(waiting('SourceNotFound', `${lack} yet`))
  }
  if (isExperiment(source))
    return objection(stalled('SourceIsExperiment', `spec.sourceRef.name: ${name} is itself an experiment`))
  const based = baseOf(kind, { source, referents, shape: schema.shape, template: schema.template })
  switch (based.is) {
    case 'missing':
      return objection(waiting('SourceTemplateNotFound', based.message, TEMPLATE_RETRY_MS))
    case 'refused':
      return objection(stalled('SourceNotForkable', tell(based.errors)))
    case 'base':
      return { is: 'base', base: based.base, source: sourceStatus(experiment, { kind, source, base: based.base }) }
  }
}

const objection = (of: Objection): Resolved => ({ is: 'objection', objection: of })

interface Present {
  readonly kind: WorkloadKind
  readonly source: KubeObject
  readonly base: Base
}

/** As it was, where uid and base are: a generation that only changed `replicas` is not worth a write. */
function sourceStatus(experiment: ExperimentDeployment, { kind, source, base }: Present): SourceStatus {
  const { pinned, ...before } = experiment.status?.source ?? { uid: '', generation: 0, templateHash: '' }
  const isKept = isPinned(experiment)
  const uid = source.metadata.uid ?? ''
  const templateHash = baseHash(base)
  const isSame = before.uid === uid && before.templateHash === templateHash && before.base === base.template
  const revision = kind.revision(source)
  const now = {
    uid,
    generation: source.metadata.generation ?? 0,
    ...(revision === undefined ? {} : { revision }),
    templateHash,
    ...(base.template === undefined ? {} : { base: base.template }),
  }
  return { ...(isSame ? before : now), ...(isKept ? { pinned: true } : {}) }
}
