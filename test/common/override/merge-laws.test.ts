import { expect } from 'chai'
import fc from 'fast-check'
import type { OverrideType } from '../../../common/api/types.ts'
import type { Json, JsonObject } from '../../../common/json/json.ts'
import { NO_SHAPE } from '../../../common/override/shape.ts'
import { aJsonObject, aPatch, withoutNullItems } from '../../generators.ts'
import { LAW } from '../../property.ts'
import { A_SHAPE, aBaseNode, anOverrideNode, identity, mergeDecoded } from './nodes.ts'

/** The algorithm as printed in RFC 7386. */
function rfc7386(target: Json | undefined, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isMap = typeof target === 'object' && target !== null && !Array.isArray(target)
  const result: Record<string, Json> = isMap ? { ...(target as JsonObject) } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = rfc7386(result[key], value)
  }
  return result
}

function merged(base: JsonObject, override: JsonObject, type: OverrideType, shape = A_SHAPE): JsonObject {
  const outcome = mergeDecoded(base, override, type, shape)
  if (outcome.is === 'merged') return outcome.spec
  throw new Error(outcome.errors.map(({ field, message }) => `${field}: ${message}`).join('; '))
}

const law = (sentence: string, check: (base: JsonObject, override: JsonObject, type: OverrideType) => void) => {
  for (const type of ['Merge', 'Strategic'] as const)
    it(`${sentence} (${type})`, () =>
      fc.assert(
        fc.property(aBaseNode, anOverrideNode, (base, override) => check(base, mergeable(override, type), type)),
        LAW,
      ))
}

/** Merge takes items whole. A null in an item, which removes a member under Strategic, is left out for Merge. */
const mergeable = (override: JsonObject, type: OverrideType): JsonObject =>
  type === 'Strategic' ? override : (withoutNullItems(override) as JsonObject)

const SCRIBBLE = 'scribbled'

/** Writes into every object and list below `value`. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) scribble(inner)
  Object.assign(value, { [SCRIBBLE]: true })
}

function prototypes(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return [Object.getPrototypeOf(value), ...Object.values(value).flatMap(prototypes)]
}

const namesIn = (list: Json | undefined): readonly string[] => (Array.isArray(list) ? list : []).map(identity)

describe('merge, by its laws', () => {
  it('Merge equals RFC 7386 on random objects', () =>
    fc.assert(
      fc.property(aJsonObject, aPatch, (base, patch) => {
        expect(merged(base, patch, 'Merge', NO_SHAPE)).to.deep.equal(rfc7386(base, patch))
      }),
      LAW,
    ))

  it('Strategic without keyed lists equals Merge', () =>
    fc.assert(
      fc.property(aJsonObject, aPatch, (base, patch) => {
        expect(merged(base, patch, 'Strategic', NO_SHAPE)).to.deep.equal(merged(base, patch, 'Merge', NO_SHAPE))
      }),
      LAW,
    ))

  law('An empty override changes nothing', (base, _override, type) => {
    expect(merged(base, {}, type)).to.deep.equal(base)
  })

  law('Merging twice gives the same as merging once', (base, override, type) => {
    const once = merged(base, override, type)
    expect(merged(once, override, type)).to.deep.equal(once)
  })

  law('Writing to the result does not change the override', (base, override, type) => {
    const before = structuredClone({ base, override })
    const result = merged(base, override, type)
    expect({ base, override }).to.deep.equal(before)
    scribble(result)
    expect(override).to.deep.equal(before.override)
  })

  law('The result shares with the base what is not overridden', (base, _override, type) => {
    const odd = { ...base, other: { list: [{ a: 1 }] } }
    expect(merged(odd, {}, type).other).to.equal(odd.other)
  })

  law('Every object of the result has the prototype of Object or Array', (base, override, type) => {
    const odd = { ...base, constructor: { prototype: { a: 1 } }, toString: 'x' }
    const found = new Set(prototypes(merged(odd, override, type)))
    for (const prototype of found) expect([Object.prototype, Array.prototype]).to.include(prototype)
  })

  it('No key of an override changes a prototype', () => {
    const aKey = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty')
    const type = fc.constantFrom<OverrideType>('Merge', 'Strategic')
    fc.assert(
      fc.property(aBaseNode, aKey, type, (base, key, type) => {
        const override = JSON.parse(`{"a": {"${key}": {"polluted": true}}}`)
        const outcome = mergeDecoded(base, override, type)
        expect(outcome.is === 'invalid' && outcome.errors[0]?.field).to.equal(`spec.overrideSpec.a.${key}`)
        expect({}).not.to.have.property('polluted')
      }),
      LAW,
    )
  })

  it('Items of the base keep their places, and new items follow in the order of the override', () =>
    fc.assert(
      fc.property(aBaseNode, anOverrideNode, (base, override) => {
        const result = merged(base, override, 'Strategic')
        for (const list of ['env', 'ports']) {
          const [before, asked] = [namesIn(base[list]), namesIn(override[list])]
          const expected = override[list] === null ? [] : [...before, ...asked.filter((name) => !before.includes(name))]
          expect(namesIn(result[list])).to.deep.equal(expected)
        }
      }),
      LAW,
    ))

  it('Of members that exclude each other, the one that the override sets is left', () =>
    fc.assert(
      fc.property(aBaseNode, anOverrideNode, (base, override) => {
        const result = merged(base, override, 'Strategic')
        expect('value' in result && 'valueFrom' in result).to.equal(false)
        if (override.valueFrom) expect(result).to.have.property('valueFrom')
        if (typeof override.value === 'string') expect(result.value).to.equal(override.value)
      }),
      LAW,
    ))
})
