import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { StoredSource } from '../api/strategy.ts'
import { isAsWritten, type SpecFacts } from '../facts/facts.ts'
import { lazy } from '../facts/lazy.ts'
import { sha256Of, WHOLE } from '../json/canonical.ts'
import { isEqual, isObject, type JsonObject, objectOr } from '../json/json.ts'
import { keeping } from '../json/keeping.ts'
import { changesBetween, type FieldChange } from '../override/changes.ts'
import { valueAt } from '../override/defaulted.ts'
import { changedFields } from '../override/differences.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { mergePatchBetween } from '../strategy/promotion.ts'
import { shortNameOf } from '../text/short-name.ts'

/** A `spec` that a source should have, and the version of the source that is known to have it. */
export interface WantedSpec {
  readonly after: JsonObject
  /** what the API server stored when it was written, or what had the change; absent: it was not */
  readonly stored?: StoredSource | undefined
}

/**
 * Whether `source` has what a write of `after` would give it: the API server would store nothing else. The schema tells
 * it. Where it finds a difference that the API server also made in the fork, there is a doubt. Then what the API server
 * stored of the write counts, or what it says to a dry run; where it refuses dry runs, and in a review, the schema
 * decides alone. Undefined: not known yet.
 */
export function sourceHas(facts: SpecFacts, source: KubeObject, wanted: WantedSpec): boolean | undefined {
  const lacking = lackingIn(facts, source, wanted)
  if (lacking.length === 0) return true
  if (!lacking.every((change) => isAsInFork(facts, source, change))) return false
  if (wanted.stored && isStoredAs(source, wanted.stored)) return true
  const { dryRun } = facts
  if (!dryRun) return false
  if (dryRun.of !== idOfWrite(source, wanted)) return undefined
  return dryRun.changesNothing.is === 'unknown' ? false : knownValue(dryRun.changesNothing)
}

/** What `source` does not have of `after`, as far as the schema tells. */
function lackingIn({ schema }: SpecFacts, source: KubeObject, { after }: Pick<WantedSpec, 'after'>) {
  const shape = knownValue(schema)?.shape ?? NO_SHAPE
  const compute = lazy(() => changesBetween(source.spec, after, shape))
  return hasAll(after, [source.spec, shape], () => compute().length === 0) ? [] : compute()
}

/** Only whether nothing is lacking is kept: what is lacking may be many times as large as the override. */
const hasAll = keeping<boolean>()

/** Whether only the API server can tell if `source` has `after`: it would say so to a dry run of that write. */
export function isDoubtful(facts: SpecFacts, source: KubeObject, wanted: WantedSpec): boolean {
  const lacking = lackingIn(facts, source, wanted)
  if (lacking.length === 0 || (wanted.stored && isStoredAs(source, wanted.stored))) return false
  return lacking.every((change) => isAsInFork(facts, source, change))
}

/** What is told where the schema decides alone, although it leaves a doubt; undefined: it does not. */
export function doubtAbout(facts: SpecFacts, source: KubeObject, wanted: WantedSpec): string | undefined {
  const { dryRun } = facts
  if ((dryRun && dryRun.changesNothing.is !== 'unknown') || !isDoubtful(facts, source, wanted)) return undefined
  const doubt = `only the API server can tell whether ${shortNameOf(source)} has this already`
  const fields = changedFields(lackingIn(facts, source, wanted))
  return dryRun?.changesNothing.is === 'unknown'
    ? `${doubt}, and it refuses a dry run (${dryRun.changesNothing.because}): ${fields}`
    : `${doubt}, and the controller asks it: ${fields}`
}

/**
 * Whether the fork, to which the API server gave the override, has in the place of `change` just what `source` has. So
 * the API server stores something else for the override, such as a rounded quantity, or an admission webhook does that.
 * A webhook that changes the source only is none of these: then the source does not have what the fork has.
 */
export function isAsInFork({ fork, experiment }: SpecFacts, source: KubeObject, { path, isMoved }: FieldChange) {
  const [first] = path
  const object = knownValue(fork)
  if (!object || isMoved || first?.is !== 'member' || first.key !== 'template') return false
  if (!isAsWritten(object, experiment.status?.experimentResourceRef)) return false
  return isEqual(valueAt(object.spec, path), valueAt(source.spec, path))
}

/** Tells writes apart, and the versions of a source for which they are meant. A status is no other version. */
export function idOfWrite({ metadata, spec }: KubeObject, { after }: Pick<WantedSpec, 'after'>): string {
  const write = mergePatchBetween(objectOr(spec) as JsonObject, after)
  return `${metadata.uid} ${metadata.generation} ${sha256Of(write, WHOLE)}`
}

/** A version of `source` by which it is known again, whoever scales it or writes its status. */
export const storedSource = ({ metadata: { uid = '', generation = 0 }, spec }: KubeObject): StoredSource => ({
  uid,
  generation,
  hash: hashOf(spec),
})

/** Whether two versions of a source differ in nothing but their replicas, which an autoscaler may change. */
export const isSameSpec = (one: KubeObject, other: KubeObject): boolean => hashOf(one.spec) === hashOf(other.spec)

/** Whether nobody has changed the `spec` of `source` since it was `stored`, except for its replicas. */
export const isStoredAs = ({ metadata: { uid, generation }, spec }: KubeObject, stored: StoredSource): boolean =>
  uid === stored.uid && (stored.hash === undefined ? generation === stored.generation : stored.hash === hashOf(spec))

function hashOf(spec: unknown): string {
  const { replicas: _scaled, ...others } = objectOr(spec)
  const compute = () => sha256Of(others, WHOLE)
  return isObject(spec) ? hashes(spec, [], compute) : compute()
}

const hashes = keeping<string>()
