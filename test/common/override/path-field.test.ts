import { expect } from 'chai'
import { boundedOverride } from '../../../common/api/decode.ts'
import type { Json, JsonObject } from '../../../common/json/json.ts'
import { changesBetween } from '../../../common/override/changes.ts'
import { merge } from '../../../common/override/merge.ts'
import { overrideField } from '../../../common/override/path.ts'
import { POD } from '../../builders.ts'
import { key, steps } from './steps.ts'

const container = (of: JsonObject): JsonObject => ({ template: { spec: { containers: [{ name: 'cart', ...of }] } } })

/** The places in `override` of everything that it changes in `base`. */
function fields(base: JsonObject, override: JsonObject, type: 'Merge' | 'Strategic'): readonly string[] {
  const merged = merge(base, boundedOverride(override), type, POD)
  if (merged.is !== 'merged') throw new Error(JSON.stringify(merged.errors))
  return changesBetween(base, merged.spec, POD).map(({ path }) => overrideField(path, override))
}

const AT = 'spec.overrideSpec.template.spec.containers[0]'
const BASE = container({
  image: 'x',
  env: [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ],
})
const B: Json = { name: 'B', value: '3' }

describe('overrideField', () => {
  it('gives the index that an item has in a Strategic override, not the one that it has in the fork', () =>
    expect(fields(BASE, container({ env: [B] }), 'Strategic')).to.deep.equal([`${AT}.env[0].value`]))

  it('gives the key of an item that a Merge override leaves out of a list', () =>
    expect(fields(BASE, container({ image: 'x', env: [B] }), 'Merge')).to.deep.equal([
      `${AT}.env[0].value`,
      `${AT}.env[A].name`,
      `${AT}.env[A].value`,
    ]))

  it('ends at a null, because a null removes everything below it', () => {
    const base: JsonObject = { template: { spec: { securityContext: { runAsUser: 7 } } } }
    const override: JsonObject = { template: { spec: { securityContext: null } } }
    expect(fields(base, override, 'Merge')).to.deep.equal(['spec.overrideSpec.template.spec.securityContext'])
  })

  it('follows the path of the fork below what the override does not mention', () =>
    expect(overrideField(steps('a.b[c].d'), { a: {} })).to.equal('spec.overrideSpec.a.b[c].d'))

  it('writes keys with dots in quotes', () =>
    expect(overrideField([key('labels'), key('example.com/team')], {})).to.equal(
      'spec.overrideSpec.labels["example.com/team"]',
    ))

  it('returns at most 256 characters', () => {
    const path = Array.from({ length: 60 }, () => key('member'))
    expect(overrideField(path, {})).to.have.length(256)
  })
})
