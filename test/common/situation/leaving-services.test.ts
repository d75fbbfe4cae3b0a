import { expect } from 'chai'
import { ABSENT, unknown } from '../../../common/api/known.ts'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject, UnreadView } from '../../../common/api/object.ts'
import { autoscaled, leavingServices } from '../../../common/situation/leaving-services.ts'
import { autoscalerView, type Neighbours, NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { type ServiceView, serviceView } from '../../../common/surroundings/traffic.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { someFacts, theFork } from '../plan/some-facts.ts'

const HASH = 'pod-template-hash'

/** Labels and ports of the one container of the pods, of source and override. */
interface Pods {
  readonly labels?: Readonly<Record<string, string | null>>
  readonly ports?: readonly string[]
}

const template = ({ labels, ports }: Pods) => ({
  ...(labels ? { metadata: { labels } } : {}),
  ...(ports
    ? {
        spec: {
          containers: [{ name: 'cart', ports: ports.map((name, index) => ({ name, containerPort: index + 1 })) }],
        },
      }
    : {}),
})

const SOURCE = aDeployment({
  spec: {
    selector: { matchLabels: { app: 'cart' } },
    template: template({ labels: { app: 'cart', tier: 'web' }, ports: ['http'] }),
  },
})

const service = (name: string, selector: Record<string, string>, ports?: readonly string[]): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'shop' } },
  spec: {
    selector,
    ...(ports ? { ports: ports.map((targetPort, port) => ({ name: `p${port}`, port, targetPort })) } : {}),
  },
})

const worldOf = (services: readonly ServiceView[], override: Pods, unread: readonly UnreadView[] = []) => {
  const experiment = anExperiment({ overrideSpec: { template: template(override) } })
  const facts = someFacts({ experiment, source: SOURCE, traffic: { services, slices: [], unread } })
  return { facts, fork: theFork({ experiment, source: SOURCE }) }
}

const viewsOf = (services: readonly KubeObject[]) => services.flatMap((each) => serviceView(each) ?? [])

/** The Services that leave the source of a fork with an override. */
const leaving = (services: readonly KubeObject[], override: Pods = {}) => {
  const { facts, fork } = worldOf(viewsOf(services), override)
  return leavingServices(facts, fork)?.map(({ name }) => name)
}

describe('what gets fewer pods when the source gets smaller', () => {
  it('is no Service that selects both, and none that selects neither', () => {
    expect(leaving([service('cart', { app: 'cart' }, ['http']), service('other', { app: 'other' })])).to.deep.equal([])
  })

  it('is a Service whose labels the override changes', () =>
    expect(
      leaving([service('web', { tier: 'web' }), service('cart', { app: 'cart' })], { labels: { tier: 'canary' } }),
    ).to.deep.equal(['service/web']))

  it('is a Service that selects one revision of the source by its hash', () =>
    expect(leaving([service('stable', { app: 'cart', [HASH]: '1f2e' })])).to.deep.equal(['service/stable']))

  it('is a port by name that no container of the fork has, unless the source lacks it, too', () => {
    const both = service('cart', { app: 'cart' }, ['http', 'metrics'])
    expect(leaving([both])).to.deep.equal([])
    expect(leaving([both], { ports: ['web'] })).to.deep.equal(['the port http of service/cart'])
  })

  it('is a Service of labels that pods get while they run, if only those of the source may get them', () => {
    const leader = service('leader', { app: 'cart', role: 'leader' })
    expect(leaving([leader])).to.deep.equal([])
    expect(leaving([leader], { labels: { app: 'canary' } })).to.deep.equal(['service/leader'])
  })

  it('is a Service that sends only to another experiment as it will be without that', () => {
    const pinned = (selector: Record<string, string>) => service('web', { ...selector, [EXPERIMENT_ID]: 'x' })
    expect(leaving([pinned({ tier: 'web' })])).to.deep.equal([])
    expect(leaving([pinned({ tier: 'web' })], { labels: { tier: 'canary' } })).to.deep.equal(['service/web'])
    expect(leaving([pinned({})])).to.deep.equal([])
  })

  it('is a Service of which it is not known whether it selects the source', () => {
    const view = { name: 'huge', selector: { app: 'cart' }, beyond: 'spec.selector has 70 entries, more than 64' }
    const unread = [
      { name: 'service/long', unread: 'it is too long' },
      { name: 'endpointslice/cart-x', unread: 'it is too long' },
    ]
    const { facts, fork } = worldOf([view, { ...view, name: 'other', selector: { app: 'other' } }], {}, unread)
    expect(leavingServices(facts, fork)).to.deep.equal([
      { name: 'service/huge (spec.selector has 70 entries, more than 64)' },
      { name: 'service/long (it is too long)' },
    ])
  })

  it('is the Service itself only where it selects all pods of the source now', () => {
    const services = [
      service('cart', { tier: 'web' }),
      service('leader', { app: 'cart', role: 'leader' }),
      service('taken', { tier: 'web', [EXPERIMENT_ID]: 'x' }),
    ]
    const { facts, fork } = worldOf(viewsOf(services), { labels: { app: 'canary', tier: 'canary' } })
    const found = leavingServices(facts, fork) ?? []
    expect(found.map(({ name }) => name)).to.deep.equal(['service/cart', 'service/leader', 'service/taken'])
    expect(found.map((each) => each.service?.name)).to.deep.equal(['cart', undefined, undefined])
  })

  it('is not known without a source, without a fork, and while the Services are not known', () => {
    const { facts, fork } = worldOf([], {})
    expect(leavingServices({ ...facts, source: ABSENT }, fork)).to.equal(undefined)
    expect(leavingServices(facts, undefined)).to.equal(undefined)
    const surroundings = { ...facts.surroundings, traffic: unknown('later') }
    expect(leavingServices({ ...facts, surroundings }, fork)).to.equal(undefined)
  })
})

describe('the autoscaler of a source', () => {
  const hpa = (name: string, target: string, labels = {}) =>
    autoscalerView({
      ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name, labels } },
      spec: { scaleTargetRef: { kind: 'Deployment', name: target }, maxReplicas: 9 },
    })
  const found = (neighbours: Partial<Neighbours> | undefined) =>
    autoscaled(someFacts({ neighbours: neighbours && { ...NO_NEIGHBOURS, ...neighbours } }), SOURCE)

  it('is the one that names it', () => {
    expect(found({ autoscalers: [hpa('other', 'other')] })).to.equal(undefined)
    expect(found({ autoscalers: [hpa('other', 'other'), hpa('carts', 'cart')] })).to.deep.equal({
      isUnknown: false,
      message: 'hpa/carts scales deployment/cart',
    })
  })

  it('may be made by KEDA, whose object then makes it again', () =>
    expect(
      found({ autoscalers: [hpa('keda-hpa-carts', 'cart', { 'scaledobject.keda.sh/name': 'carts' })] })?.message,
    ).to.equal("hpa/keda-hpa-carts of KEDA's scaledobject/carts scales deployment/cart"))

  it('is not known while autoscalers cannot be read, one of them is too large, or nobody may list them', () => {
    const message = (why: string) => `whether an autoscaler scales deployment/cart is not known (${why})`
    const hidden = { isUnknown: true, message: message('the autoscalers cannot be read') }
    expect(found(undefined)).to.deep.equal(hidden)
    expect(found({ areAutoscalersHidden: true })).to.deep.equal(hidden)
    expect(found({ unread: [{ name: 'pdb/x', unread: 'long' }] })).to.equal(undefined)
    expect(found({ unread: [{ name: 'hpa/x', unread: 'it is long' }] })?.message).to.equal(message('hpa/x: it is long'))
  })
})
