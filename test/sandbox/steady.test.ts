import { expect } from 'chai'
import { CR_NAME, IS_EXPERIMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { askedServices, RATE } from '../../sandbox/traffic/steady.ts'
import { toldAnswers } from '../../sandbox/traffic/told.ts'

const aService = (name: string, spec: object = {}, rate?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop', ...(rate !== undefined && { annotations: { [RATE]: rate } }) },
  spec: { clusterIP: '198.19.0.9', selector: { app: 'cart' }, ports: [{ port: 80 }], ...spec },
})

const aBlueGreen = (previewService: string, of?: string): KubeObject => ({
  apiVersion: 'experimentcontroller.example.com/v1alpha1',
  kind: 'ExperimentDeployment',
  metadata: { name: 'green-cart', namespace: of === undefined ? 'shop' : 'team' },
  spec: {
    sourceRef: { kind: 'Deployment', name: 'cart', ...(of !== undefined && { namespace: of }) },
    strategy: { blueGreen: { activeService: 'cart', previewService } },
  },
})

const aPod = (podIP: string, image: string, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `pod-${podIP}`, namespace: 'shop', labels },
  spec: { containers: [{ name: 'cart', image }] },
  status: { podIP },
})

describe('the requests of a sandbox', () => {
  it('N28: go to every Service that chooses pods and has an address', () => {
    const services = [
      aService('cart'),
      aService('headless', { clusterIP: 'None' }),
      aService('outside', { clusterIP: undefined, selector: undefined, type: 'ExternalName' }),
      aService('kubernetes', { selector: undefined }),
    ]
    expect(askedServices(services, [])).to.deep.equal([{ namespace: 'shop', service: 'cart', rate: 50 }])
  })

  it('N28: do not go to the preview of a blue-green, also of an experiment in another namespace', () => {
    const services = [aService('cart'), aService('cart-preview')]
    for (const namespace of [undefined, 'shop']) {
      const asked = askedServices(services, [aBlueGreen('cart-preview', namespace)])
      expect(asked.map(({ service }) => service)).to.deep.equal(['cart'])
    }
    expect(askedServices(services, [aBlueGreen('other-preview')])).to.have.lengthOf(2)
  })

  it('N28: are as many as the Service says, which may also be a preview', () => {
    const rateOf = (rate: string) => {
      const [asked] = askedServices([aService('cart-preview', {}, rate)], [aBlueGreen('cart-preview')])
      return asked?.mistake ?? asked?.rate
    }
    expect(rateOf('7')).to.equal(7)
    expect(rateOf('200')).to.equal(200)
    expect(rateOf('0')).to.equal(undefined)
    for (const wrong of ['201', '-1', 'many', '', '1.5'])
      expect(rateOf(wrong)).to.equal(`the annotation ${RATE} must be a number from 0 to 200, found "${wrong}"`)
  })

  it('N28: are told by the version that answered, the most first', () => {
    const fork = { [IS_EXPERIMENT]: 'true', [CR_NAME]: 'next-cart' }
    const pods = [aPod('a', 'cart:1'), aPod('b', 'cart:1'), aPod('c', 'cart:2', fork), aPod('d', 'cart:1')]
    const byPod = { c: 70, a: 40, b: 41, e: 1 }
    expect(toldAnswers({ byPod, failures: { 'HTTP 500': 3 } }, pods)).to.deep.equal([
      '    81  cart:1, 2 pods',
      '    70  cart:2 of the experiment next-cart, 1 pod',
      '     1  pods that are gone, 1 pod',
      '     3  failed: HTTP 500',
    ])
  })
})
