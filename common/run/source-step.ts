import type { ScaledSource } from '../api/strategy.ts'
import { type Decision, waiting } from '../facts/decision.ts'
import type { RunReport } from '../outcome/conclusion.ts'
import { ownSizeEntry } from '../scaling/record.ts'
import type { Scaling, Situation } from '../situation/situation.ts'
import { count } from '../text/count.ts'
import { shortNameOf } from '../text/short-name.ts'
import { deployment } from '../workload/deployment.ts'
import { releaseSourceSize, resizeSource, unlabelSource } from '../writes/source-size-writes.ts'
import type { Write } from '../writes/write.ts'

/** What a pass does with the size of a source, and what the status remembers of it. */
export interface SourceStep {
  readonly writes: readonly Write[]
  /** `status.strategy.scaled` after the pass; undefined: there is nothing to remember */
  readonly scaled: ScaledSource | undefined
  /** replaces the decision of the plan */
  readonly decision?: Decision
}

interface Wanted {
  /** the `spec.replicas` that the source gets now; undefined: it keeps its number */
  readonly to: number | undefined
  /** whether the source has its own size, and the fork no pods that it stands for */
  readonly isDone: boolean
  readonly run: RunReport | undefined
}

/**
 * The write that gives the source its next size, or takes our label or our entry of the managed fields away. What is
 * written next is stored in the status before: so a label that somebody takes away loses no number. A number of
 * somebody else is not changed: it is the new size.
 */
export function sourceStep(situation: Situation, scaling: Scaling, wanted: Wanted): SourceStep {
  const { experiment } = situation.facts
  const { source: of, stored, isServing, sides } = scaling
  const scaled = rememberedSize(scaling, wanted)
  const target = { resource: deployment, of }
  // a pass that moves the run only stores that, and without the component nobody may write the source
  const mayWrite = wanted.run?.moved === undefined && situation.installed.promotion
  const next = nextSize(scaling, wanted)
  if (next) {
    const isStored = stored?.uid === of.metadata.uid && stored?.size === next.size && stored.written === next.written
    if (!isStored && experiment.status?.strategy) return { writes: [], scaled, decision: soon(scaling, next.written) }
    const isNeeded = isServing || next.written !== sides.source.replicas
    const record = { experiment: experiment.metadata.uid, ...next }
    return { writes: mayWrite && isNeeded ? [resizeSource(target, record, experiment)] : [], scaled }
  }
  if (!mayWrite) return { writes: [], scaled }
  if (isServing && wanted.isDone) return { writes: [unlabelSource(target, undefined)], scaled }
  const released = isServing || scaling.onSource.is === 'foreign' ? undefined : releaseSourceSize(target)
  return { writes: released ? [released] : [], scaled }
}

const soon = ({ source }: Scaling, replicas: number): Decision =>
  waiting('Updating', `${shortNameOf(source)}: ${count(replicas, 'pod')} next`, 0)

/** The size and the number that are written next; undefined if neither changes. */
function nextSize({ onSource, size, sides }: Scaling, { to }: Pick<Wanted, 'to'>) {
  if (onSource.is === 'changed') return { size, written: sides.source.replicas }
  if (onSource.is === 'lost') return { size, written: size }
  if (onSource.is === 'foreign') return undefined
  return to === undefined ? undefined : { size, written: to }
}

/** What the status remembers after the pass. */
function rememberedSize(scaling: Scaling, wanted: Wanted): ScaledSource | undefined {
  const { source, onSource, stored, size, sides, isServing } = scaling
  const { run } = wanted
  const next = nextSize(scaling, wanted)
  const from = changedFrom(scaling, run)
  const flags = {
    ...(isServing && run?.sizing?.isReturning ? { isReturning: true } : {}),
    ...(from === undefined ? {} : { changedFrom: from }),
  }
  const uid = source.metadata.uid ?? ''
  const now = sides.source.replicas
  if (next) return { uid, ...next, ...(next.written === now ? {} : { replaced: { size, written: now } }), ...flags }
  if (onSource.is === 'ours') return { uid, size, written: onSource.record.written, ...flags }
  const isOver = onSource.is === 'none' && ownSizeEntry(source) < 0
  return isOver && from === undefined ? undefined : stored && { ...withoutFlags(stored), ...flags }
}

const withoutFlags = ({ isReturning: _returning, changedFrom: _from, ...stored }: ScaledSource) => stored

/** The number that somebody else has changed, as long as the run is held because of it. */
function changedFrom({ onSource, stored, sides }: Scaling, run: RunReport | undefined): number | undefined {
  if (!run?.run.held) return undefined
  if (onSource.is === 'changed') {
    const now = sides.source.replicas
    return stored?.written === now && stored.size === now ? stored.changedFrom : onSource.from
  }
  if (onSource.is === 'lost') return stored?.changedFrom ?? sides.source.replicas
  return stored?.changedFrom
}
