import { expect } from 'chai'
import { MAX_WARNING } from '../../../common/api/conditions.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import { changesBetween } from '../../../common/override/changes.ts'
import { differenceRows, differences, valueTexts } from '../../../common/override/differences.ts'
import { fitted } from '../../../common/text/fitted.ts'
import { aDeployment, POD } from '../../builders.ts'

type Of = Parameters<typeof aDeployment>[0]

const textsOf = (from: Of, to: Of): readonly string[] =>
  differences(changesBetween(aDeployment(from).spec, objectOr(aDeployment(to).spec), POD)).map((parts) =>
    fitted(MAX_WARNING, parts),
  )

describe('the differences of two forks', () => {
  it('show images, resources and replicas, before what is only named', () => {
    expect(
      textsOf(
        { image: 'a:1', spec: { replicas: 1 }, container: { args: ['a'] } },
        { image: 'a:2', spec: { replicas: 2 }, container: { args: ['b'], resources: { limits: { cpu: '1' } } } },
      ),
    ).to.deep.equal([
      'replicas: 1 -> 2',
      'containers[cart].image: a:1 -> a:2',
      'containers[cart].resources.limits.cpu: none -> 1',
      'containers[cart].args[0]: changed',
    ])
  })

  it('are rows with verb, leaves and what may be shown', () => {
    const digest = `@sha256:${'0'.repeat(64)}`
    const found = differenceRows(
      changesBetween(
        aDeployment({ image: `a:1${digest}`, container: { env: [{ name: 'OLD', value: 'secret' }] } }).spec,
        aDeployment({ image: `a:2${digest}`, container: { env: [{ name: 'NEW', value: 'secret' }] } }).spec,
        POD,
      ),
    )
    expect(found.map(({ name, verb, changes }) => [name, verb, changes.length])).to.deep.equal([
      ['containers[cart].image', 'changed', 1],
      ['containers[cart].env[NEW]', 'added', 2],
      ['containers[cart].env[OLD]', 'removed', 2],
    ])
    const short = `@sha256:${'0'.repeat(12)}`
    expect(found.map(({ shown }) => shown && valueTexts(shown))).to.deep.equal([
      { before: `a:1${short}`, after: `a:2${short}` },
      undefined,
      undefined,
    ])
  })

  it('have whole digests only where the short ones are the same, and no value where there is none', () => {
    const [one, other] = [`a@sha256:${'0'.repeat(64)}`, `a@sha256:${'0'.repeat(63)}1`]
    expect(valueTexts({ path: [], before: one, after: other })).to.deep.equal({ before: one, after: other })
    expect(valueTexts({ path: [], before: undefined, after: 1 })).to.deep.equal({ before: undefined, after: '1' })
  })

  it('never show other values', () => {
    const env = (value: string) => ({ container: { env: [{ name: 'A', value }] } })
    expect(textsOf(env('old-secret'), env('new-secret'))).to.deep.equal(['containers[cart].env[A].value: changed'])
  })

  const hidden: Record<string, readonly [from: Of, to: Of, text: string]> = {
    'of an annotation called image': [
      { podAnnotations: { image: 'old-secret' } },
      { podAnnotations: { image: 'new-secret' } },
      'template.metadata.annotations.image: changed',
    ],
    'of an annotation called replicas': [
      { podAnnotations: { replicas: 'old-secret' } },
      {},
      'template.metadata.annotations.replicas: removed',
    ],
    'of a label called resources': [
      { podLabels: { resources: 'old-secret' } },
      { podLabels: { resources: 'new-secret' } },
      'template.metadata.labels.resources: changed',
    ],
    'below a key called resources outside of containers': [
      { pod: { volumes: [{ name: 'v', csi: { volumeAttributes: { resources: 'old-secret', image: 'a' } } }] } },
      { pod: { volumes: [{ name: 'v', csi: { volumeAttributes: { resources: 'new-secret', image: 'a' } } }] } },
      'volumes[v].csi.volumeAttributes.resources: changed',
    ],
    'of a key called image below a container': [
      { container: { extension: { image: 'old-secret' } } },
      { container: { extension: { image: 'new-secret' } } },
      'containers[cart].extension.image: changed',
    ],
    'called image of a removed item that is no container': [
      { container: { env: [{ name: 'A', image: 'old-secret' }] } },
      { container: { env: [] } },
      'containers[cart].env[A]: removed',
    ],
  }
  for (const [sentence, [from, to, text]] of Object.entries(hidden))
    it(`never show a value ${sentence}`, () => expect(textsOf(from, to)).to.deep.equal([text]))

  const shown: Record<string, readonly [from: Of, to: Of, text: string]> = {
    'the image of an init container': [
      { pod: { initContainers: [{ name: 'a', image: 'a:1' }] } },
      { pod: { initContainers: [{ name: 'a', image: 'a:2' }] } },
      'initContainers[a].image: a:1 -> a:2',
    ],
    'the image of an added container': [
      {},
      { pod: { initContainers: [{ name: 'a', image: 'a:2' }] } },
      'initContainers[a]: none -> a:2',
    ],
    'the image of a volume': [
      { pod: { volumes: [{ name: 'v', image: { reference: 'a:1' } }] } },
      { pod: { volumes: [{ name: 'v', image: { reference: 'a:2' } }] } },
      'volumes[v].image.reference: a:1 -> a:2',
    ],
    'the resources of the whole pod': [
      {},
      { pod: { resources: { limits: { cpu: '1' } } } },
      'resources.limits.cpu: none -> 1',
    ],
    'the storage of a claim': [
      { spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '1Gi' } } } }] } },
      { spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '2Gi' } } } }] } },
      'volumeClaimTemplates[0].spec.resources.requests.storage: 1Gi -> 2Gi',
    ],
  }
  for (const [sentence, [from, to, text]] of Object.entries(shown))
    it(`show ${sentence}`, () => expect(textsOf(from, to)).to.deep.equal([text]))

  it('name an added or removed item once', () => {
    const env = (name: string) => ({ container: { env: [{ name, value: 'x', more: 1 }] } })
    expect(textsOf(env('A'), env('B'))).to.deep.equal([
      'containers[cart].env[B]: added',
      'containers[cart].env[A]: removed',
    ])
  })

  it('M12: tell two ports of one number apart', () => {
    const ports = (...protocols: string[]): Of => ({
      container: { ports: protocols.map((protocol) => ({ containerPort: 53, protocol })) },
    })
    expect(textsOf(ports('TCP'), ports('UDP'))).to.deep.equal([
      'containers[cart].ports[53/UDP]: added',
      'containers[cart].ports[53]: removed',
    ])
  })

  it('M12: say that a variable is moved, because $(VAR) refers to earlier ones only', () => {
    const env = (...names: string[]): Of => ({ container: { env: names.map((name) => ({ name, value: 'x' })) } })
    expect(textsOf(env('A', 'B'), env('B', 'A'))).to.deep.equal(['containers[cart].env[B]: moved'])
  })

  it('say whether a field was set or removed', () => {
    expect(textsOf({}, { pod: { hostNetwork: true } })).to.deep.equal(['hostNetwork: set'])
    expect(textsOf({ podAnnotations: { 'a.b/c': 'd' } }, {})).to.deep.equal([
      'template.metadata.annotations["a.b/c"]: removed',
    ])
  })

  it('are none between equals', () => expect(textsOf({}, {})).to.deep.equal([]))
})

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
