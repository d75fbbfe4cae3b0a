import { at, isObject, type Json, type JsonObject, member, objectOr } from '../json/json.ts'
import { pick } from './status.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * `pod` with its account under `serviceAccountName` alone, never under the deprecated `serviceAccount`, so that plans
 * and policies see one field. As in the API server, the alias counts only if there is no other name.
 */
export function withoutAccountAlias(pod: Fields): Fields {
  if (!Object.hasOwn(pod, 'serviceAccount')) return pod
  const { serviceAccount, ...rest } = pod
  return serviceAccount && !rest.serviceAccountName ? { ...rest, serviceAccountName: serviceAccount } : rest
}

/**
 * A merged `template` whose account is under `serviceAccountName` alone. The alias can come only from the override,
 * because a base has none, so it replaces the account of the base. If the override sets both, the alias does not count.
 */
export function withOverriddenAccount(template: JsonObject, overrideSpec: JsonObject): JsonObject {
  const pod = member(template, 'spec')
  if (!isObject(pod) || !Object.hasOwn(pod, 'serviceAccount')) return template
  const { serviceAccount, ...rest } = pod as JsonObject
  const isNamed = Boolean(at(overrideSpec, 'template', 'spec', 'serviceAccountName'))
  return { ...template, spec: serviceAccount && !isNamed ? { ...rest, serviceAccountName: serviceAccount } : rest }
}

/**
 * A workload's `spec` with both names of the account. If only `serviceAccountName` were applied, the API server would
 * fill in the alias, which nobody would own, and restore the name from it when the name is taken away.
 */
export function withAccountAlias(spec: Fields): Fields {
  const pod = objectOr(at(spec, 'template', 'spec'))
  const name = pod.serviceAccountName
  if (!name) return spec
  return { ...spec, template: { ...objectOr(spec.template), spec: { ...pod, serviceAccount: name as Json } } }
}

/**
 * `merged`, which is an override laid over the live `spec` of a source, with the account of the override under both
 * names. The API server stores both, and restores one that is changed or taken away alone from the other. Where the
 * account stays, both are as they were.
 */
export function withPromotedAccount(merged: JsonObject, spec: JsonObject, overrideSpec: JsonObject): JsonObject {
  const own = objectOr(at(overrideSpec, 'template', 'spec'))
  const pod = at(merged, 'template', 'spec')
  const isNamed = Object.hasOwn(own, 'serviceAccountName')
  if (!isObject(pod) || !(isNamed || Object.hasOwn(own, 'serviceAccount'))) return merged
  const live = pick(objectOr(at(spec, 'template', 'spec')) as JsonObject, ['serviceAccountName', 'serviceAccount'])
  const former = live.serviceAccountName || live.serviceAccount
  const account = own.serviceAccountName || own.serviceAccount || (isNamed ? undefined : former)
  const named = account ? { serviceAccountName: account as Json, serviceAccount: account as Json } : {}
  const { serviceAccountName: _name, serviceAccount: _alias, ...others } = pod as JsonObject
  const template = objectOr(merged.template) as JsonObject
  return { ...merged, template: { ...template, spec: { ...others, ...(account === former ? live : named) } } }
}

/** A workload's `spec` as in a manifest, which names the account once. */
export function withoutSpecAlias(spec: JsonObject): JsonObject {
  const pod = at(spec, 'template', 'spec')
  if (!isObject(pod) || !pod.serviceAccountName || !Object.hasOwn(pod, 'serviceAccount')) return spec
  const { serviceAccount: _alias, ...others } = pod as JsonObject
  return { ...spec, template: { ...(objectOr(spec.template) as JsonObject), spec: others } }
}
