import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { Facts } from '../facts/facts.ts'
import { isGatedFork } from '../fork/gated-spec.ts'
import { objectOr } from '../json/json.ts'
import { sizeOf } from '../scaling/size.ts'
import { forecast } from '../strategy/forecast.ts'
import type { PodTarget, Sizes } from '../strategy/target.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { replicasOf } from '../workload/status.ts'
import { promotedSpec, sizesOf, sourceForms } from './run.ts'
import type { RunState } from './situation.ts'

/** The most pods of a workload at one moment. */
export interface MostPods {
  readonly replicas: number
  /** those of its own rollout beside them */
  readonly surge: number
  /** those that it replaces and that are ending, or have just ended, beside all of these: a quota counts them, too */
  readonly ending: number
}

/** The pods of a source, its fork and its twin. */
interface Moment {
  readonly source: MostPods
  readonly fork: MostPods
  readonly twin: MostPods
}

/** The pods at the moment at which they are most. */
export interface PodPeak extends Moment {
  /** the most as a quota counts them, perhaps at another moment */
  readonly counted: number
}

/**
 * The most pods that there are at one moment from now on, while the source keeps its size, or has that of the step: at
 * any step of `run` that is left, or without a run beside the wanted `fork`. The source and the fork may roll out at
 * once, because a fork follows its source. Undefined while the source is not known.
 */
export function podPeak(facts: Facts, fork: KubeObject, run: RunState | undefined): PodPeak | undefined {
  const [source, kind] = [knownValue(facts.source)?.object, knownValue(facts.kind)]
  if (!source || !kind) return undefined
  const forms = run ? sourceForms(source, promotedSpec(facts)) : [source]
  const isGated = isGatedFork(fork)
  const moments = momentsOf(facts, fork, run).map(({ pods, open, twin, source: replicas }, index, all): Moment => {
    // nobody updates a twin: what changes it asks another question, for which there is another twin
    const former = Math.max(twin, all[index - 1]?.twin ?? 0)
    return {
      source: mostOf(kind, forms, replicas),
      fork: isGated ? mostOfGated(kind, fork, { pods, open }) : mostOf(kind, [fork], pods),
      twin: { replicas: twin, surge: 0, ending: former },
    }
  })
  const [most] = moments.toSorted((a, b) => podsAt(b) - podsAt(a))
  return most && { ...most, counted: Math.max(...moments.map(countedAt)) }
}

/** All pods, without those that are ending. */
export const podsAt = (moment: Moment): number => sumOf(moment, ({ replicas, surge }) => replicas + surge)

const countedAt = (moment: Moment): number => podsAt(moment) + sumOf(moment, ({ ending }) => ending)

const sumOf = ({ source, fork, twin }: Moment, count: (of: MostPods) => number): number =>
  [source, fork, twin].reduce((sum, of) => sum + count(of), 0)

/** The pods that a step wants. */
interface Wanted extends Pick<PodTarget, 'pods' | 'open'> {
  readonly twin: number
  /** of the source */
  readonly source: number
}

/** The pods of the source, the fork and its twin, now and at each step that is left. */
function momentsOf(facts: Facts, fork: KubeObject, run: RunState | undefined): readonly Wanted[] {
  const isTwin = facts.installed.analysis && facts.experiment.spec.analysis?.control === 'Twin'
  const object = knownValue(facts.source)?.object
  const size = object ? sizeOf(object) : { wanted: 0, now: 0 }
  const of = { pods: replicasOf(fork), open: run?.target?.open ?? 0, twin: isTwin ? replicasOf(fork) : 0 }
  const known = run && sizesOf(facts, run.spec, { fork })
  if (run && known?.inside) return movesOf(run, known, { ...of, source: size.now })
  const now = { ...of, source: size.wanted }
  const sizes = run?.run.path === 'Forward' ? known : undefined
  if (!run || !sizes) return [now]
  const { steps } = run
  const left = forecast(steps, sizes).slice(run.run.stepIndex)
  // a twin leaves with the verdict, for which this step waits, or with the promotion
  const last = steps.findLastIndex(({ is }) => is === 'analysis')
  const end = last < 0 ? steps.findIndex(({ is }) => is === 'promote') : last + 1
  const hasTwin = (index: number) => isTwin && run.run.stepIndex + index < end
  return [now, ...left.map(({ pods, open }, index) => ({ ...now, pods, open, twin: hasTwin(index) ? pods : 0 }))]
}

/**
 * The pods of a fork and of a source that get larger and smaller together: at each step that is left, on the way to it,
 * and on the way back from it. Both together have as many as the bounds allow.
 */
function movesOf({ run, steps }: RunState, sizes: Sizes, now: Wanted): readonly Wanted[] {
  const most = sizes.inside?.bounds.most ?? sizes.source
  const sized = ({ pods, source }: Pick<Wanted, 'pods' | 'source'>): Wanted => ({ pods, source, open: pods, twin: 0 })
  /** The growing side has got its pods, as far as there is room, and the other one still has those from before. */
  const between = (from: Wanted, to: Wanted): Wanted => {
    const grown = (before: number, after: number, other: number) => Math.max(before, Math.min(after, most - other))
    const pods = grown(from.pods, to.pods, from.source)
    return sized({ pods, source: grown(from.source, to.source, pods) })
  }
  const first = sized({ ...now, pods: Math.min(now.pods, Math.max(0, most - now.source)) })
  const left = run.path === 'Forward' ? forecast(steps, sizes).slice(run.stepIndex) : []
  const all = [first, ...left.map(({ pods, reach: { source } }) => sized({ pods, source }))]
  const home = sized({ pods: 0, source: sizes.source })
  return all.flatMap((each, index) => [between(all[index - 1] ?? each, each), each, between(each, home)])
}

/**
 * `forms`: what the workload is and becomes. Of the pods that a rolling update replaces, all may be ending at once.
 * Where they end first, a quota counts those that are taken down at once until Kubernetes has counted again.
 */
function mostOf(kind: WorkloadKind, forms: readonly KubeObject[], replicas: number): MostPods {
  const sized = forms.map((form) => ({ ...form, spec: { ...objectOr(form.spec), replicas } }))
  const surge = Math.max(...sized.map(kind.surge))
  const ending = sized.map((form) => (kind.waitsForEnd(form) ? Math.min(replicas, kind.takesDown(form)) : replicas))
  return { replicas, surge, ending: Math.max(...ending) - surge }
}

/**
 * During an update a gated fork has no more pods than are open, so only these have a surge. It takes down all others at
 * once.
 */
function mostOfGated(kind: WorkloadKind, fork: KubeObject, { pods, open }: Pick<PodTarget, 'pods' | 'open'>): MostPods {
  const { surge: ofOpen } = mostOf(kind, [fork], open)
  const surge = Math.max(0, open + ofOpen - pods)
  return { replicas: pods, surge, ending: pods - surge }
}
