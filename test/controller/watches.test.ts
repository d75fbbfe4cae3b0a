import { expect } from 'chai'
import type { ServiceView } from '../../common/workload/services.ts'
import { connect, type Told, type View } from '../../controller/watches.ts'
import { anExperiment } from '../builders.ts'

/** A reflector that tells what a test says. */
function aView<T>() {
  const handlers: ((change: Told<T>) => void)[] = []
  const view: View<T> = { get: () => undefined, subscribe: (handler) => handlers.push(handler) }
  const tell = (change: Told<T>) => {
    for (const handler of handlers) handler(change)
  }
  return { view, tell }
}

const CART: ServiceView = { name: 'cart', selector: { app: 'cart' } }
const changes: Record<string, readonly [Told<ServiceView>, readonly string[]]> = {
  'one that appears wakes its namespace now': [{ is: 'added', key: 'shop/cart', after: CART }, ['shop/faster-cart']],
  'one that selects others wakes its namespace now': [
    { is: 'updated', key: 'shop/cart', before: CART, after: { ...CART, selector: { app: 'other' } } },
    ['shop/faster-cart'],
  ],
  'one that goes wakes its namespace now': [{ is: 'deleted', key: 'shop/cart', before: CART }, ['shop/faster-cart']],
  'one that is as it was, for us, wakes nobody': [
    { is: 'updated', key: 'shop/cart', before: CART, after: { ...CART } },
    [],
  ],
  'one of another namespace wakes nobody here': [{ is: 'added', key: 'stall/cart', after: CART }, []],
}

describe('a Service', () => {
  for (const [sentence, [change, expected]] of Object.entries(changes))
    it(sentence, () => {
      const woken: string[] = []
      const experiments = aView<ReturnType<typeof anExperiment>>()
      const services = aView<ServiceView>()
      connect(
        { experiments: experiments.view, workloads: [], services: services.view, slices: aView<never>().view },
        { add: (key) => woken.push(key), addAfter: () => undefined, forget: () => undefined },
      )
      experiments.tell({ is: 'added', key: 'shop/faster-cart', after: anExperiment() })
      woken.length = 0
      services.tell(change)
      expect(woken).to.deep.equal(expected)
    })
})
