import { API_VERSION, CR_NAME, EXPERIMENT_DEPLOYMENT, OWNER_NAMESPACE, OWNER_UID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { isEqual, member } from '../json/json.ts'
import { controllerOf, experimentId, forkName, hasSelectorOf, ROLES, roleUid, selectorWith } from './identity.ts'

/** The id at the end of the name of a fork or twin; undefined for other names. */
export const idInName = (name: string): string | undefined => /-experiment-([0-9a-f]{10})$/.exec(name)?.[1]

/**
 * The experiment to which a fork or twin without an owner reference belongs, by its labels. Undefined if its name and
 * selector, which is immutable, do not contain the hash of that uid: then the labels may be anybody's.
 */
export function provenOwner(
  fork: KubeObject,
): { readonly namespace: string; readonly name: string; readonly uid: string } | undefined {
  const { [OWNER_NAMESPACE]: namespace, [CR_NAME]: name, [OWNER_UID]: uid } = fork.metadata.labels ?? {}
  if (!namespace || !name || !uid || controllerOf(fork)) return undefined
  const isProven = ROLES.some((role) => {
    const id = roleUid(uid, role)
    return fork.metadata.name.endsWith(forkName('', id)) && hasSelectorOf(id, fork)
  })
  return isProven ? { namespace, name, uid } : undefined
}

/**
 * Whether `object` is a fork or twin of some experiment, by what nobody can change: its name and its selector have the
 * same id. If it still says which experiment that is, the id must be of its uid. One that another controller owns is
 * none.
 */
export function isForkOfSome(object: KubeObject): boolean {
  const id = idInName(object.metadata.name)
  const owner = controllerOf(object)
  const uid = owner ? owner.uid : object.metadata.labels?.[OWNER_UID]
  const isOurs = owner === undefined || (owner.kind === EXPERIMENT_DEPLOYMENT.kind && owner.apiVersion === API_VERSION)
  const isOfUid = uid === undefined || ROLES.some((role) => experimentId(roleUid(uid, role)) === id)
  return isOurs && isOfUid && id !== undefined && isEqual(member(object.spec, 'selector'), selectorWith(id))
}

/** The experiment that `fork` names as its owner, by a reference or by labels, whether it is still there or not. */
export function namedOwner(fork: KubeObject) {
  const { kind, name, uid } = controllerOf(fork) ?? {}
  if (kind === EXPERIMENT_DEPLOYMENT.kind && name !== undefined && uid !== undefined)
    return { namespace: fork.metadata.namespace ?? '', name, uid }
  return provenOwner(fork)
}

/**
 * Whether `object` is a fork or twin of an experiment that it names, so that it ends with that experiment. One that
 * names none may be anybody's: everybody who may create workloads chooses their names and selectors.
 */
export const isNamedFork = (object: KubeObject): boolean => isForkOfSome(object) && namedOwner(object) !== undefined
