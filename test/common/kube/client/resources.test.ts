import { expect } from 'chai'
import fc from 'fast-check'
import { type PathOptions, parsePath, RESOURCES, resourcePath } from '../../../../common/kube/client/resources.ts'
import '../../../property.ts'

const paths: Record<string, { place?: PathOptions; path: string }> = {
  'a kind in all namespaces': { path: '/apis/apps/v1/deployments' },
  'a kind in one namespace': { place: { namespace: 'shop' }, path: '/apis/apps/v1/namespaces/shop/deployments' },
  'an object': {
    place: { namespace: 'shop', name: 'cart' },
    path: '/apis/apps/v1/namespaces/shop/deployments/cart',
  },
  'a subresource': {
    place: { namespace: 'shop', name: 'cart', subresource: 'status' },
    path: '/apis/apps/v1/namespaces/shop/deployments/cart/status',
  },
  'a name with strange characters': {
    place: { namespace: 'shop', name: 'a/../b?c#d' },
    path: '/apis/apps/v1/namespaces/shop/deployments/a%2F..%2Fb%3Fc%23d',
  },
}

describe('pathOf', () => {
  for (const [what, { place, path }] of Object.entries(paths))
    it(`writes ${what}`, () => {
      expect(resourcePath(RESOURCES.Deployment, place)).to.equal(path)
    })

  it('writes the core group without a group', () => {
    expect(resourcePath(RESOURCES.Service, { namespace: 'shop' })).to.equal('/api/v1/namespaces/shop/services')
  })

  for (const segment of ['', '.', '..'])
    it(`throws for ${JSON.stringify(segment)}, which would address something else`, () => {
      expect(() => resourcePath(RESOURCES.Deployment, { namespace: 'shop', name: segment })).to.throw(RangeError)
      expect(() => resourcePath(RESOURCES.Deployment, { namespace: segment, name: 'cart' })).to.throw(RangeError)
    })

  it('is reversed by parsePath for any name', () => {
    const segment = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text !== '.' && text !== '..')
    fc.assert(
      fc.property(segment, segment, (namespace, name) => {
        const path = resourcePath(RESOURCES.Deployment, { namespace, name })
        expect(parsePath(path)).to.deep.equal({ group: 'apps', version: 'v1', plural: 'deployments', name })
      }),
    )
  })
})

describe('parsePath', () => {
  it('reads the paths of Namespaces themselves', () => {
    expect(parsePath('/api/v1/namespaces')).to.deep.equal({ group: '', version: 'v1', plural: 'namespaces' })
    expect(parsePath('/api/v1/namespaces/shop')).to.deep.include({ plural: 'namespaces', name: 'shop' })
  })

  for (const path of ['/apis', '/openapi/v3', '/apis/apps', '/apis/apps/v1', '/version', '/'])
    it(`returns undefined for ${path}`, () => {
      expect(parsePath(path)).to.equal(undefined)
    })
})
