import { expect } from 'chai'
import { identityOf, isSameKey, keyValues, type ListKey, NO_SHAPE, unionsOf } from '../../../common/override/shape.ts'

const NAME: readonly ListKey[] = [{ key: 'name' }]
const PORT: readonly ListKey[] = [{ key: 'containerPort' }, { key: 'protocol', fallback: 'TCP' }]

describe('NO_SHAPE', () => {
  it('leads to itself at every step, and has no keys and no unions', () => {
    expect(NO_SHAPE.member('any')).to.equal(NO_SHAPE)
    expect(NO_SHAPE.items()).to.equal(NO_SHAPE)
    expect([NO_SHAPE.keys, NO_SHAPE.unions]).to.deep.equal([[], []])
  })
})

describe('keyValues', () => {
  it('gives the value of each key, its default, or undefined', () => {
    expect(keyValues({ containerPort: 80 }, PORT)).to.deep.equal([80, 'TCP'])
    expect(keyValues({ protocol: 'UDP' }, PORT)).to.deep.equal([undefined, 'UDP'])
    expect(keyValues(null, NAME)).to.deep.equal([undefined])
  })

  it('N10: gives the default for an empty text, as the API server does', () => {
    expect(keyValues({ containerPort: 80, protocol: '' }, PORT)).to.deep.equal([80, 'TCP'])
    expect(isSameKey({ containerPort: 80, protocol: '' }, { containerPort: 80, protocol: 'TCP' }, PORT)).to.equal(true)
    expect(keyValues({ name: '' }, NAME)).to.deep.equal([''])
  })
})

describe('identityOf', () => {
  const cases: Record<string, readonly [item: unknown, keys: readonly ListKey[], identity: unknown]> = {
    'is the value of a single key': [{ name: 'a' }, NAME, 'a'],
    'keeps a number a number': [{ name: 1 }, NAME, 1],
    'is a text for several keys': [{ containerPort: 80, protocol: 'UDP' }, PORT, '[80,"UDP"]'],
    'includes the default of a key that is left out': [{ containerPort: 80 }, PORT, '[80,"TCP"]'],
    'is undefined if a key is missing': [{ protocol: 'UDP' }, PORT, undefined],
    'is undefined if a value is null': [{ name: null }, NAME, undefined],
    'is undefined if a value is an object': [{ name: {} }, NAME, undefined],
    'is undefined for an inherited member': [{}, [{ key: 'constructor' }], undefined],
    'is undefined for an item that is not an object': ['a', NAME, undefined],
  }
  for (const [sentence, [item, keys, identity]] of Object.entries(cases))
    it(sentence, () => expect(identityOf(item, keys)).to.equal(identity))
})

describe('isSameKey', () => {
  const cases: Record<string, readonly [one: unknown, other: unknown, keys: readonly ListKey[], isSame: boolean]> = {
    'is true for equal keys': [{ name: 'a', x: 1 }, { name: 'a', x: 2 }, NAME, true],
    'is false for different keys': [{ name: 'a' }, { name: 'b' }, NAME, false],
    'is true for a default and the same value': [
      { containerPort: 80 },
      { containerPort: 80, protocol: 'TCP' },
      PORT,
      true,
    ],
    'is false if one of several keys differs': [
      { containerPort: 80 },
      { containerPort: 80, protocol: 'UDP' },
      PORT,
      false,
    ],
    'is false if both items lack the key': [{}, {}, NAME, false],
    'is false if both values are null': [{ name: null }, { name: null }, NAME, false],
    'is false for one object that both items have': [{ name: NAME }, { name: NAME }, NAME, false],
    'is false for a number and the text of it': [{ name: 1 }, { name: '1' }, NAME, false],
  }
  for (const [sentence, [one, other, keys, isSame]] of Object.entries(cases))
    it(sentence, () => expect(isSameKey(one, other, keys)).to.equal(isSame))
})

const cases: Record<string, readonly [properties: readonly string[], expected: readonly unknown[]]> = {
  'knows the two ways to set a variable': [
    ['name', 'value', 'valueFrom'],
    [{ is: 'oneOf', members: ['value', 'valueFrom'] }],
  ],
  'knows the sources of a variable': [
    ['configMapKeyRef', 'fieldRef', 'secretKeyRef'],
    [{ is: 'oneOf', members: ['configMapKeyRef', 'fieldRef', 'secretKeyRef'] }],
  ],
  'knows the sources of a volume, including those of later versions': [
    ['emptyDir', 'hostPath', 'name', 'persistentVolumeClaim', 'ofALaterVersion'],
    [{ is: 'oneOf', members: ['emptyDir', 'hostPath', 'persistentVolumeClaim', 'ofALaterVersion'] }],
  ],
  'knows the handlers of a probe, but not its numbers': [
    ['exec', 'grpc', 'httpGet', 'periodSeconds', 'tcpSocket'],
    [{ is: 'oneOf', members: ['exec', 'grpc', 'httpGet', 'tcpSocket'] }],
  ],
  'knows the handlers of a lifecycle hook': [
    ['exec', 'httpGet', 'sleep', 'tcpSocket'],
    [{ is: 'oneOf', members: ['exec', 'httpGet', 'sleep', 'tcpSocket'] }],
  ],
  'knows the two references of a resource claim': [
    ['name', 'resourceClaimName', 'resourceClaimTemplateName'],
    [{ is: 'oneOf', members: ['resourceClaimName', 'resourceClaimTemplateName'] }],
  ],
  'knows the member that needs one type of strategy': [
    ['rollingUpdate', 'type'],
    [{ is: 'byType', member: 'rollingUpdate', type: 'RollingUpdate' }],
  ],
  'knows the member that needs one type of security profile': [
    ['localhostProfile', 'type'],
    [{ is: 'byType', member: 'localhostProfile', type: 'Localhost' }],
  ],
  'finds no union if only one of its members is there': [['name', 'value', 'type', 'exec', 'emptyDir'], []],
}

describe('unionsOf', () => {
  for (const [sentence, [properties, expected]] of Object.entries(cases))
    it(sentence, () => expect(unionsOf(properties)).to.deep.equal(expected))
})
