import { expect } from 'chai'
import { MAX_WARNING } from '../../../common/api/conditions.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import { changesBetween } from '../../../common/override/changes.ts'
import { differences } from '../../../common/override/differences.ts'
import { fitted } from '../../../common/text/fitted.ts'
import { aDeployment, POD } from '../../builders.ts'

type Of = Parameters<typeof aDeployment>[0]

const textsOf = (from: Of, to: Of): readonly string[] =>
  differences(changesBetween(aDeployment(from).spec, objectOr(aDeployment(to).spec), POD)).map((parts) =>
    fitted(MAX_WARNING, parts),
  )
const containers = (...items: JsonObject[]): Of => ({ pod: { containers: items } })
const cart = { name: 'cart', image: 'example/cart:1' }

describe('the values that a difference shows', () => {
  it('are the image of an added or removed item, before what is only named', () => {
    const from = { ...containers(cart), podAnnotations: { a: 'x' } }
    const to = { ...containers(cart, { name: 'proxy', image: 'example/proxy:1' }), podAnnotations: { a: 'y' } }
    expect(textsOf(from, to)).to.deep.equal([
      'containers[proxy]: none -> example/proxy:1',
      'template.metadata.annotations.a: changed',
    ])
    expect(textsOf(to, from)[0]).to.equal('containers[proxy]: example/proxy:1 -> none')
  })

  it('come before what is only named, also where that was added', () =>
    expect(textsOf({}, { container: { args: ['x'], resources: { limits: { cpu: '1' } } } })).to.deep.equal([
      'containers[cart].resources.limits.cpu: none -> 1',
      'containers[cart].args[0]: added',
    ]))

  it('are not an image deeper in an added item, which is the image of something else', () => {
    const volumes = (...items: JsonObject[]): Of => ({ pod: { volumes: items } })
    expect(textsOf(volumes(), volumes({ name: 'data', rbd: { image: 'hidden' } }))).to.deep.equal([
      'volumes[data]: added',
    ])
  })

  it('are "none" for an empty object', () => {
    const resources = (limits: JsonObject): Of => ({ container: { resources: { limits } } })
    expect(textsOf(resources({}), resources({ cpu: '1' }))).to.deep.equal([
      'containers[cart].resources.limits.cpu: none -> 1',
    ])
    expect(textsOf(resources({ cpu: {} }), resources({ cpu: '1' }))).to.deep.equal([
      'containers[cart].resources.limits.cpu: none -> 1',
    ])
  })

  it('have the whole path outside of the pod', () => {
    const strategy = (spec: JsonObject): Of => ({ spec: { other: { spec } } })
    expect(textsOf(strategy({ a: 1 }), strategy({ a: 2 }))).to.deep.equal(['other.spec.a: changed'])
    expect(textsOf({ template: { spec: 1 } }, { template: { spec: 2 } })).to.deep.equal(['template.spec: changed'])
  })
})
