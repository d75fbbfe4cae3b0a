import { expect } from 'chai'
import fc from 'fast-check'
import type { CanaryStep, Strategy } from '../../../common/api/strategy.ts'
import { at } from '../../../common/json/json.ts'
import { hasUngatedPods } from '../../../common/situation/ungated.ts'
import { demandsOf } from '../of-facts.ts'
import '../../property.ts'
import { aService } from '../plan/simulated-services.ts'
import { aRun, aRunExperiment, type RunOf, type RunWorld } from '../plan/some-run.ts'

const PAUSED: readonly CanaryStep[] = [{ pause: {} }, { setWeight: 20 }, { pause: {} }]
const BLUE_GREEN: Strategy = { blueGreen: { activeService: 'cart', previewService: 'cart-preview' } }
const GATED = { mode: 'Gated' } as const

/** 10 pods of the source behind `cart`, and pods of the fork that all get requests. */
const anUngatedRun = (of: RunOf = {}) =>
  aRun(aRunExperiment(of), { services: { active: aService('cart'), preview: aService('cart-preview') } })

const serving = ({ world }: RunWorld): number => world.pods.filter(({ isReady }) => isReady).length

/** Passes until the run rests. Returns how many pods got requests after each pass, and the sizes that were written. */
function watched(run: RunWorld) {
  const [served, sizes]: [number[], unknown[]] = [[], []]
  for (let passes = 0, isResting = false; !isResting && passes < 40; passes += 1) {
    const before = JSON.stringify(run.world.experiment.status)
    const { writes } = run.pass()
    served.push(serving(run))
    sizes.push(...writes.flatMap((write) => (write.role === 'fork' ? [replicasIn(write)] : [])))
    isResting = writes.length === 0 && before === JSON.stringify(run.world.experiment.status)
  }
  return { served, sizes }
}
const replicasIn = (write: object): unknown =>
  at(write, 'object', 'spec', 'replicas') ?? at(write, 'patch', 'spec', 'replicas')

describe('a fork that becomes gated', () => {
  it('N2: loses its pods first, then has all of them without requests', () => {
    const run = anUngatedRun({ strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } })
    run.rest()
    expect(serving(run)).to.equal(3)
    run.edit({ strategy: BLUE_GREEN })
    const { served, sizes } = watched(run)
    expect([sizes, Math.max(...served)]).to.deep.equal([[0, 10], 0])
    expect([run.step(), run.world.pods.length]).to.deep.equal(['2/10 Paused', 10])
  })

  it('N2: with a weight first, goes through 0 too, and never has more open pods than the weight needs', () => {
    const run = anUngatedRun({ strategy: { canary: { steps: [{ setWeight: 10 }, { pause: {} }] } } })
    run.rest()
    run.edit({ strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } }, traffic: GATED })
    const { served, sizes } = watched(run)
    expect([sizes[0], served[0], served.at(-1), Math.max(...served)]).to.deep.equal([0, 0, 3, 3])
    expect(run.step()).to.equal('1/5 Paused')
  })

  it('N2: does so without a strategy before', () => {
    const run = anUngatedRun({ strategy: undefined, replicas: 4 })
    run.rest()
    expect(serving(run)).to.equal(4)
    run.edit({ strategy: { canary: { steps: PAUSED } }, traffic: GATED })
    expect(watched(run).served.filter((pods) => pods > 0)).to.deep.equal([])
    expect([run.step(), run.world.pods.length]).to.deep.equal(['0/6 Paused', 4])
  })

  it('N2: waits, and says so, while such a pod is there', () => {
    const run = anUngatedRun()
    run.rest()
    run.edit({ strategy: BLUE_GREEN })
    run.pass()
    const staying = [{ ...aPodOf(run), isUngated: true as const, isOpen: true, isReady: true }]
    for (let passes = 0; passes < 5; passes += 1) {
      run.world.pods = staying
      run.pass()
    }
    expect([run.pods(), run.step()]).to.deep.equal([0, '0/10 Progressing'])
    expect(run.messageOf('Ready')).to.equal('0 of 10 pods have ready containers, 1 open, 1 without a gate')
    run.world.pods = []
    run.rest()
    expect(run.step()).to.equal('2/10 Paused')
  })

  it('N2: gets no pods before its workload controller counts none, also where no such pod is known yet', () => {
    const run = anUngatedRun()
    run.rest()
    run.edit({ strategy: BLUE_GREEN })
    run.pass()
    const { fork } = run.world
    if (!fork) throw new Error('there is no fork')
    for (const status of [{ observedGeneration: 1 }, { observedGeneration: fork.metadata.generation, replicas: 1 }]) {
      run.world.fork = { ...fork, status }
      run.pass()
      expect(run.pods()).to.equal(0)
    }
  })

  it('N2: loses them also when its run is aborted before that, because nothing can shut them', () => {
    const run = anUngatedRun()
    run.rest()
    run.edit({ strategy: { canary: { steps: PAUSED } }, traffic: GATED })
    run.say('abort')
    expect(watched(run).served.at(-1)).to.equal(0)
    expect([run.pods(), run.step()]).to.deep.equal([0, '1/3 Aborted'])
  })

  it('N2: loses them also when its run is aborted while its source is gone', () => {
    const run = anUngatedRun()
    run.rest()
    run.edit({ strategy: { canary: { steps: PAUSED } }, traffic: GATED })
    run.world.source = undefined
    run.say('abort')
    run.rest()
    expect([run.pods(), serving(run)]).to.deep.equal([0, 0])
  })

  it('N2: becomes ungated again by an update, and has the share of its weight', () => {
    const run = anUngatedRun({ strategy: { canary: { steps: PAUSED } }, traffic: GATED, replicas: 4 })
    run.rest()
    expect([run.world.pods.length, serving(run)]).to.deep.equal([4, 0])
    run.edit({ strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } }, traffic: undefined })
    expect(Math.max(...watched(run).served)).to.equal(3)
    expect([run.step(), run.world.pods.length, serving(run)]).to.deep.equal(['1/5 Paused', 3, 3])
  })
})

const aPodOf = (run: RunWorld) => ({
  name: `${run.world.fork?.metadata.name}-0`,
  uid: 'uid-of-pod',
  revision: '',
  hasReadyContainers: true,
  isOpen: false,
  isReady: false,
  isBeingDeleted: false,
})

describe('pods without a gate', () => {
  const run = anUngatedRun({ strategy: BLUE_GREEN })
  run.rest()
  const factsWith = (of: object) => {
    run.world.pods = [{ ...aPodOf(run), revision: 'old', isOpen: true, ...of }]
    return run.facts()
  }

  it('are those of another template, as long as they are not being deleted', () => {
    expect(hasUngatedPods(factsWith({ isUngated: true }))).to.equal(true)
    expect(hasUngatedPods(factsWith({ isUngated: true, isBeingDeleted: true }))).to.equal(false)
    expect(hasUngatedPods(factsWith({}))).to.equal(false)
  })

  it('are none that a webhook takes the gate from: the next one would have none either', () => {
    expect(hasUngatedPods(factsWith({ isUngated: true, revision: 'new' }), 'new')).to.equal(false)
  })
})

const aStrategy: fc.Arbitrary<RunOf> = fc.oneof(
  fc.constant<RunOf>({ strategy: BLUE_GREEN, traffic: undefined }),
  fc
    .record({
      steps: fc.array(fc.oneof(fc.record({ setWeight: fc.nat(40) }), fc.constant({ pause: {} })), { maxLength: 2 }),
      traffic: fc.constantFrom(undefined, GATED),
    })
    .map(({ steps, traffic }): RunOf => ({ strategy: { canary: { steps } }, traffic })),
  fc.constant<RunOf>({ strategy: undefined, traffic: undefined }),
)

describe('the law of a fork whose strategy is edited', () => {
  it('N2: no more pods get requests than before the edit, or than the strategy then opens', () =>
    fc.assert(
      fc.property(
        fc.array(aStrategy, { minLength: 2, maxLength: 3 }),
        fc.integer({ min: 1, max: 6 }),
        (all, replicas) => {
          const [first, ...edits] = all
          const run = anUngatedRun({ replicas, ...first })
          run.rest()
          for (const edit of edits) {
            const before = serving(run)
            run.edit(edit)
            const opened = demandsOf(run.facts())?.map(({ open }) => open) ?? [replicas]
            const { served } = watched(run)
            expect(Math.max(...served), JSON.stringify(edit)).to.be.at.most(Math.max(before, ...opened))
          }
        },
      ),
    ))
})
