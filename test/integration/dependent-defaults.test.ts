import { expect } from 'chai'
import { at, type JsonObject, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { pullPolicy } from '../../common/override/defaulted.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { contentOf } from '../faults/sequences/wanted.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'
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

/** References with and without a tag, and texts that are none. */
const REFERENCES = [
  ...['a', 'a:1', 'a:latest', 'r.example:5000/a', 'r.example:5000/a:1', 'r.example/a/b:latest', 'localhost/a'],
  ...[`a@sha256:${'a'.repeat(64)}`, `a:latest@sha256:${'a'.repeat(64)}`, `a:1@sha512:${'a'.repeat(128)}`],
  ...['é', 'A', 'r.example/A', 'R/a', 'a b', 'a:', 'a:latest@', 'a//b', 'a:latest ', 'https://r.example/a', ':latest'],
  ...['a:latest@sha256:abc', `a:latest@md5:${'a'.repeat(64)}`, `a:latest@sha256:${'A'.repeat(64)}`],
  ...['a'.repeat(64), 'a'.repeat(63), `r.example/${'a'.repeat(255)}`, `r.example/${'a'.repeat(256)}`],
  `${'a'.repeat(49)}.`.repeat(5).concat(`abc:65535/${'a'.repeat(255)}:latest@sha512:${'a'.repeat(128)}`),
  `${'a'.repeat(49)}.`.repeat(5).concat(`abc:65535/${'a'.repeat(255)}`),
]

describe('the pull policy of an image, on the real control plane', () => {
  const plane = usesControlPlane()
  const wanted = REFERENCES.map(pullPolicy)

  /** The policies of `list` in a pod with all references, as the API server stores it. */
  async function stored(list: string, ...where: string[]) {
    const { api } = plane()
    const template = { metadata: { labels: { app: 'cart' } }, spec: podOf(REFERENCES) }
    const spec = { selector: { matchLabels: { app: 'cart' } }, template }
    const path = `${resourcePath(WORKLOAD_KINDS.Deployment, { namespace: await aNamespace() })}?dryRun=All`
    const object = await api.create(path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec })
    return listOr(at(object, 'spec', 'template', 'spec', list)).map((item) => at(item, ...where))
  }

  it('is the one that the API server gives to a container', async () =>
    expect(await stored('containers', 'imagePullPolicy')).to.deep.equal(wanted))

  it('is the one that the API server gives to a volume', async () =>
    expect(await stored('volumes', 'image', 'pullPolicy')).to.deep.equal(wanted))
})

/** A pod with a container and a volume for each image. */
const podOf = (references: readonly string[]) => ({
  containers: references.map((image, index) => ({ name: `c${index}`, image })),
  volumes: references.map((reference, index) => ({ name: `v${index}`, image: { reference } })),
})

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
