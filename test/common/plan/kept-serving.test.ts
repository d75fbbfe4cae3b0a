import { expect } from 'chai'
import fc from 'fast-check'
import { FORK_FINALIZER } from '../../../common/api/names.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import { imageOverride } from '../../builders.ts'
import '../../property.ts'
import { canary, type Inside, inside, labelOf, loseLabel, setSize } from './some-inside.ts'
import { aSource } from './some-run.ts'

describe('a canary inside the size of its source', () => {
  const EVENTS: Readonly<Record<string, (it: Inside) => void>> = {
    pass: (it) => it.pass(),
    start: (it) => it.start(),
    promote: ({ run }) => run.say('promote'),
    abort: ({ run }) => run.say('abort'),
    pause: ({ run }) => run.say('pause'),
    resume: ({ run }) => run.say('resume'),
    retry: ({ run }) => run.say('retry'),
    undo: ({ run }) => run.say('undo'),
    'another image': ({ run }) =>
      run.edit({ overrideSpec: imageOverride(`example/cart:${run.world.now.getTime() % 7}`) }),
    'other steps': ({ run }) => run.edit({ strategy: canary([30, 60]) }),
    'no strategy': ({ run }) => run.edit({ strategy: undefined }),
    'an invalid override': ({ run }) => run.edit({ overrideSpec: { template: 'no' } }),
    'a label is lost': loseLabel,
    'a status is lost': ({ run }) => {
      const { status: _lost, ...experiment } = run.world.experiment
      run.world.experiment = experiment
    },
    'somebody sets 3': (it) => setSize(it, 3),
    'somebody sets 9': (it) => setSize(it, 9),
    'a pod of the fork crashes': ({ pods }) => {
      pods.fork = Math.max(0, pods.fork - 1)
    },
    'a pod of the source crashes': ({ pods }) => {
      pods.source = Math.max(0, pods.source - 1)
    },
    'a new base': ({ run: { world } }) => {
      const { source } = world
      if (!source) return
      const image = `example/cart:base-${(source.metadata.generation ?? 0) % 3}`
      const changed = aSource(replicasOf(source), image)
      const metadata = { ...source.metadata, generation: (source.metadata.generation ?? 0) + 1 }
      world.source = { ...source, metadata, spec: { ...(changed.spec as object), replicas: replicasOf(source) } }
    },
  }

  const ending = (it: Inside, end: 'deleted' | 'expired' | 'aborted') => {
    const { world } = it.run
    const { metadata, spec } = world.experiment
    if (end === 'deleted')
      world.experiment = {
        ...world.experiment,
        metadata: { ...metadata, deletionTimestamp: world.now.toISOString(), finalizers: [FORK_FINALIZER] },
      }
    if (end === 'expired') it.run.wait(86_400)
    if (end === 'expired') world.experiment = { ...world.experiment, spec: { ...spec, ttlSeconds: 1 } }
    if (end === 'aborted') it.run.say('abort')
  }

  it('keeps its fork and its bounds whatever happens, and in the end the source has a size of its own', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(1, 3, 5, 10),
        fc.array(fc.constantFrom(...Object.keys(EVENTS)), { maxLength: 40 }),
        fc.constantFrom('deleted' as const, 'expired' as const, 'aborted' as const),
        (size, events, end) => {
          const it = inside(size, [20, 80])
          for (const event of events) {
            EVENTS[event]?.(it)
            it.pass()
            it.run.wait(1)
          }
          ending(it, end)
          it.rest()
          if (end === 'aborted' && it.run.strategy()?.path !== 'Abort') return
          expect(labelOf(it), 'the label in the end').to.equal(undefined)
        },
      ),
    ))
})
