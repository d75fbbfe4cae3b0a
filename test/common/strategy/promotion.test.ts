import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { boundedOverride } from '../../../common/api/decode.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import type { Json, JsonObject } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import { isInPlace, mergePatchBetween, patchText, promotionOf } from '../../../common/strategy/promotion.ts'
import { imageOverride, POD } from '../../builders.ts'

const CONTAINER = {
  name: 'cart',
  image: 'example/cart:1',
  env: [{ name: 'SECRET', value: 'of the source' }],
  terminationMessagePath: '/dev/termination-log',
}
const variable = (name: string, value: string): JsonObject => ({ name, value })
const SIDECAR = { name: 'proxy', image: 'example/proxy:1' }
const SPEC = { replicas: 3, template: { spec: { containers: [SIDECAR, CONTAINER] } } }

const promoted = (override: JsonObject, overrideType: OverrideType, spec: JsonObject = SPEC) => {
  const of = { spec, overrideSpec: boundedOverride(override), overrideType, shape: POD }
  const found = promotionOf(of)
  if (!found) throw new Error('the override can be merged')
  const isDone = isInPlace(spec, found.forward, POD)
  return { of, found, isDone }
}

describe('the promotion of an override', () => {
  for (const type of ['Merge', 'Strategic'] as const)
    it(`${type}: forward makes it of the source, and inverse the source of it`, () => {
      const { found, isDone } = promoted({ ...imageOverride('example/cart:2'), minReadySeconds: 5 }, type)
      expect(mergePatch(SPEC, found.forward)).to.deep.equal(found.after)
      expect(mergePatch(found.after, found.inverse)).to.deep.equal(SPEC)
      expect(isDone).to.equal(false)
      expect(Object.keys(found.forward)).not.to.include('replicas')
    })

  it('is done where the API server would store nothing else', () => {
    const whole = {
      template: { spec: { containers: [SIDECAR, { name: 'cart', image: 'example/cart:1', env: CONTAINER.env }] } },
    }
    expect(promoted(whole, 'Merge').isDone).to.equal(true)
    expect(promoted(imageOverride('example/cart:1'), 'Strategic').isDone).to.equal(true)
    expect(promoted({}, 'Merge').isDone).to.equal(true)
  })

  it('Strategic: changes the last of two variables with one name, which is the one that counts', () => {
    const withEnv = (first: string, last: string): JsonObject => {
      const env = [variable('A', first), variable('B', '7'), variable('A', last)]
      return { ...SPEC, template: { spec: { containers: [SIDECAR, { ...CONTAINER, env }] } } }
    }
    const override = { template: { spec: { containers: [{ name: 'cart', env: [variable('A', '3')] }] } } }
    const { found, isDone } = promoted(override, 'Strategic', withEnv('1', '2'))
    expect(found.after).to.deep.equal(withEnv('1', '3'))
    expect(isDone).to.equal(false)
    expect(promoted(override, 'Strategic', found.after).isDone).to.equal(true)
    expect(promoted(override, 'Strategic', withEnv('3', '2')).isDone).to.equal(false)
  })

  it('is in place when its patch changes nothing more', () => {
    const { found } = promoted(imageOverride('example/cart:2'), 'Strategic')
    expect(isInPlace(SPEC, found.forward, POD)).to.equal(false)
    expect(isInPlace(found.after, found.forward, POD)).to.equal(true)
    expect(isInPlace(SPEC, found.inverse, POD)).to.equal(true)
  })

  it('leaves what is nested deeply in the source as it is, in every type', () => {
    let nested: Json = {}
    for (let level = 0; level < 20_000; level += 1) nested = { inner: nested }
    const spec = { ...SPEC, analysis: nested }
    for (const type of ['Merge', 'Strategic'] as const) {
      const { of, found } = promoted({ minReadySeconds: 5 }, type, spec)
      expect(patchText(of, found)).to.equal('[{"op":"add","path":"/spec/minReadySeconds","value":5}]')
      expect(found.forward).to.deep.equal({ minReadySeconds: 5 })
      expect(found.inverse).to.deep.equal({ minReadySeconds: null })
      expect(isInPlace(spec, { minReadySeconds: 5 }, POD)).to.equal(false)
    }
  })

  it('is unknown for an override that cannot be merged', () => {
    const overrideSpec = boundedOverride({ template: { spec: { containers: [{ image: 'without a name' }] } } })
    expect(promotionOf({ spec: SPEC, overrideSpec, overrideType: 'Strategic', shape: POD })).to.equal(undefined)
  })
})

describe('the merge patch between two specs', () => {
  it('removes, adds and replaces members, and replaces whole lists', () => {
    const before = { a: 1, b: { c: 1, d: [1] }, e: 2 }
    const after = { a: 1, b: { c: 1, d: [1, 2] }, f: 3 }
    const patch = mergePatchBetween(before, after)
    expect(patch).to.deep.equal({ b: { d: [1, 2] }, e: null, f: 3 })
    expect(mergePatch(before, patch)).to.deep.equal(after)
  })
})

describe('the patch for the manifest of a source', () => {
  const patched = (override: JsonObject, type: OverrideType) => {
    const { of, found } = promoted(override, type)
    const text = patchText(of, found) ?? ''
    const { newDocument } = jsonPatch.applyPatch({ spec: structuredClone(SPEC) }, JSON.parse(text) as Operation[], true)
    return { text, spec: newDocument.spec, after: found.after }
  }

  it('Strategic: tests the key of a container, changes its image, and has no former value', () => {
    const { text, spec, after } = patched(imageOverride('example/cart:2'), 'Strategic')
    expect(JSON.parse(text)).to.deep.equal([
      { op: 'test', path: '/spec/template/spec/containers/1/name', value: 'cart' },
      { op: 'replace', path: '/spec/template/spec/containers/1/image', value: 'example/cart:2' },
    ])
    expect(spec).to.deep.equal(after)
    expect(text).not.to.contain('of the source')
  })

  it('Merge: has the lists of the override, adds, replaces and removes', () => {
    const override = { ...imageOverride('example/cart:2'), minReadySeconds: 5, 'a/b~c': { d: null, e: 1 } }
    const { text, spec, after } = patched(override, 'Merge')
    expect(spec).to.deep.equal(after)
    expect(text).not.to.contain('of the source')
    expect(patched({ replicas: null, absent: null }, 'Merge').text).to.equal(
      '[{"op":"remove","path":"/spec/replicas"}]',
    )
  })

  for (const type of ['Merge', 'Strategic'] as const)
    it(`${type}: fits a manifest without the empty objects that the API server adds`, () => {
      const template = { spec: { securityContext: { runAsUser: 7, runAsGroup: 8 } } }
      const spec = { ...SPEC, template: { spec: { ...SPEC.template.spec, securityContext: {} } } }
      const { of, found } = promoted({ template }, type, spec)
      const patch: Operation[] = JSON.parse(patchText(of, found) ?? '')
      const { newDocument } = jsonPatch.applyPatch({ spec: structuredClone(SPEC) }, patch, true)
      expect(newDocument.spec).to.deep.equal(found.after)
    })

  for (const type of ['Merge', 'Strategic'] as const)
    it(`${type}: fits a manifest without the strategy whose defaults the API server adds`, () => {
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } }
      const { of, found } = promoted({ strategy: { rollingUpdate: { maxSurge: 2 } } }, type, { ...SPEC, strategy })
      const patch: Operation[] = JSON.parse(patchText(of, found) ?? '')
      expect(patch).to.deep.equal([{ op: 'add', path: '/spec/strategy', value: found.after.strategy }])
      const { newDocument } = jsonPatch.applyPatch({ spec: structuredClone(SPEC) }, patch, true)
      expect(newDocument.spec).to.deep.equal(found.after)
    })

  it('is left out if it is longer than 16 KiB', () => {
    const { of, found } = promoted({ note: 'x'.repeat(17_000) }, 'Merge')
    expect(patchText(of, found)).to.equal(undefined)
  })
})
