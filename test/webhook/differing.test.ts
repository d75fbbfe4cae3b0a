import { expect } from 'chai'
import { type JsonObject, objectOr } from '../../common/api/object.ts'
import { changesBetween } from '../../common/workload/changes.ts'
import { differences } from '../../webhook/comparison.ts'
import { aDeployment, POD } from '../builders.ts'

type Of = Parameters<typeof aDeployment>[0]

const told = (from: Of, to: Of): readonly string[] =>
  differences(changesBetween(aDeployment(from).spec, objectOr(aDeployment(to).spec), POD)).map(({ text }) => text)
const containers = (...items: JsonObject[]): Of => ({ pod: { containers: items } })
const cart = { name: 'cart', image: 'example/cart:1' }

describe('what is shown of a difference', () => {
  it('is the image of what came or went, before what is only named', () => {
    const from = { ...containers(cart), podAnnotations: { a: 'x' } }
    const to = { ...containers(cart, { name: 'proxy', image: 'example/proxy:1' }), podAnnotations: { a: 'y' } }
    expect(told(from, to)).to.deep.equal([
      'containers[proxy]: none -> example/proxy:1',
      'template.metadata.annotations.a: changed',
    ])
    expect(told(to, from)[0]).to.equal('containers[proxy]: example/proxy:1 -> none')
  })

  it('comes before what is only named, also where that came', () =>
    expect(told({}, { container: { args: ['x'], resources: { limits: { cpu: '1' } } } })).to.deep.equal([
      'containers[cart].resources.limits.cpu: none -> 1',
      'containers[cart].args[0]: added',
    ]))

  it('is nothing of an image further down in what came: it is the image of something else', () => {
    const volumes = (...items: JsonObject[]): Of => ({ pod: { volumes: items } })
    expect(told(volumes(), volumes({ name: 'data', rbd: { image: 'hidden' } }))).to.deep.equal(['volumes[data]: added'])
  })

  it('is none where there was an empty object, or is one', () => {
    const resources = (limits: JsonObject): Of => ({ container: { resources: { limits } } })
    expect(told(resources({}), resources({ cpu: '1' }))).to.deep.equal([
      'containers[cart].resources.limits.cpu: none -> 1',
    ])
    expect(told(resources({ cpu: {} }), resources({ cpu: '1' }))).to.deep.equal([
      'containers[cart].resources.limits.cpu: none -> 1',
    ])
  })

  it('is the whole way to what is in no pod', () => {
    const strategy = (spec: JsonObject): Of => ({ spec: { other: { spec } } })
    expect(told(strategy({ a: 1 }), strategy({ a: 2 }))).to.deep.equal(['other.spec.a: changed'])
    expect(told({ template: { spec: 1 } }, { template: { spec: 2 } })).to.deep.equal(['template.spec: changed'])
  })
})
