import { expect } from 'chai'
import fc from 'fast-check'
import { at, type JsonObject, listOr } from '../../../common/json/json.ts'
import { differencesOf } from '../../../common/strategy/recorded-changes.ts'
import { takenBack, takenBackOrder } from '../../../common/strategy/take-back.ts'
import { LAW } from '../../property.ts'
import { CART, cart, podWith, SHAPE, type Story, undone } from './taken-back.ts'

const IMAGE = 'template.spec.containers[cart].image'
const PROBE = 'template.spec.containers[cart].readinessProbe'

describe('the changes of a promotion that are taken back', () => {
  it('N11: are those that the source still has; an edit of the same list stays', () => {
    const story = {
      before: podWith(CART, { name: 'proxy', image: 'proxy:1' }),
      after: podWith({ ...CART, image: 'cart:2' }, { name: 'proxy', image: 'proxy:1' }),
      now: podWith({ ...CART, image: 'cart:2', env: [{ name: 'A', value: '1' }] }, { name: 'proxy', image: 'proxy:2' }),
    }
    expect(undone(story)).to.deep.equal({
      spec: podWith({ ...CART, env: [{ name: 'A', value: '1' }] }, { name: 'proxy', image: 'proxy:2' }),
      taken: [IMAGE],
      left: [],
    })
  })

  it('N11: are not those that others have changed, and those that they have taken back already', () => {
    const [before, after] = [cart({ args: ['a'] }), cart({ image: 'cart:2', args: ['b'] })]
    const changed = cart({ image: 'cart:3', args: ['b'] })
    expect(undone({ before, after, now: changed })).to.deep.equal({
      spec: cart({ image: 'cart:3', args: ['a'] }),
      taken: ['template.spec.containers[cart].args'],
      left: [IMAGE],
    })
    expect(undone({ before, after, now: before })).to.deep.equal({ spec: before, taken: [], left: [] })
  })

  it('N11: are all, whatever was stored, where nobody has changed the source since', () => {
    const changes = differencesOf({ before: cart({}), after: cart({ image: 'cart:2' }) }, SHAPE)
    const spec = cart({ image: 'mirror/cart:2' })
    expect(takenBack(changes, { spec, shape: SHAPE, isAsWritten: true }).after).to.deep.equal(cart({}))
    expect(takenBack(changes, { spec, shape: SHAPE }).left).to.deep.equal([IMAGE])
  })

  const X = ['1', '2'].map((value) => ({ name: 'X', value }))
  const SIDECAR = { name: 'sidecar', image: 'sidecar:1' }
  const cases: Readonly<Record<string, Story & { readonly spec: JsonObject; readonly left?: readonly string[] }>> = {
    'an added container goes with what others added to it': {
      before: podWith(CART),
      after: podWith(CART, SIDECAR),
      now: podWith(CART, {
        ...SIDECAR,
        env: [{ name: 'A', value: '1' }],
        terminationMessagePath: '/dev/termination-log',
      }),
      spec: podWith(CART),
    },
    'an added container that others have changed stays': {
      before: podWith(CART),
      after: podWith(CART, SIDECAR),
      now: podWith(CART, { ...SIDECAR, image: 'sidecar:2' }),
      spec: podWith(CART, { ...SIDECAR, image: 'sidecar:2' }),
      left: ['template.spec.containers[sidecar]'],
    },
    'a removed container comes back to its place, beside one of others': {
      before: podWith(SIDECAR, CART),
      after: podWith(CART),
      now: podWith({ name: 'istio', image: 'istio:1' }, CART),
      spec: podWith(SIDECAR, { name: 'istio', image: 'istio:1' }, CART),
    },
    'the order of containers comes back, unless others have changed it': {
      before: podWith(SIDECAR, CART),
      after: podWith(CART, SIDECAR),
      now: podWith(CART, { name: 'istio', image: 'istio:1' }, SIDECAR),
      spec: podWith(SIDECAR, CART, { name: 'istio', image: 'istio:1' }),
    },
    'the first variables of a container go, and those of others stay': {
      before: cart({}),
      after: cart({ env: [{ name: 'A', value: '1' }] }),
      now: cart({
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      }),
      spec: cart({ env: [{ name: 'B', value: '2' }] }),
    },
    'the last variable comes back where others have removed the rest of the list': {
      before: cart({
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      }),
      after: cart({ env: [{ name: 'B', value: '2' }] }),
      now: cart({}),
      spec: cart({ env: [{ name: 'A', value: '1' }] }),
    },
    'an added map goes key by key': {
      before: cart({ resources: {} }),
      after: cart({ resources: { limits: { cpu: '1' } } }),
      now: cart({ resources: { limits: { cpu: '1', memory: '1Gi' } } }),
      spec: cart({ resources: { limits: { memory: '1Gi' } } }),
    },
    'the last key of a map comes back': {
      before: cart({ resources: { limits: { cpu: '1', memory: '1Gi' } } }),
      after: cart({ resources: { limits: { memory: '1Gi' } } }),
      now: cart({ resources: {} }),
      spec: cart({ resources: { limits: { cpu: '1' } } }),
    },
    'an added probe goes with its defaults, and with what others added to it': {
      before: cart({}),
      after: cart({ readinessProbe: { httpGet: { port: 80 } } }),
      now: cart({ readinessProbe: { httpGet: { port: 80, path: '/', scheme: 'HTTP' }, periodSeconds: 7 } }),
      spec: cart({}),
    },
    'a union of which others have changed the member stays': {
      before: cart({ readinessProbe: { httpGet: { port: 80 } } }),
      after: cart({ readinessProbe: { tcpSocket: { port: 80 } } }),
      now: cart({ readinessProbe: { tcpSocket: { port: 81 } } }),
      spec: cart({ readinessProbe: { tcpSocket: { port: 81 } } }),
      left: [`${PROBE}.tcpSocket.port`, PROBE],
    },
    'what is below a container that others have removed is lost': {
      before: podWith(CART, SIDECAR),
      after: podWith(CART, { ...SIDECAR, image: 'sidecar:2' }),
      now: podWith(CART),
      spec: podWith(CART),
      left: ['template.spec.containers[sidecar]'],
    },
    'a list without keys is one value': {
      before: cart({ args: ['a', 'b'] }),
      after: cart({ args: ['a', 'c'] }),
      now: cart({ args: ['a', 'c', 'd'] }),
      spec: cart({ args: ['a', 'c', 'd'] }),
      left: ['template.spec.containers[cart].args'],
    },
    'a list in which a name is there twice is one value': {
      before: cart({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
      after: cart({ env: [{ name: 'A', value: '3' }] }),
      now: cart({ env: [{ name: 'A', value: '3' }] }),
      spec: cart({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
    },
    'a list that somebody gave a name twice stays': {
      before: cart({ env: [{ name: 'A', value: '1' }] }),
      after: cart({ env: [{ name: 'A', value: '2' }] }),
      now: cart({
        env: [
          { name: 'A', value: '2' },
          { name: 'A', value: '2' },
        ],
      }),
      spec: cart({
        env: [
          { name: 'A', value: '2' },
          { name: 'A', value: '2' },
        ],
      }),
      left: ['template.spec.containers[cart].env[A]'],
    },
    'a list in which others gave another name twice': {
      before: cart({ env: [{ name: 'A', value: '1' }] }),
      after: cart({ env: [{ name: 'A', value: '2' }] }),
      now: cart({ env: [...X, { name: 'A', value: '2' }, { value: '3' }] }),
      spec: cart({ env: [...X, { name: 'A', value: '1' }, { value: '3' }] }),
    },
    'a variable of a list in which a name was there twice, unless others have changed that list': {
      before: cart({ env: [...X, { name: 'A', value: '1' }] }),
      after: cart({ env: [...X, { name: 'A', value: '2' }] }),
      now: cart({ env: [...X, { name: 'A', value: '2' }, { name: 'B', value: '3' }] }),
      spec: cart({ env: [...X, { name: 'A', value: '2' }, { name: 'B', value: '3' }] }),
      left: ['template.spec.containers[cart].env'],
    },
  }
  for (const [title, { spec, left = [], ...story }] of Object.entries(cases))
    it(`N11: ${title}`, () => {
      const found = undone(story)
      expect([found.spec, found.left]).to.deep.equal([spec, left])
    })
})

/** The order of `present`, after the change from `before` to `after` is taken back. */
const ordered = (before: string, after: string, present: string) => {
  const [was, became, is] = [before, after, present].map((names) => names.split(''))
  const removed = (name: string) => became?.includes(name) && !was?.includes(name)
  const back = was?.filter((name) => !became?.includes(name) && !is?.includes(name)) ?? []
  const names = [...(is?.filter((name) => !removed(name)) ?? []), ...back]
  return takenBackOrder({ before: was, after: became }, names, is ?? []).join('')
}

describe('the order of a list after a promotion is taken back', () => {
  const cases: Readonly<Record<string, readonly [before: string, after: string, present: string, back: string]>> = {
    'is the former one': ['abc', 'cba', 'cba', 'abc'],
    'is the former one beside items of others': ['abc', 'cba', 'xcbya', 'xabyc'],
    'is that of others, who have changed it since': ['abc', 'cba', 'bca', 'bca'],
    'has what comes back behind what it was behind': ['abcd', 'ad', 'axd', 'abcxd'],
    'begins with what was first': ['abc', 'bc', 'xbc', 'axbc'],
    'is the present one without what goes': ['ac', 'abc', 'abxc', 'axc'],
    'is not changed where the promotion did not': ['abc', 'ab', 'ba', 'bca'],
  }
  for (const [title, [before, after, present, back]] of Object.entries(cases))
    it(`N11: ${title}`, () => expect(ordered(before, after, present)).to.equal(back))
})

const X = ['1', '2'].map((value) => ({ name: 'X', value }))

describe('the laws of changes that are taken back', () => {
  const aName = fc.constantFrom('a', 'b', 'c', 'd')
  const aVariable = fc.record({ name: aName, value: fc.constantFrom('1', '2', '3') })
  const aList = fc.uniqueArray(aVariable, { selector: ({ name }) => name, minLength: 1, maxLength: 4 })
  const aContainer = fc.record(
    {
      name: aName,
      image: fc.constantFrom('i:1', 'i:2', 'i:3'),
      env: fc.array(aVariable, { minLength: 1, maxLength: 4 }),
      resources: fc.record({ limits: fc.dictionary(fc.constantFrom('cpu', 'memory'), fc.constantFrom('1', '2')) }),
      args: fc.array(aName, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['name', 'image'], noNullPrototype: true },
  )
  const aSpec = fc
    .uniqueArray(aContainer, { selector: ({ name }) => name, minLength: 1, maxLength: 4 })
    .map((containers) => podWith(...(containers as unknown as readonly JsonObject[])))

  it('N11: are all that differ, where nobody has changed anything since', () =>
    fc.assert(
      fc.property(aSpec, aSpec, (before, after) => {
        expect(undone({ before, after, now: after }).spec).to.deep.equal(before)
        expect(undone({ before, after, now: before }).spec).to.deep.equal(before)
      }),
      LAW,
    ))

  it('N11: are all that differ, where others have only added a name twice to the same list', () =>
    fc.assert(
      fc.property(aList, aList, fc.nat(4), (before, after, index) => {
        const now = cart({ env: [...after.slice(0, index), ...X, ...after.slice(index)] })
        const { spec, left } = undone({ before: cart({ env: before }), after: cart({ env: after }), now })
        const isOfOthers = (variable: unknown) => at(variable, 'name') === 'X'
        const variables = listOr(at(listOr(at(spec, 'template', 'spec', 'containers'))[0], 'env'))
        expect(variables.filter(isOfOthers)).to.deep.equal(X)
        expect(variables.filter((each) => !isOfOthers(each))).to.deep.equal(before)
        expect(left).to.deep.equal([])
      }),
      LAW,
    ))

  it('N11: are taken back once: what is left then has nothing of the change, or was left before', () =>
    fc.assert(
      fc.property(aSpec, aSpec, aSpec, (before, after, now) => {
        const once = undone({ before, after, now })
        expect(undone({ before, after, now: once.spec }).spec).to.deep.equal(once.spec)
      }),
      LAW,
    ))
})
