import type { OverrideType } from '../../../common/api/types.ts'
import { isObject, type Json, type JsonObject, listOr, member, objectOr } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import { referencedName, type Schemas } from '../../../common/schema/transform.ts'
import type { Dice } from './dice.ts'
import { sensible } from './sensible.ts'
import { textFor, wholeNumberFor } from './values.ts'

/** The schema of a kind's `spec`, and the schemas that it refers to. */
export interface Grammar {
  readonly schemas: Schemas
  readonly root: unknown
}

/** Fields that every author knows not to set, or that say nothing about values. */
const SKIPPED = new Set([
  'selector',
  'replicas',
  'ephemeralContainers',
  'workloadRef',
  'blueGreen',
  'canaryService',
  'stableService',
  'trafficRouting',
  'pingPong',
  'status',
  'managedFields',
  'ownerReferences',
  'rollbackWindow',
  'analysis',
  'restartAt',
  'steps',
  'x-kubernetes-preserve-unknown-fields',
])

/** Fields that people override most. They are chosen as often as all others together. */
const COMMON = new Set([
  'template',
  'spec',
  'containers',
  'image',
  'env',
  'resources',
  'ports',
  'livenessProbe',
  'readinessProbe',
  'volumeMounts',
  'volumes',
  'limits',
  'requests',
  'httpGet',
])

/**
 * An override that is meant to be valid: one to four fields anywhere in the schema, with values that suit their names.
 * Under Merge its containers are whole.
 */
export function anOverride(grammar: Grammar, dice: Dice, type: OverrideType): JsonObject {
  const count = 1 + dice.below(4)
  let override: JsonObject = {}
  for (let index = 0; index < count; index++)
    override = mergePatch(override, writer(grammar, dice, type).object(grammar.root, [], 1) as JsonObject)
  return dice.percent(85) ? sensible(override, type) : override
}

function writer({ schemas }: Grammar, dice: Dice, type: OverrideType) {
  const resolve = (schema: unknown): unknown => {
    const name = referencedName(schema)
    return name === undefined ? schema : member(schemas, name)
  }

  const value = (schema: unknown, path: readonly string[]): Json => {
    const name = referencedName(schema) ?? ''
    const target = resolve(schema)
    const key = path.at(-1) ?? ''
    if (name.endsWith('.Quantity')) return textFor('quantity', path, dice)
    if (name.endsWith('.IntOrString') || member(target, 'x-kubernetes-int-or-string') === true)
      return dice.percent(70) ? wholeNumberFor(key, dice) : textFor('intOrString', path, dice)
    const allowed = listOr(member(target, 'enum')).filter((each) => typeof each === 'string')
    if (allowed.length > 0) return dice.pick(allowed)
    switch (member(target, 'type')) {
      case 'integer':
      case 'number':
        return wholeNumberFor(key, dice)
      case 'boolean':
        return dice.percent(50)
      case 'array':
        return list(target, path)
      case 'object':
        return object(schema, path, path.length > 9 ? 1 : 1 + dice.below(2))
      default:
        return member(target, 'properties') ? object(schema, path, 1) : textFor(key, path, dice)
    }
  }

  const list = (target: unknown, path: readonly string[]): Json => {
    const items = member(target, 'items')
    const count = dice.percent(75) ? 1 : 2
    const keys = listOr(member(target, 'x-kubernetes-list-map-keys'))
    const made = Array.from({ length: count }, () => value(items, [...path, '[]']))
    if (keys.length === 0) return made
    const distinct = new Map(made.map((item) => [JSON.stringify(keys.map((key) => member(item, String(key)))), item]))
    return [...distinct.values()]
  }

  /** Its required fields and `more` others. */
  const object = (schema: unknown, path: readonly string[], more: number): Json => {
    const target = resolve(schema)
    const map = member(target, 'additionalProperties')
    if (isObject(map)) return { [textFor('key', path, dice)]: value(map, [...path, 'value']) }
    const properties = objectOr(member(target, 'properties'))
    const names = Object.keys(properties).filter((key) => !SKIPPED.has(key))
    const chosen = new Set(
      listOr(member(target, 'required'))
        .map(String)
        .filter((key) => names.includes(key)),
    )
    const others = names.filter((key) => !chosen.has(key))
    const isOneOf = path.at(-2) === 'volumes' || ['valueFrom', 'livenessProbe', 'preStop'].includes(path.at(-1) ?? '')
    for (let index = 0; index < (isOneOf ? 1 : more) && others.length > 0; index++) {
      const common = others.filter((key) => COMMON.has(key))
      chosen.add(dice.pick(common.length > 0 && dice.percent(path.length < 2 ? 85 : 45) ? common : others))
    }
    if (path.length === 2 && path[1] === 'metadata') chosen.delete('name')
    const made = Object.fromEntries([...chosen].map((key) => [key, value(properties[key], [...path, key])]))
    return completed(made, path, type)
  }

  return { value, object }
}

/** A container that Merge puts in the place of another needs its image. */
function completed(made: JsonObject, path: readonly string[], type: OverrideType): JsonObject {
  const isContainer = ['containers', 'initContainers'].includes(path.at(-2) ?? '') && path.at(-1) === '[]'
  const isKnown = made.name === 'cart' || made.name === 'proxy'
  return isContainer && (type === 'Merge' || !isKnown) ? { image: 'registry.example/cart:2', ...made } : made
}
