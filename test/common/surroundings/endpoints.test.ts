import { expect } from 'chai'
import fc from 'fast-check'
import { readyEndpoints } from '../../../common/surroundings/endpoints.ts'
import { type Sender, sliceView } from '../../../common/surroundings/traffic.ts'
import { FORK } from '../../builders.ts'
import { slice } from './rows.ts'

const OTHER = 'cart-experiment-0123456789'
const [cart, till] = ['cart', 'till'].map((name) => ({ name })) as [Sender, Sender]
const names = ['cart-5c6b-1', 'cart-5c6b-2', `${FORK}-7d9f-1`, `${FORK}-0`, `${OTHER}-7d9f-1`]

describe('readyEndpoints', () => {
  it('counts the pods of each fork, and those of no experiment', () => {
    const slices = [slice('cart', ...names), slice('till', 'till-1')]
    const counted = { all: 5, others: 2, listedPods: 2 }
    expect(readyEndpoints(slices, cart, FORK)).to.deep.equal({ ...counted, ofFork: 2 })
    expect(readyEndpoints(slices, cart, OTHER)).to.deep.equal({ ...counted, ofFork: 1 })
    expect(readyEndpoints(slices, cart)).to.deep.equal({ ...counted, ofFork: 0 })
  })

  it('counts nothing for a Service without slices', () => {
    expect(readyEndpoints([slice('till', 'till-1')], cart)).to.deep.include({ all: 0, others: 0 })
  })

  it('counts a pod once, in however many slices it is', () =>
    fc.assert(
      fc.property(fc.array(fc.subarray(names)), (slices) => {
        const once = new Set(slices.flat())
        const given = slices.map((pods) => slice('cart', ...pods))
        const [of, ofOther] = [FORK, OTHER].map((fork) => readyEndpoints(given, cart, fork))
        expect([of?.all, Number(of?.others) + Number(of?.ofFork) + Number(ofOther?.ofFork)]).to.deep.equal([
          once.size,
          once.size,
        ])
      }),
    ))

  it('P4: counts every list as if it were the first, whatever was counted before', () => {
    const pool = fc.array(fc.tuple(fc.constantFrom('cart', 'till'), fc.subarray(names)), { minLength: 1, maxLength: 6 })
    const lists = fc.array(fc.array(fc.nat(5)), { maxLength: 12 })
    fc.assert(
      fc.property(pool, lists, (of, choices) => {
        const slices = of.map(([service, pods]) => slice(service, ...pods))
        for (const choice of choices) {
          const list = [...new Set(choice)].flatMap((index) => slices[index] ?? [])
          for (const service of [cart, till]) {
            const own = list.filter((each) => each.service === service.name)
            const all = new Set(own.flatMap(({ ready }) => ready.flatMap(({ pod }) => pod ?? [])))
            const ofFork = [...all].filter((pod) => pod.startsWith(FORK)).length
            const others = [...all].filter((pod) => pod.startsWith('cart-5c6b')).length
            expect(readyEndpoints(list, service, FORK)).to.deep.equal({
              ...{ all: all.size, ofFork, others, listedPods: others },
            })
          }
        }
      }),
    )
  })

  it('P4: reads a slice once, however many lists it is in and however often they are asked', () => {
    let reads = 0
    const counting = () => ({
      service: 'cart',
      get ready() {
        reads += 1
        return [{ address: 'a', pod: 'cart-1' }]
      },
    })
    let slices = Array.from({ length: 10 }, counting)
    for (let asked = 0; asked < 10; asked += 1) readyEndpoints(slices, cart)
    expect(reads).to.equal(10)
    for (let changed = 0; changed < 10; changed += 1) {
      slices = slices.with(changed, counting())
      readyEndpoints(slices, cart)
    }
    expect(reads).to.equal(30) // each change reads the slice that came and the one that went
  })

  describe('counts what requests reach', () => {
    interface Listed {
      readonly family?: string
      readonly ports?: readonly object[]
      readonly labels?: Readonly<Record<string, string>>
      /** addresses and the names of their pods; empty: of no pod */
      readonly pods: Readonly<Record<string, string>>
    }
    const sliceOf = ({ family = 'IPv4', ports = [{ name: '', port: 80, protocol: 'TCP' }], labels, pods }: Listed) => {
      const name = `cart-${Object.keys(pods).join('-')}`
      const endpoints = Object.entries(pods).map(([address, pod]) => ({
        addresses: [address],
        conditions: { ready: true },
        ...(pod ? { targetRef: { kind: 'Pod', name: pod, uid: `uid-of-${pod}` } } : {}),
      }))
      const metadata = { name, labels: { 'kubernetes.io/service-name': 'cart', ...labels } }
      const view = sliceView({ apiVersion: 'v1', kind: 'X', metadata, addressType: family, ports, endpoints })
      if (!view) throw new Error('no slice of cart')
      return view
    }
    const HONEST = { '10.0.0.1': 'cart-5c6b-1', '10.0.0.2': 'cart-5c6b-2', '10.0.0.9': `${FORK}-7d9f-1` }
    const COUNTED = { all: 3, ofFork: 1, others: 2, listedPods: 2 }
    const PHANTOMS = { '10.9.9.1': 'cart-5c6b-3', '10.9.9.2': 'cart-5c6b-4', '10.9.9.3': 'cart-5c6b-5' }

    const FORGED: Readonly<Record<string, Listed>> = {
      'of the other family': { family: 'IPv6', pods: { 'fd00::1': 'cart-5c6b-8', 'fd00::2': 'cart-5c6b-9' } },
      'of names': { family: 'FQDN', pods: { 'a.example.com': 'cart-5c6b-8' } },
      'of a port that the Service does not have': { ports: [{ name: 'x', port: 80 }], pods: PHANTOMS },
      'of another protocol': { ports: [{ name: '', port: 80, protocol: 'UDP' }], pods: PHANTOMS },
      'without ports': { ports: [], pods: PHANTOMS },
      'of a headless Service': { labels: { 'service.kubernetes.io/headless': '' }, pods: PHANTOMS },
      'for another program than kube-proxy': {
        labels: { 'service.kubernetes.io/service-proxy-name': 'x' },
        pods: PHANTOMS,
      },
      "that gives other names to the addresses of the source's pods": {
        pods: { '10.0.0.1': 'cart-5c6b-7', '10.0.0.2': 'cart-5c6b-8' },
      },
      "that calls an address of the fork's that of another pod": { pods: { '10.0.0.9': '' } },
    }
    for (const [which, forged] of Object.entries(FORGED))
      it(`N37a: a forged slice ${which} adds nothing`, () => {
        const [honest, more] = [sliceOf({ pods: HONEST }), sliceOf(forged)]
        for (const slices of [
          [honest, more],
          [more, honest],
        ])
          expect(readyEndpoints(slices, cart, FORK)).to.deep.equal(COUNTED)
      })

    it('N37a: addresses that are no pod of the source count as others', () => {
      const slices = [sliceOf({ pods: HONEST }), sliceOf({ pods: { '10.9.9.1': '', '10.9.9.2': '' } })]
      expect(readyEndpoints(slices, cart, FORK)).to.deep.equal({ ...COUNTED, all: 5, others: 4 })
    })

    const both = { name: 'cart', families: ['IPv4', 'IPv6'] }
    const ofBoth = (pods: Readonly<Record<string, string>>) => [
      sliceOf({ pods: HONEST }),
      sliceOf({ family: 'IPv6', pods }),
    ]

    it('N37a: a pod with an address of each family counts once', () => {
      const pods = { 'fd00::1': 'cart-5c6b-1', 'fd00::2': 'cart-5c6b-2', 'fd00::9': `${FORK}-7d9f-1` }
      expect(readyEndpoints(ofBoth(pods), both, FORK)).to.deep.equal(COUNTED)
    })

    it('N37a: where one of two families lists more, the share is that of the other', () => {
      const pods = { 'fd00::1': 'a', 'fd00::2': 'b', 'fd00::3': 'c', 'fd00::4': 'd', 'fd00::9': `${FORK}-7d9f-1` }
      expect(readyEndpoints(ofBoth(pods), both, FORK)).to.deep.equal({ ...COUNTED, listedPods: 4 })
    })

    it('N37a: a Service of two families whose pods have one sends to these', () =>
      expect(readyEndpoints(ofBoth({}), both, FORK)).to.deep.equal(COUNTED))

    it('N37a: a Service that gets another family or port is counted anew', () => {
      const pods = { 'fd00::1': 'cart-5c6b-1' }
      const slices = [
        ...ofBoth(pods),
        sliceOf({ ports: [{ name: 'admin', port: 81, protocol: 'TCP' }], pods: PHANTOMS }),
      ]
      const all = (service: Sender) => readyEndpoints(slices, service, FORK).all
      expect([
        all(cart),
        all({ name: 'cart', families: ['IPv6'] }),
        all({ name: 'cart', ports: ['TCP admin'] }),
        all(cart),
      ]).to.deep.equal([3, 1, 3, 3])
    })

    it('N37a: a headless Service sends to all slices of its family', () => {
      const slices = [
        sliceOf({ pods: HONEST }),
        sliceOf({ family: 'IPv6', pods: { 'fd00::1': 'x' } }),
        sliceOf({ ports: [], labels: { 'service.kubernetes.io/headless': '' }, pods: { '10.0.0.3': 'cart-5c6b-3' } }),
      ]
      expect(readyEndpoints(slices, { name: 'cart', isHeadless: true }, FORK).all).to.equal(4)
    })
  })
})
