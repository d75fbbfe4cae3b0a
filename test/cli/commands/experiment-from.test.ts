import { expect } from 'chai'
import { experimentFrom, type Wanted } from '../../../cli/commands/experiment-from.ts'
import { Stop } from '../../../cli/process/stop.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment } from '../../builders.ts'

const one = { kind: deployment, source: { object: aDeployment(), referents: [] } }
const two = {
  kind: deployment,
  source: {
    object: aDeployment({
      pod: { containers: [{ name: 'cart' }, { name: 'proxy' }], initContainers: [{ name: 'warm' }] },
    }),
    referents: [],
  },
}
const made = (wanted: Partial<Wanted>, on = one) =>
  experimentFrom({ namespace: 'shop', images: [], env: [], ...wanted }, on)
const refusal = (wanted: Partial<Wanted>, on = one): Stop => {
  try {
    made(wanted, on)
  } catch (error) {
    if (error instanceof Stop) return error
  }
  throw new Error('nothing was refused')
}

describe('the experiment that flags describe', () => {
  it('has the smallest override', () =>
    expect(
      made({
        images: [{ image: 'example/cart:2.0.0-rc1' }],
        env: [
          { container: 'cart', name: 'FLAG', value: 'on' },
          { name: 'LOG', value: 'a=b' },
        ],
        ...{ replicas: 2, ttlSeconds: 7_200, steps: [{ setWeight: 10 }, { pause: {} }] },
        templates: [{ name: 'http', scope: 'Cluster' }],
      }),
    ).to.deep.equal({
      apiVersion: 'experimentcontroller.example.com/v1alpha1',
      kind: 'ExperimentDeployment',
      metadata: { name: 'cart-2-0-0-rc1', namespace: 'shop' },
      spec: {
        sourceRef: { kind: 'Deployment', name: 'cart' },
        replicas: 2,
        overrideType: 'Strategic',
        overrideSpec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'cart',
                  image: 'example/cart:2.0.0-rc1',
                  env: [
                    { name: 'FLAG', value: 'on' },
                    { name: 'LOG', value: 'a=b' },
                  ],
                },
              ],
            },
          },
        },
        ttlSeconds: 7_200,
        strategy: { canary: { steps: [{ setWeight: 10 }, { pause: {} }] } },
        analysis: { templates: [{ name: 'http', scope: 'Cluster' }] },
      },
    }))

  it('has an empty override, and asks about restarts, where nothing else is said', () =>
    expect(made({ templates: [] }).spec).to.deep.equal({
      sourceRef: { kind: 'Deployment', name: 'cart' },
      overrideType: 'Strategic',
      overrideSpec: {},
      analysis: {},
    }))

  it('changes each container where it is', () =>
    expect(
      made(
        {
          images: [
            { container: 'warm', image: 'w:1' },
            { container: 'proxy', image: 'p:1' },
          ],
        },
        two,
      ).spec.overrideSpec,
    ).to.deep.equal({
      template: {
        spec: { initContainers: [{ name: 'warm', image: 'w:1' }], containers: [{ name: 'proxy', image: 'p:1' }] },
      },
    }))

  it('refuses a flag that could mean several containers, and lists them', () => {
    const { exitCode, message, remedy } = refusal({ images: [{ image: 'cart:2' }] }, two)
    expect({ exitCode, message, remedy }).to.deep.equal({
      exitCode: 2,
      message: '--image cart:2: the source has 2 containers',
      remedy: 'Name one of warm, cart, proxy.',
    })
  })

  it('refuses a container that the source does not have', () =>
    expect(refusal({ env: [{ container: 'crat', name: 'A', value: '1' }] }).message).to.equal(
      '--env crat:A: the source has no container "crat"',
    ))

  const names: readonly (readonly [images: readonly string[], name: string])[] = [
    [[], 'cart-experiment'],
    [['registry.example:5000/cart'], 'cart-latest'],
    [['cart:V2_0+x'], 'cart-experiment'],
    [['cart:V2_0.x'], 'cart-v2-0-x'],
    [[`cart@sha256:${'0'.repeat(64)}`], 'cart-experiment'],
    [[`cart:${'a'.repeat(57)}.b`], `cart-${'a'.repeat(57)}`],
    [['cart:3', 'cart:4'], 'cart-3'],
  ]
  for (const [images, name] of names)
    it(`is called ${name} with ${images.join(', ') || 'no image'}`, () =>
      expect(made({ images: images.map((image) => ({ image })) }).metadata.name).to.equal(name))

  it('has the name that is asked for', () => expect(made({ name: 'mine' }).metadata.name).to.equal('mine'))
})
