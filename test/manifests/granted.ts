/** What the manifests allow our accounts to do. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'

/** A rule lists groups and resources separately. These are the groups in which each resource exists. */
const GROUPS_OF: Readonly<Record<string, readonly string[]>> = {
  rollouts: ['argoproj.io'],
  deployments: ['apps'],
  statefulsets: ['apps'],
}

const texts = (rule: unknown, member: string): readonly string[] =>
  listOr(isObject(rule) ? rule[member] : undefined).map((value) => `${value}`)

/** `get apps/deployments`: each permission of a role. */
export const rightsOf = (role: KubeObject): readonly string[] =>
  listOr(at(role, 'rules')).flatMap((rule) =>
    texts(rule, 'resources').flatMap((resource) =>
      texts(rule, 'apiGroups')
        .filter((group) => GROUPS_OF[resource]?.includes(group) ?? true)
        .flatMap((group) => texts(rule, 'verbs').map((verb) => `${verb} ${group}/${resource}`)),
    ),
  )

/** The permissions that the patches of a component add to a role, by the pattern of its name. */
export function addedBy(component: string): Readonly<Record<string, readonly string[]>> {
  const { patches, resources } = parse(readFileSync(`manifests/${component}/kustomization.yaml`, 'utf8'))
  expect(resources).to.equal(undefined)
  const ofRoles = listOr(patches).filter((patch) => /Role/.test(`${at(patch, 'target', 'kind')}`))
  return Object.fromEntries(
    ofRoles.map((patch) => [
      `${at(patch, 'target', 'kind')} ${at(patch, 'target', 'name')}`,
      listOr(parse(`${at(patch, 'patch')}`)).flatMap((operation) => {
        expect(operation).to.deep.include({ op: 'add', path: '/rules/-' })
        const each = (member: string) => listOr(at(operation, 'value', member)).map(String)
        return each('verbs').flatMap((verb) =>
          each('apiGroups').flatMap((group) => each('resources').map((what) => `${verb} ${group}/${what}`)),
        )
      }),
    ]),
  )
}
