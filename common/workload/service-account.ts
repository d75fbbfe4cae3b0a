import { at, isObject, type Json, type JsonObject, member, objectOr } from '../json/json.ts'

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
