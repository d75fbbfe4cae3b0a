import { expect } from 'chai'
import fc from 'fast-check'
import { boundedOverride } from '../../../common/api/decode.ts'
import type { Json, JsonObject } from '../../../common/json/json.ts'
import { changesBetween } from '../../../common/override/changes.ts'
import { merge } from '../../../common/override/merge.ts'
import { itemText, memberText, overrideField, parseOverridePath, pathSteps } from '../../../common/override/path.ts'
import { POD } from '../../builders.ts'
import { LAW } from '../../property.ts'
import { key, steps } from './steps.ts'

/** Whether every step of `path` is matched by the token of the pattern at the same index. `**` is not in this table. */
const matches = (pattern: string, path: string): boolean => {
  const tokens = parseOverridePath(pattern) ?? []
  const found = steps(path)
  return (
    tokens.length === found.length &&
    tokens.every((token, index) => {
      const step = found[index]
      return token !== 'many' && step !== undefined && token(step)
    })
  )
}

const tokens: readonly (readonly [pattern: string, path: string, isMatch: boolean])[] = [
  ['template', 'template', true],
  ['template', 'templates', false],
  ['*', 'template', true],
  ['*', '[a]', false],
  ['{a,b}', 'a', true],
  ['{a,b}', 'b', true],
  ['{a,b}', 'c', false],
  ['labels["a"]', 'labels.a', true],
  ['labels["a"]', 'labels.b', false],
  ['mounts["/data x"]', 'mounts[/data x]', true],
  ['containers[*]', 'containers[cart]', true],
  ['containers[*]', 'containers[+cart]', true],
  ['containers[*]', 'containers.cart', false],
  ['containers[+]', 'containers[+cart]', true],
  ['containers[+]', 'containers[cart]', false],
  ['containers[+]', 'containers[-cart]', false],
  ['containers[-]', 'containers[-cart]', true],
  ['containers[-]', 'containers[+cart]', false],
  ['containers[cart]', 'containers[cart]', true],
  ['containers[cart]', 'containers[+cart]', true],
  ['containers[cart]', 'containers[carts]', false],
  ['containers[cart]', 'containers.cart', false],
  ['args[0]', 'args[0]', true],
  ['ports[8080/TCP]', 'ports[8080/TCP]', true],
]

const broken = [
  '',
  '.',
  'a.',
  '.a',
  'a..b',
  '***',
  'a b',
  'a*',
  '[a]',
  '["a"]',
  'a[',
  'a[]',
  'a[b',
  'a]',
  'a[""]',
  'a["b]',
  'a[b]c',
  '{a',
  '{}',
  '{a,}',
  '{a,*}',
  'a.[b]',
  'a["b\\"c"]',
  'a[**]',
  'é',
  'a'.repeat(257),
]

describe('parseOverridePath', () => {
  for (const [pattern, path, isMatch] of tokens)
    it(`${pattern} ${isMatch ? 'matches' : 'does not match'} ${path}`, () =>
      expect(matches(pattern, path)).to.equal(isMatch))

  it('turns ** into the token for zero or more steps', () => {
    expect(parseOverridePath('**')).to.deep.equal(['many'])
    expect(parseOverridePath('a.**.b')?.[1]).to.equal('many')
  })

  for (const pattern of broken)
    it(`returns undefined for ${JSON.stringify(pattern.slice(0, 20))}, which is not a pattern`, () =>
      expect(parseOverridePath(pattern)).to.equal(undefined))

  it('throws for no text', () =>
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        parseOverridePath(text)
      }),
      LAW,
    ))
})

describe('the text of one step', () => {
  it('N11: is read as that step and no other, whatever its key is', () => {
    const keys = ['cart', 'a.b/c', '80/TCP', '/data', '*', '-', '+', '**', '{a,b}', 'a b', '::1', '0']
    for (const key of keys) {
      const [member, item] = [`a${memberText(key)}`, `a${itemText(key)}`].map((text) => pathSteps(text)?.at(-1))
      expect([member?.is, item?.is], key).to.satisfy(
        ([one, other]: readonly string[]) =>
          ['member', 'quoted'].includes(one ?? '') && ['item', 'quoted'].includes(other ?? ''),
      )
      expect(member?.is === 'member' ? member.keys?.[0] : member?.is === 'quoted' && member.name).to.equal(key)
      expect(item?.is === 'item' || item?.is === 'quoted' ? item.name : undefined).to.equal(key)
    }
  })

  it('N11: is none where the key has a quote or a backslash, or is empty', () => {
    for (const key of ['a"b', 'a\\b', ''])
      expect([memberText(key), itemText(key)]).to.deep.equal([undefined, undefined])
  })
})

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
