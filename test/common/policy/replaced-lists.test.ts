import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { NO_SHAPE, type Shape } from '../../../common/override/shape.ts'
import type { ExperimentPolicySpec, PolicyFinding } from '../../../common/policy/policy.ts'
import { joinReplaced, replacedListAt } from '../../../common/policy/replaced-lists.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { aPolicyInput, findings } from './policy-input.ts'

const AT = 'spec.overrideSpec.template.spec'
const KEPT =
  'as Merge does by replacing the list; use overrideType: Strategic, which keeps what the override leaves out'
const source = aDeployment({
  container: { env: [{ name: 'A', value: '1' }], args: ['x', 'y'], livenessProbe: { exec: { command: ['a'] } } },
  pod: { hostNetwork: true },
})
const found = (
  pod: JsonObject,
  denied: string,
  overrideType: 'Merge' | 'Strategic' = 'Merge',
  spec: ExperimentPolicySpec = { deniedOverridePaths: [denied] },
) => {
  const experiment = anExperiment({ overrideSpec: { template: { spec: pod } }, overrideType })
  return findings(spec, aPolicyInput({ experiment, source }))
}
const cart = (of: JsonObject = {}): JsonObject => ({ containers: [{ name: 'cart', image: 'cart:2', ...of }] })

describe('M11: replacedListAt', () => {
  it('M11: is the list that Merge replaces, for a path that the override leaves out', () => {
    expect(found(cart(), '**.env')).to.deep.equal([
      `${AT}.containers[0].env[A]: cannot be removed, ${KEPT} (policy "limits")`,
    ])
    expect(found(cart(), '**.env', 'Strategic')).to.deep.equal([])
  })

  it('M11: is the list for an item that the override leaves out', () => {
    expect(found({ containers: [{ name: 'other', image: 'x' }] }, '**.containers[-]')).to.deep.equal([
      `${AT}.containers[cart]: cannot be removed, ${KEPT} (policy "limits")`,
    ])
  })

  const others: Record<string, readonly [JsonObject, string, string]> = {
    'a value that the override writes': [
      cart({ env: [{ name: 'A', value: '2' }] }),
      '**.env[*].value',
      'containers[0].env[0].value',
    ],
    'a list without keys, which Strategic replaces too': [cart({ args: ['x'] }), '**.args', 'containers[0].args[1]'],
    'a field outside of lists': [{ hostNetwork: null }, '**.hostNetwork', 'hostNetwork'],
  }
  for (const [sentence, [pod, denied, field]] of Object.entries(others))
    it(`M11: there is none for ${sentence}`, () => {
      const lines = found(pod, denied).filter((line) => line.startsWith(`${AT}.${field}: `))
      expect(lines).to.have.length(1)
      expect(lines[0]).to.not.contain('Strategic')
    })
})

describe('M11: replacedListAt, where members exclude each other', () => {
  const volume: Shape = {
    ...NO_SHAPE,
    unions: [
      { is: 'oneOf', members: ['emptyDir', 'hostPath'] },
      { is: 'byType', member: 'profile', type: 'Localhost' },
    ],
  }
  const shape: Shape = { ...NO_SHAPE, member: () => ({ ...NO_SHAPE, keys: [{ key: 'name' }], items: () => volume }) }
  const item = {
    is: 'item',
    names: ['v'],
    index: 0,
    keyed: { keys: [{ key: 'name' }], identity: 'v' },
    became: undefined,
  } as const
  const listFor = (volumes: JsonObject, key: string) =>
    replacedListAt([{ is: 'member', key: 'volumes' }, item, { is: 'member', key }], {
      changes: [],
      overrideSpec: { volumes: [{ name: 'v', ...volumes }] },
      overrideType: 'Merge',
      shape,
    })

  it('M11: there is none if Strategic removes the member, too', () => {
    expect(listFor({ emptyDir: {} }, 'hostPath')).to.equal(undefined)
    expect(listFor({ type: 'Unconfined' }, 'profile')).to.equal(undefined)
  })

  it('M11: is the list if Strategic keeps the member', () => {
    for (const [volumes, key] of [
      [{}, 'hostPath'],
      [{ type: 'Localhost' }, 'profile'],
      [{}, 'profile'],
    ] as const)
      expect(listFor(volumes, key)).to.equal('spec.overrideSpec.volumes')
  })
})

describe('M11: joinReplaced', () => {
  const finding = (field: string, replacedList?: string, policy = 'limits'): PolicyFinding => ({
    policy,
    actions: ['Deny'],
    about: 'content',
    error: { field, message: 'no', cause: 'FieldValueForbidden' },
    ...(replacedList === undefined ? {} : { replacedList }),
  })
  const linesOf = (...all: readonly PolicyFinding[]) =>
    joinReplaced(all).map(({ error: { field, message } }) => `${field}: ${message}`)

  it('M11: joins what one policy has about one list', () => {
    expect(
      linesOf(finding('a.b[0].x', 'a.b'), finding('c'), finding('a.b[0].y', 'a.b'), finding('a.b[1]', 'a.b')),
    ).to.deep.equal([
      'a.b: Merge replaces the whole list, which changes [0].x, [0].y and 1 more; use overrideType: Strategic, which ' +
        'keeps what the override leaves out (policy "limits")',
      'c: no',
    ])
  })

  it('M11: keeps a single finding, other lists and other policies apart', () => {
    const apart = [finding('a[0]', 'a'), finding('b[0]', 'b'), finding('a[0]', 'a', 'more'), finding('c'), finding('d')]
    expect(joinReplaced(apart)).to.deep.equal(apart)
  })
})
