import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { changesBetween } from '../../common/workload/changes.ts'
import { NO_SHAPE } from '../../common/workload/shape.ts'
import { askedBy } from '../../webhook/asked.ts'
import { type Foreseen, prediction } from '../../webhook/prediction.ts'
import { aDeployment, anExperiment } from '../builders.ts'
import { aRequest } from './reviews.ts'

const containers = (...images: readonly string[]) => ({
  containers: images.map((image, at) => ({ name: `c${at}`, image })),
})
const aFork = (pod: ReturnType<typeof containers>): KubeObject => aDeployment({ name: 'fork', pod })

const asked = (given: Parameters<typeof aRequest>[0] = {}) => {
  const read = askedBy(aRequest(given))
  if (read.is === 'invalid') throw new Error(JSON.stringify(read.errors))
  return read.asked
}
const foreseen = (of: Partial<Foreseen>): Foreseen => ({
  asked: asked(),
  fork: aDeployment({ name: 'fork' }),
  previous: undefined,
  changes: [],
  services: [],
  obstacle: undefined,
  now: new Date('2026-11-21T12:00:00Z'),
  ...of,
})
const changesOf = (plain: KubeObject, fork: KubeObject) => changesBetween(plain.spec, fork.spec, NO_SHAPE)
const lines = (of: Partial<Foreseen>): readonly string[] =>
  prediction(foreseen(of)).map((line) => line.replace('[Plan] ', ''))

describe('prediction', () => {
  it('shows five changes, then counts', () => {
    const images = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1', 'f:1', 'g:1']
    const plain = aDeployment({ pod: containers(...images) })
    const fork = aFork(containers(...images.map((image) => image.replace('1', '2'))))
    const found = lines({ fork, changes: changesOf(plain, fork) })
    expect(found.filter((line) => line.includes(' -> '))).to.have.length(5)
    expect(found).to.include('containers[c0].image: a:1 -> a:2').and.include('and 2 more changes')
  })

  it('names a container that is added', () => {
    const plain = aDeployment({ pod: containers('a:1', 'b:1') })
    const fork = aDeployment({
      name: 'fork',
      pod: {
        containers: [
          { name: 'c0', image: 'a:1' },
          { name: 'new', image: 'n:1' },
        ],
      },
    })
    expect(lines({ fork, changes: changesOf(plain, fork) })).to.include('containers[new]: none -> n:1')
  })

  it('says that it could not read the Services', () => {
    expect(lines({ services: undefined })).to.include(
      'the share of requests is unknown: the Services could not be read',
    )
  })

  it('says when it is over', () => {
    const ends = (ttlSeconds: number, creationTimestamp?: string) => {
      const experiment = anExperiment({ ttlSeconds })
      const metadata = { ...experiment.metadata, ...(creationTimestamp ? { creationTimestamp } : {}) }
      return lines({
        asked: asked({ object: { ...experiment, metadata }, ...(creationTimestamp ? { oldObject: {} } : {}) }),
      }).at(-1)
    }
    expect(ends(7_200)).to.equal('removed 2026-11-21T14:00Z (in 2h)')
    expect(ends(5_400, '2026-11-21T11:00:00Z')).to.equal('removed 2026-11-21T12:30Z (in 30m)')
    expect(ends(60, '2026-11-21T11:00:00Z')).to.equal(
      'over since 2026-11-21T11:01Z; raise spec.ttlSeconds to revive it',
    )
  })

  it('updates without a word of changes where the old spec is unknown', () => {
    const [deed] = lines({ asked: asked({ oldObject: {} }) })
    expect(deed).to.match(/^updates deployment\/fork in shop/)
  })
})
