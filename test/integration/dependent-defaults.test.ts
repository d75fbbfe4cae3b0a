import { expect } from 'chai'
import type { JsonObject } from '../../common/json/json.ts'
import { contentOf } from '../faults/sequences/wanted.ts'
import { aSource, forkOf, usesProduct } from './product.ts'

const cart = (container: JsonObject): JsonObject => ({
  template: { spec: { containers: [{ name: 'cart', image: 'registry.example/cart:2', ...container }] } },
})
const volume = (of: JsonObject): JsonObject => ({ template: { spec: { volumes: [{ name: 'config', ...of }] } } })
const RECREATE = { strategy: { type: 'Recreate', rollingUpdate: null } }

/** Two overrides. What the API server fills in for the first is wrong for the second. */
const CHANGES: Readonly<Record<string, readonly [before: JsonObject, after: JsonObject]>> = {
  'the pull policy of a tagged image': [cart({}), cart({ image: 'cart' })],
  'the pull policy of an untagged image': [cart({ image: 'cart' }), cart({})],
  'the pull policy of an image volume': [
    volume({ image: { reference: 'files:1' } }),
    volume({ image: { reference: 'files' } }),
  ],
  'the empty directory of a volume without a source': [volume({}), volume({ configMap: { name: 'cart' } })],
  'the mode of the files of a volume': [volume({ configMap: { name: 'cart' } }), volume({ emptyDir: {} })],
  'the surge of a rolling update': [{ strategy: { type: 'RollingUpdate', rollingUpdate: null } }, RECREATE],
  'the surge of an empty rolling update': [{ strategy: { rollingUpdate: { maxSurge: null } } }, RECREATE],
  'the surge without a strategy': [{ strategy: null }, RECREATE],
  'the scheme of a probe': [
    cart({ livenessProbe: { httpGet: { port: 80 } } }),
    cart({ livenessProbe: { exec: { command: ['true'] } } }),
  ],
}

describe('a fork whose override changes, on the real control plane', () => {
  const place = usesProduct()
  before('there is a source', () => aSource(place(), 'cart'))

  const contentAt = async (name: string) =>
    contentOf((await place().deployment(forkOf(await place().reaches(name, 'ScaledToZero')))).spec)

  for (const [index, [name, [before, after]]] of Object.entries(CHANGES).entries())
    it(`does not keep ${name}: it is like one that was created so`, async () => {
      const [changed, fresh] = [`changed-${index}`, `fresh-${index}`]
      await place().experiment(changed, { source: 'cart', replicas: 0, overrideSpec: before })
      await contentAt(changed)
      const body = [{ op: 'replace', path: '/spec/overrideSpec', value: after }]
      await place().api.patch(place().path('experiments', changed), body, 'json')
      await place().experiment(fresh, { source: 'cart', replicas: 0, overrideSpec: after })
      expect(await contentAt(changed)).to.deep.equal(await contentAt(fresh))
    })
})
