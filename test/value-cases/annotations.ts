import type { JsonObject } from '../../common/json/json.ts'
import type { ValueCase } from './case.ts'

const annotated = (key: string, value: string, spec: JsonObject = {}): JsonObject => ({
  template: { metadata: { annotations: { [key]: value } }, spec },
})
const at = (key: string, message: string): readonly string[] => [`template.metadata.annotations["${key}"]: ${message}`]

const COST = 'controller.kubernetes.io/pod-deletion-cost'
const deletionCost = (cost: string): JsonObject => annotated(COST, cost)
const DELETION_COST = at(COST, 'must be a whole number of 32 bits, in quotes; correct it')

const MIRROR = 'kubernetes.io/config.mirror'
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations'
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/'
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod'
const SECCOMP_OF_CART = 'container.seccomp.security.alpha.kubernetes.io/cart'

/** `common/pod/annotations.ts` */
export const ANNOTATIONS: readonly ValueCase[] = [
  {
    title: 'M4: the cost of deleting a pod',
    accepted: deletionCost('-100'),
    refused: deletionCost('low'),
    errors: DELETION_COST,
  },
  {
    title: 'M4: the cost of deleting a pod, at the lowest number',
    accepted: deletionCost('-2147483648'),
    refused: deletionCost('-2147483649'),
    errors: DELETION_COST,
  },
  {
    title: 'M4: the cost of deleting a pod, at the highest number',
    accepted: deletionCost('2147483647'),
    refused: deletionCost('2147483648'),
    errors: DELETION_COST,
  },
  {
    title: 'N46: a mirror pod on no node',
    accepted: annotated(MIRROR, 'a', { nodeName: 'node' }),
    refused: annotated(MIRROR, 'a'),
    errors: at(MIRROR, 'cannot be set without nodeName; set it to null'),
  },
  {
    title: 'N46: tolerations that are no JSON',
    accepted: annotated(TOLERATIONS, ''),
    refused: annotated(TOLERATIONS, 'all'),
    errors: at(TOLERATIONS, 'must be JSON; set spec.tolerations instead'),
  },
  {
    title: 'N46: tolerations that are no list',
    accepted: annotated(TOLERATIONS, '[{"key":"a","operator":"Exists"}]'),
    refused: annotated(TOLERATIONS, '{"key":"a"}'),
    errors: at(TOLERATIONS, 'must be a list of tolerations as JSON; set spec.tolerations instead'),
  },
  {
    title: 'N46: tolerations without key',
    accepted: annotated(TOLERATIONS, '[{"operator":"Exists"}]'),
    refused: annotated(TOLERATIONS, '[{"operator":"Equal"}]'),
    errors: at(TOLERATIONS, '0.operator: must be Exists, because there is no key; set it, or add a key'),
  },
  {
    title: 'N46: a profile of AppArmor of no container',
    accepted: annotated(`${APP_ARMOR}cart`, 'runtime/default'),
    refused: annotated(`${APP_ARMOR}shop`, 'runtime/default'),
    errors: at(`${APP_ARMOR}shop`, 'is for the container "shop", which does not exist; set it to null'),
  },
  {
    title: 'N46: a profile of AppArmor of another form',
    accepted: annotated(`${APP_ARMOR}cart`, 'localhost/cart'),
    refused: annotated(`${APP_ARMOR}cart`, 'cart'),
    errors: at(`${APP_ARMOR}cart`, 'must be runtime/default, unconfined or localhost/ with a profile; got "cart"'),
  },
  {
    title: 'N46: a profile of seccomp of another form',
    accepted: annotated(SECCOMP, 'docker/default'),
    refused: annotated(SECCOMP, 'cart'),
    errors: at(SECCOMP, 'must be runtime/default, unconfined or localhost/ with a path; got "cart"'),
  },
  {
    title: 'N46: a profile of seccomp with a path above',
    accepted: annotated(SECCOMP_OF_CART, 'localhost/a/b.json'),
    refused: annotated(SECCOMP_OF_CART, 'localhost/../b.json'),
    errors: at(SECCOMP_OF_CART, 'must not contain ".."; got "../b.json"'),
  },
]
