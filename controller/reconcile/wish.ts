import { hashOf } from '../../common/api/canonical.ts'
import { DERIVED_HASH } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { Forks } from '../../common/api/policy.ts'
import { type Derived, derive } from '../../common/workload/desired.ts'
import { pairOf } from '../../common/workload/pair.ts'
import type { Pinned } from '../../common/workload/pinned.ts'
import { type Checked, checked, type Objection, stalled, tell } from './checks.ts'
import type { Observed } from './observe.ts'
import { resolveBase } from './starting-base.ts'

/** The fork that is asked for, or why there is none to ask for. */
export type Wish =
  | {
      readonly is: 'fork'
      readonly sound: Checked
      readonly desired: KubeObject
      /** what it is derived from */
      readonly from: Pinned
      /** for policies; undefined where none applies */
      readonly forks: Forks | undefined
    }
  | { readonly is: 'objection'; readonly objection: Objection }

/** What `observed` asks for, whether or not policies let it. */
export function wishOf(observed: Observed): Wish {
  const sound = checked(observed)
  if (sound.is === 'objection') return sound
  const resolved = resolveBase(sound)
  if (resolved.is === 'objection') return resolved
  const { base, source } = resolved
  const derived = derive({ kind: sound.kind, experiment: sound.experiment, base, schema: sound.schema })
  if (derived.is === 'refused') return { is: 'objection', objection: stalled(derived.reason, tell(derived.errors)) }
  const isJudged = observed.policing !== undefined && observed.policing.policies.length > 0
  return {
    is: 'fork',
    sound,
    desired: withHash(derived.fork),
    from: { base, source },
    forks: isJudged ? forks(sound, { base, source }, derived) : undefined,
  }
}

/** The fork beside one without the override: policies judge by what differs. */
function forks({ kind, experiment, schema }: Checked, { base }: Pinned, changed: Derived): Forks | undefined {
  const spec = { ...experiment.spec, overrideSpec: {}, overrideType: 'Merge' as const }
  const plain = derive({ kind, experiment: { ...experiment, spec }, base, schema })
  return plain.is === 'fork' && changed.is === 'fork'
    ? pairOf({ plain: plain.fork, changed: changed.fork, shape: schema.shape })
    : undefined
}

/** Whether `desired` is what `fork` was derived as, but for fewer pods. */
export function isFewerOf(fork: KubeObject, desired: KubeObject, { was, is }: Count): boolean {
  const { [DERIVED_HASH]: _hash, ...annotations } = desired.metadata.annotations ?? {}
  const { annotations: _annotations, ...metadata } = desired.metadata
  const kept = Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata
  const before = { ...desired, metadata: kept, spec: { ...(desired.spec as object), replicas: was } }
  return is < was && hashOf(before, 16) === fork.metadata.annotations?.[DERIVED_HASH]
}

interface Count {
  readonly was: number
  readonly is: number
}

function withHash(fork: KubeObject): KubeObject {
  const annotations = { ...fork.metadata.annotations, [DERIVED_HASH]: hashOf(fork, 16) }
  return { ...fork, metadata: { ...fork.metadata, annotations } }
}
