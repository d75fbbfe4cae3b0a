import { expect } from 'chai'
import fc from 'fast-check'
import { parseOverridePath } from '../../../common/override/path.ts'
import { LAW } from '../../property.ts'
import { steps } from './steps.ts'

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
