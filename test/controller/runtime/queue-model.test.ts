import { expect } from 'chai'
import fc from 'fast-check'
import { KeyQueue, NO_OBSERVER } from '../../../controller/runtime/queue.ts'
import '../../property.ts'
import { turn, VirtualTime } from '../../virtual-time.ts'

/** A simple model of what a queue must do. */
class Model {
  readonly dirty = new Set<string>()
  readonly processing = new Set<string>()
  readonly due = new Map<string, number>()
  /** keys that can be handed out, in the order in which they became ready */
  readonly ready: string[] = []
  nowMs = 0

  add(key: string): void {
    if (this.dirty.has(key)) return
    this.dirty.add(key)
    if (!this.processing.has(key)) this.ready.push(key)
  }

  pass(ms: number): void {
    this.nowMs += ms
    for (const [key, dueMs] of [...this.due].sort(([, a], [, b]) => a - b)) {
      if (dueMs > this.nowMs) continue
      this.due.delete(key)
      this.add(key)
    }
  }
}

type Step =
  | { readonly do: 'add' | 'forget'; readonly key: string }
  | { readonly do: 'addAfter'; readonly key: string; readonly ms: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'get' }
  | { readonly do: 'done'; readonly which: number }

const aKey = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1')
const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('add' as const, 'forget' as const), key: aKey }),
  fc.record({ do: fc.constant('add' as const), key: aKey }),
  fc.record({ do: fc.constant('addAfter' as const), key: aKey, ms: fc.nat(20) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.nat(12) }),
  fc.record({ do: fc.constant('get' as const) }),
  fc.record({ do: fc.constant('done' as const), which: fc.nat() }),
)

describe('a queue of keys, after any steps', () => {
  it('gives no key to two workers, loses none, and serves no namespace twice while another waits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 60 }), async (steps) => {
        const time = new VirtualTime()
        const queue = new KeyQueue({ timers: time, random: () => 0, observer: NO_OBSERVER })
        const model = new Model()
        const passedOver = new Map<string, Set<string>>() // namespace → the namespaces served since it waits
        const received: string[] = []
        let waiting = 0

        const receive = (key: string | undefined) => {
          if (key !== undefined) received.push(key)
        }
        const settle = async () => {
          await turn()
          for (const key of received.splice(0)) {
            waiting -= 1
            expect(model.processing.has(key), `${key} has two workers`).to.equal(false)
            expect(model.dirty.delete(key), `${key} was not added`).to.equal(true)
            model.processing.add(key)
            const namespace = key.slice(0, 1)
            const waitingNamespaces = model.ready.map((other) => other.slice(0, 1))
            const ahead = model.ready.find((other) => other.slice(0, 1) === namespace)
            expect(key, 'first come, first served within a namespace').to.equal(ahead)
            model.ready.splice(model.ready.indexOf(key), 1)
            passedOver.delete(namespace)
            for (const other of new Set(waitingNamespaces)) {
              if (other === namespace) continue
              const served = passedOver.get(other) ?? new Set()
              expect(served.has(namespace), `${other} waits while ${namespace} is served twice`).to.equal(false)
              passedOver.set(other, served.add(namespace))
            }
          }
          expect(Math.min(waiting, model.ready.length), 'a worker waits although a key is ready').to.equal(0)
          expect(queue.depth).to.equal(model.ready.length)
        }

        const run = async (step: Step) => {
          switch (step.do) {
            case 'add':
              queue.add(step.key)
              return model.add(step.key)
            case 'forget':
              queue.forget(step.key)
              model.due.delete(step.key)
              return
            case 'addAfter': {
              queue.addAfter(step.key, step.ms)
              if (step.ms === 0) return model.add(step.key)
              const dueMs = model.nowMs + step.ms
              if (dueMs >= (model.due.get(step.key) ?? Number.POSITIVE_INFINITY)) return
              model.due.delete(step.key) // behind the keys that are due at the same time
              model.due.set(step.key, dueMs)
              return
            }
            case 'pass':
              for (let ms = 0; ms < step.ms; ms++) {
                model.pass(1)
                await time.pass(1)
                await settle()
              }
              return
            case 'get':
              waiting += 1
              void queue.get().then(receive)
              return
            case 'done': {
              const key = [...model.processing][step.which % Math.max(1, model.processing.size)]
              if (key === undefined) return
              model.processing.delete(key)
              if (model.dirty.has(key)) model.ready.push(key)
              return queue.done(key)
            }
          }
        }

        for (const step of steps) {
          await run(step)
          await settle()
        }
        queue.shutdown()
        await turn()
        expect(time.pending).to.equal(0)
      }),
    )
  })
})
