import { expect } from 'chai'
import fc from 'fast-check'
import type { KubeObject } from '../../../../common/api/object.ts'
import { RESOURCES } from '../../../../common/kube/client/resources.ts'
import { Reflector } from '../../../../common/kube/watch/reflector.ts'
import type { ObjectChange } from '../../../../common/kube/watch/store.ts'
import '../../../property.ts'
import { ModelServer } from '../../../fakes/model-server.ts'
import { diaryLog, turn, VirtualTime } from '../../../virtual-time.ts'

/** Longer than a silent watch, the longest wait and a list with retries take together. */
const HEALED_MS = 240_000

type Step =
  | { readonly do: 'put' | 'remove' | 'recreate'; readonly name: string }
  | { readonly do: 'hit'; readonly how: Parameters<ModelServer['hit']>[0] }
  | { readonly do: 'fail lists'; readonly how: Parameters<ModelServer['failLists']>[0]; readonly count: number }
  | { readonly do: 'compact'; readonly as: 'answer' | 'event' }
  | { readonly do: 'remember' }
  | { readonly do: 'pass'; readonly ms: number }

const aName = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('put' as const, 'put' as const, 'remove' as const, 'recreate' as const),
    name: aName,
  }),
  fc.record({
    do: fc.constant('hit' as const),
    how: fc.constantFrom(
      'close' as const,
      'reset' as const,
      'silence' as const,
      'duplicate' as const,
      'bad line' as const,
      'bookmark' as const,
      'error 410' as const,
      'error 500' as const,
    ),
  }),
  fc.record({
    do: fc.constant('fail lists' as const),
    how: fc.constantFrom('stale' as const, 'empty' as const, 'unreachable' as const, 'throttled' as const),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ do: fc.constant('compact' as const), as: fc.constantFrom('answer' as const, 'event' as const) }),
  fc.record({ do: fc.constant('remember' as const) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.oneof(fc.nat(2_000), fc.nat(40_000), fc.nat(200_000)) }),
)

function perform(server: ModelServer, step: Exclude<Step, { do: 'pass' }>): void {
  if (step.do === 'hit') server.hit(step.how)
  else if (step.do === 'fail lists') server.failLists(step.how, step.count)
  else if (step.do === 'compact') server.compact(step.as)
  else if (step.do === 'remember') server.remember()
  else {
    if (step.do !== 'put') server.remove(step.name)
    if (step.do !== 'remove') server.put(step.name)
  }
}

/** Each object is added once, then changed to ever newer versions, then deleted once. */
class History {
  readonly #living = new Map<string, string>()
  readonly #gone = new Set<string>()

  take(change: ObjectChange<KubeObject>): void {
    const { uid = '', resourceVersion: version } = (change.is === 'deleted' ? change.before : change.after).metadata
    const before = this.#living.get(uid)
    expect(this.#gone.has(uid), `${uid} comes back`).to.equal(false)
    expect(before === undefined, `${change.is} ${uid}`).to.equal(change.is === 'added')
    if (change.is === 'deleted') {
      this.#living.delete(uid)
      this.#gone.add(uid)
      return
    }
    expect(Number(version), `the version of ${uid}`).to.be.greaterThan(Number(before ?? 0))
    this.#living.set(uid, `${version}`)
  }
}

describe('a reflector, before a server that fails in any way', () => {
  it('ends with what the server has, and tells of each object in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 60 }), fc.infiniteStream(fc.nat(1_000)), async (steps, numbers) => {
        const [time, server, history] = [new VirtualTime(), new ModelServer(), new History()]
        const errors: unknown[] = []
        const reflector = new Reflector<KubeObject>({
          client: server,
          view: { resource: RESOURCES.Deployment, managedFields: 'none' },
          project: (object) => object,
          timers: time,
          random: () => (numbers.next().value ?? 0) / 1_001,
          log: diaryLog(),
          onFailure: () => undefined,
          onHandlerError: () => undefined,
        })
        reflector.subscribe((change) => {
          try {
            history.take(change)
          } catch (error) {
            errors.push(error)
          }
        })
        reflector.start()
        for (const step of steps) {
          if (step.do === 'pass') await time.pass(step.ms)
          else perform(server, step)
          await turn()
        }
        server.heal()
        await time.pass(HEALED_MS)
        const seen = reflector
          .list()
          .map(({ metadata }) => [metadata.name, `${metadata.uid}@${metadata.resourceVersion}`])
        expect(Object.fromEntries(seen)).to.deep.equal(server.objects)
        expect(errors).to.deep.equal([])
        await reflector.stop()
        expect(time.pending).to.equal(0)
      }),
    )
  })
})
