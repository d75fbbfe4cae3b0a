import { withDefaults } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import { GATE, PREFIX } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { baseOf } from '../fork/base.ts'
import { applied } from '../fork/derive.ts'
import { isGatedFork } from '../fork/gated-spec.ts'
import { at, isEmpty, isObject, listOr, objectOr } from '../json/json.ts'
import { changesBetween, type FieldChange } from '../override/changes.ts'
import { withinDepth } from '../override/depth.ts'
import { type DifferenceRow, differenceRows, valueTexts } from '../override/differences.ts'
import { overridePath } from '../override/override-path.ts'
import type { PathStep } from '../override/path.ts'
import { NO_SHAPE, type Shape } from '../override/shape.ts'
import { workloadKind } from '../workload/registry.ts'
import { omit } from '../workload/status.ts'
import type { ViewChange, ViewFacts } from './experiment-view.ts'
import { text } from './text.ts'

/** The most fields that are shown. */
const MAX_CHANGES = 500

/**
 * The fields in which the fork differs from a fork of its source without override. What the controller sets in every
 * fork is left out. `showValues`: also those that may be secret. None while one of both is not known.
 */
export function viewChanges(
  { experiment, source, fork }: Pick<ViewFacts, 'experiment' | 'source' | 'fork'>,
  { showValues = false }: { readonly showValues?: boolean } = {},
): readonly ViewChange[] {
  const [from, to, kind] = [knownValue(source), knownValue(fork), workloadKind(experiment.spec.sourceRef.kind)]
  if (!from || !to || !kind) return []
  const bounded = { ...from.object, spec: withinDepth(from.object.spec) }
  const found = baseOf(kind, { source: bounded, referents: from.referents, shape: NO_SHAPE })
  if (found.is !== 'base') return []
  const plain = ownSpec(applied({ ...to, spec: found.base.spec }), to)
  const changed = ownSpec(applied({ ...to, spec: withinDepth(to.spec) }), to)
  return differenceRows(changesBetween(plain, changed, NO_SHAPE))
    .slice(0, MAX_CHANGES)
    .map((row) => viewChange(row, { experiment, changed, showValues }))
}

interface Changed {
  readonly experiment: ExperimentDeployment
  /** the spec of the fork, as it was compared */
  readonly changed: unknown
  readonly showValues: boolean
}

function viewChange(row: DifferenceRow, of: Changed): ViewChange {
  const { before, after } = valuesOf(row, of.showValues)
  return {
    path: text(row.name),
    is: row.verb,
    ...(before === undefined ? {} : { before: text(before) }),
    ...(after === undefined ? {} : { after: text(after) }),
    isOverride: row.changes.some(({ path }) => isOverridden(path, of)),
  }
}

/** The public values; if others may be shown too, all of its leaves. A place in a list is no value. */
function valuesOf({ shown, changes, verb }: DifferenceRow, showValues: boolean) {
  const [first, ...more] = changes
  if (shown) return valueTexts(shown)
  if (!first || !showValues || verb === 'moved') return { before: undefined, after: undefined }
  if (more.length === 0) return valueTexts(first)
  return { before: leavesText(changes, 'before'), after: leavesText(changes, 'after') }
}

/** `name=FLAG, value=1` */
function leavesText(leaves: readonly FieldChange[], side: 'before' | 'after'): string | undefined {
  const texts = leaves.flatMap((leaf) => {
    const value = valueTexts(leaf)[side]
    const step = leaf.path.at(-1)
    return value === undefined ? [] : [`${step?.is === 'member' ? step.key : step?.index}=${value}`]
  })
  return texts.length > 0 ? texts.join(', ') : undefined
}

/**
 * Whether the override asks for the change at `path`. An item is gone because the override has its list: with Merge it
 * replaces the list, with Strategic it names the item.
 */
function isOverridden(path: readonly PathStep[], { experiment, changed }: Changed): boolean {
  const { overrideSpec, overrideType } = withDefaults(experiment.spec)
  const removed = path.findIndex((step) => step.is === 'item' && step.became === 'removed')
  const steps = removed < 0 ? path : path.slice(0, removed)
  const place = overridePath(
    { spec: changed, overrideSpec, overrideType, shape: shapeAlong(steps) },
    steps.map((step) => (step.is === 'member' ? step.key : step.index)),
  )
  return place?.isWhole === true
}

/** What is known of the lists on a path: the keys by which their items were compared. */
function shapeAlong([step, ...more]: readonly PathStep[]): Shape {
  const next = () => shapeAlong(more)
  return { ...NO_SHAPE, keys: (step?.is === 'item' && step.keyed?.keys) || [], member: next, items: next }
}

/** The `spec` of a workload without what the controller sets in `fork`: pods, selector, labels and the gate. */
function ownSpec({ spec }: KubeObject, fork: KubeObject): Readonly<Record<string, unknown>> {
  const { replicas: _replicas, selector: _selector, template, ...others } = objectOr(spec)
  // a gated fork has another deadline than the source says
  const { progressDeadlineSeconds: _deadline, ...withoutDeadline } = others
  return { ...(isGatedFork(fork) ? withoutDeadline : others), template: ownTemplate(objectOr(template)) }
}

function ownTemplate({ metadata, spec, ...others }: Readonly<Record<string, unknown>>) {
  const { labels, annotations, ...about } = objectOr(metadata)
  const { readinessGates, ...pod } = objectOr(spec)
  const gates = listOr(readinessGates).filter((gate) => !isObject(gate) || at(gate, 'conditionType') !== GATE)
  return {
    ...others,
    metadata: { ...about, ...foreign('labels', labels), ...foreign('annotations', annotations) },
    spec: { ...pod, ...(gates.length > 0 ? { readinessGates: gates } : {}) },
  }
}

/** The labels or annotations that are not ours. */
function foreign(member: string, map: unknown): Readonly<Record<string, unknown>> {
  const others = omit(
    objectOr(map),
    Object.keys(objectOr(map)).filter((key) => key.startsWith(PREFIX)),
  )
  return isEmpty(others) ? {} : { [member]: others }
}
