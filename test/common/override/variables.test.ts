import { expect } from 'chai'
import fc from 'fast-check'
import { boundedOverride } from '../../../common/api/decode.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { merge } from '../../../common/override/merge.ts'
import { findDuplicates } from '../../../common/override/shape.ts'
import { repeatedVariables } from '../../../common/override/variables.ts'
import { LAW } from '../../property.ts'
import { A_SHAPE } from './nodes.ts'

interface Variable {
  readonly name: string
  readonly value: string
}

/** `A=1` */
const variable = (text: string): Variable => {
  const [name = '', value = ''] = text.split('=')
  return { name, value }
}

function unique(env: readonly Variable[]) {
  const list = env.map((each): JsonObject => ({ ...each }))
  const { dropped, isAmbiguous } = repeatedVariables(list, findDuplicates(list, [{ key: 'name' }]))
  return { env: env.filter((_each, index) => !dropped.has(index)), isAmbiguous }
}

const cases: Record<string, readonly [env: string, left: string]> = {
  'the last of different ones': ['A=1 B=2 A=3 A=4', 'B=2 A=4'],
  'the first of equal ones': ['A=1 B=2 A=1', 'A=1 B=2'],
  'the first of equal ones that another one uses': ['A=1 B=$(A) A=1', 'A=1 B=$(A)'],
  'the last of equal ones of which only it expands': ['A=$(B) B=2 A=$(B)', 'B=2 A=$(B)'],
  'the last of some equal ones and another': ['A=1 B=2 A=1 A=3', 'B=2 A=3'],
  'the last where only one behind it refers to it': ['A=1 A=2 B=$(A)', 'A=2 B=$(A)'],
  'the last where an escaped text looks like a reference': ['A=1 B=$$(A) A=2', 'B=$$(A) A=2'],
  'the last where the former refers to itself': ['A=$(A) A=2', 'A=2'],
  'the last where a bracket is missing': ['A=1 B=$(A A=2', 'B=$(A A=2'],
}

const ambiguous: Record<string, readonly [env: string, left: string]> = {
  'one between two refers to the former value': ['A=1 B=$(A) A=2', 'A=1 B=$(A) A=2'],
  'the later of two refers to the former': ['A=1 A=$(A)/x', 'A=1 A=$(A)/x'],
  'two equal ones refer to themselves': ['A=$(A)/x A=$(A)/x', 'A=$(A)/x A=$(A)/x'],
  'one refers to the value of two equal ones, and another value follows': ['A=1 A=1 B=$(A) A=2', 'A=1 B=$(A) A=2'],
}

/** The values in the container, as `makeEnvironmentVariables` of the kubelet computes them. */
function expanded(env: readonly Variable[]): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const { name, value } of env)
    values[name] = value.replaceAll(/\$\$|\$\(([^)]*)\)/g, (text, key) =>
      key === undefined ? '$' : (values[key] ?? text),
    )
  return values
}

const aVariable = fc.record(
  { name: fc.constantFrom('A', 'B', 'C'), value: fc.constantFrom('1', '2', '$(A)', 'x$(B)', '$$(A)', '$(A)$(C)') },
  { noNullPrototype: true },
)
const aList = fc.array(aVariable, { maxLength: 6 })

describe('repeatedVariables', () => {
  for (const [sentence, [env, left]] of Object.entries(cases))
    it(`leaves ${sentence}: ${env}`, () =>
      expect(unique(env.split(' ').map(variable))).to.deep.equal({
        env: left.split(' ').map(variable),
        isAmbiguous: false,
      }))

  for (const [sentence, [env, left]] of Object.entries(ambiguous))
    it(`is ambiguous if ${sentence}: ${env}`, () =>
      expect(unique(env.split(' ').map(variable))).to.deep.equal({
        env: left.split(' ').map(variable),
        isAmbiguous: true,
      }))

  it('leaves one of each name, and the same values in the container, unless it is ambiguous', () =>
    fc.assert(
      fc.property(aList, (list) => {
        const { env, isAmbiguous } = unique(list)
        if (!isAmbiguous) expect(new Set(env.map(({ name }) => name)).size).to.equal(env.length)
        expect(expanded(env)).to.deep.equal(expanded(list))
      }),
      LAW,
    ))

  it('leaves the same values as the whole list does, also with an override', () =>
    fc.assert(
      fc.property(aList, fc.constantFrom('A', 'B', 'C', 'D'), (list, name) => {
        const { env, isAmbiguous } = unique(list)
        if (isAmbiguous) return
        const [inFork, inSource] = [env, list].map((base) => {
          const override = boundedOverride({ env: [{ name, value: '7' }] })
          const merged = merge({ env: base.map((each): JsonObject => ({ ...each })) }, override, 'Strategic', A_SHAPE)
          return merged.is === 'merged' && expanded(merged.spec.env as unknown as readonly Variable[])
        })
        expect(inFork).to.deep.equal(inSource)
      }),
      LAW,
    ))

  it('takes a value of any length', () => {
    const value = '$('.repeat(500_000)
    expect(
      unique([
        { name: 'A', value },
        { name: 'B', value: '1' },
        { name: 'A', value: '2' },
      ]).env,
    ).to.have.length(2)
  })
})
