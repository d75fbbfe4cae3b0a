import { picked, soundMembers } from '../json/conform.ts'
import { isObject, type JsonObject, listOr, member, objectOr, textOr } from '../json/json.ts'
import { anyNumber, anyText, object, optional } from '../json/structure.ts'
import { malformed } from './analysis/decode.ts'
import { decodeStatus } from './decode-status.ts'
import { DEFAULTS } from './defaults.ts'
import { brokenLimits } from './limits.ts'
import { COMMAND, COMMAND_BY, COMMAND_SAW, REQUESTED_BY, REVIEWED_REPLICAS, REVIEWED_TEMPLATE } from './names.ts'
import type { ManagedFieldsEntry, ObjectMeta } from './object.ts'
import { EXPERIMENT_SPEC } from './structures.ts'
import type { BoundedOverride, ExperimentDeployment } from './types.ts'

/**
 * One of our resources with exactly the members that we use, or what keeps it from being one. The CRD's schema has
 * checked the types before; a cluster with a loosened schema gets an error message, not an internal error. An override
 * beyond `OVERRIDE_LIMITS` is replaced by an empty one, so that nothing can merge or print it. `overrideErrors` says
 * what is wrong with it. `namespace` is that of the request: an object in a review may lack its own.
 */
export function decodeExperiment(stored: Readonly<Record<string, unknown>>, namespace: string) {
  const members = objectOr(stored.spec)
  const written = { ...members, sourceRef: objectOr(members.sourceRef) } // an absent one lacks its members
  const errors = malformed(written, EXPERIMENT_SPEC, 'spec')
  if (errors.length > 0) return { is: 'malformed', errors } as const
  const spec = picked(written, EXPERIMENT_SPEC)
  const overrideErrors = brokenLimits(spec.overrideSpec)
  const status = decodeStatus(stored.status)
  const experiment: ExperimentDeployment = {
    apiVersion: textOr(stored.apiVersion, ''),
    kind: textOr(stored.kind, ''),
    metadata: { ...metadataIn(stored), namespace },
    spec: {
      ...spec,
      ...(overrideErrors.length > 0 ? { overrideSpec: boundedOverride({}) } : {}),
      overrideType: spec.overrideType ?? DEFAULTS.overrideType,
    },
    ...(status === undefined ? {} : { status }),
    ...(overrideErrors.length > 0 ? { overrideErrors } : {}),
  }
  return { is: 'experiment', experiment } as const
}

/** `overrideSpec` that the program itself wrote, as one that is within the bounds. */
export const boundedOverride = (overrideSpec: JsonObject): BoundedOverride => overrideSpec as BoundedOverride

const ANNOTATIONS = [REQUESTED_BY, REVIEWED_REPLICAS, REVIEWED_TEMPLATE, COMMAND, COMMAND_BY, COMMAND_SAW]

type Metadata = Pick<
  ObjectMeta,
  'generation' | 'name' | 'uid' | 'resourceVersion' | 'creationTimestamp' | 'deletionTimestamp'
>

const METADATA = object<Metadata>({
  ...{ generation: optional(anyNumber), name: anyText(), uid: optional(anyText()) },
  resourceVersion: optional(anyText()),
  ...{ creationTimestamp: optional(anyText()), deletionTimestamp: optional(anyText()) },
})

function metadataIn(stored: unknown) {
  const metadata = member(stored, 'metadata')
  const unstored = { name: '', uid: '', generation: 1 }
  const finalizers = listOr(member(metadata, 'finalizers')).filter((each) => typeof each === 'string')
  const managedFields = listOr(member(metadata, 'managedFields')).filter(isManagedFieldsEntry)
  const annotations = pickTexts(member(metadata, 'annotations'), ANNOTATIONS)
  return {
    ...unstored,
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
    ...soundMembers(metadata, METADATA),
    ...(finalizers.length > 0 ? { finalizers } : {}),
    ...(managedFields.length > 0 ? { managedFields } : {}),
  }
}

const pickTexts = (of: unknown, keys: readonly string[]): readonly (readonly [string, string])[] =>
  keys.flatMap((key) => {
    const value = member(of, key)
    return typeof value === 'string' ? [[key, value] as const] : []
  })

const isManagedFieldsEntry = (value: unknown): value is ManagedFieldsEntry =>
  isObject(value) &&
  ['manager', 'operation', 'subresource', 'time'].every((key) => ['string', 'undefined'].includes(typeof value[key]))
