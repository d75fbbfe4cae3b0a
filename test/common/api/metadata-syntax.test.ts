import { expect } from 'chai'
import {
  annotationKeyProblem,
  annotationsProblem,
  isDnsLabel,
  isSubdomain,
  labelKeyProblem,
  labelValueProblem,
} from '../../../common/api/metadata-syntax.ts'

const PREFIX_63 = `${'a'.repeat(63)}.`

describe('the syntax of DNS names', () => {
  it('has labels of lowercase letters, digits and hyphens', () => {
    const labels = ['a', '9', 'a-b', 'a--b', 'a'.repeat(63)]
    const others = ['', '-', 'a-', '-a', 'A', 'a.b', 'a_b', '..', 'a/b', 'a\n', 'a'.repeat(64)]
    expect([...labels, ...others].filter(isDnsLabel)).to.deep.equal(labels)
  })

  it('has names of such parts', () => {
    const names = ['a', 'a.b', PREFIX_63.repeat(3).slice(0, -1)]
    const others = ['', '.', 'a.', 'a..b', 'a.-b', 'A.b', 'a'.repeat(254)]
    expect([...names, ...others].filter(isSubdomain)).to.deep.equal(names)
  })
})

describe('the syntax of labels and annotations', () => {
  const goodKeys = [
    'a',
    'app.kubernetes.io/name',
    'A_b-c.9',
    'a'.repeat(63),
    `${PREFIX_63.repeat(3)}${'a'.repeat(61)}/x`,
  ]
  for (const key of goodKeys)
    it(`accepts the key ${key.slice(0, 40)}`, () => expect(labelKeyProblem(key)).to.equal(undefined))

  const badKeys = ['', '-a', 'a-', 'a b', 'ä', 'a/b/c', '/a', 'a/', 'UPPER/x', 'a..b/x', 'a'.repeat(64), 'a\n']
  for (const key of [...badKeys, `${'a'.repeat(254)}/x`])
    it(`rejects the key ${JSON.stringify(key.slice(0, 40))}`, () => expect(labelKeyProblem(key)).to.be.a('string'))

  for (const value of ['', 'a', '1.9.4', 'x'.repeat(63)])
    it(`accepts the value ${JSON.stringify(value)}`, () => expect(labelValueProblem(value)).to.equal(undefined))
  for (const value of ['a b', '-a', 'a.', 'x'.repeat(64), 'x/y', 'a\n'])
    it(`rejects the value ${JSON.stringify(value)}`, () => expect(labelValueProblem(value)).to.be.a('string'))

  it('allows upper case before the slash of an annotation', () => {
    expect(annotationKeyProblem('Example.com/Key')).to.equal(undefined)
    expect(annotationKeyProblem('no good')).to.be.a('string')
  })

  it('limits the bytes of all keys and values of annotations together', () => {
    expect(annotationsProblem({ a: 'x'.repeat(256 * 1024 - 1) })).to.equal(undefined)
    expect(annotationsProblem({ a: 'ä'.repeat(128 * 1024) })).to.match(/^262145 bytes/)
  })
})
