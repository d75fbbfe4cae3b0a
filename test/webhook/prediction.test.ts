import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { type Foreseen, prediction } from '../../webhook/prediction.ts'
import { aDeployment } from '../builders.ts'

const containers = (...images: readonly string[]) => ({
  containers: images.map((image, at) => ({ name: `c${at}`, image })),
})
const aFork = (pod: ReturnType<typeof containers>): KubeObject => aDeployment({ name: 'fork', pod })

const foreseen = (of: Partial<Foreseen>): Foreseen => ({
  operation: 'CREATE',
  dryRun: false,
  source: aDeployment(),
  fork: aDeployment({ name: 'fork' }),
  previous: undefined,
  services: [],
  ...of,
})
const lines = (of: Partial<Foreseen>): readonly string[] =>
  prediction(foreseen(of)).map((line) => line.replace('[Plan] ', ''))

describe('prediction', () => {
  it('shows five changes, then counts', () => {
    const images = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1', 'f:1', 'g:1']
    const source = aDeployment({ pod: containers(...images) })
    const found = lines({ source, fork: aFork(containers(...images.map((image) => image.replace('1', '2')))) })
    expect(found.filter((line) => line.includes(' -> '))).to.have.length(5)
    expect(found).to.include('containers[c0].image: a:1 -> a:2').and.include('and 2 more changes')
  })

  it('names a container that is added', () => {
    const source = aDeployment({ pod: containers('a:1', 'b:1') })
    const fork = aDeployment({
      name: 'fork',
      pod: {
        containers: [
          { name: 'c0', image: 'a:1' },
          { name: 'new', image: 'n:1' },
        ],
      },
    })
    expect(lines({ source, fork })).to.include('containers[new]: none -> n:1')
  })

  it('says that it could not read the Services', () => {
    expect(lines({ services: undefined })).to.include(
      'the share of requests is unknown: the Services could not be read',
    )
  })

  it('updates without a word of changes where the old spec is unknown', () => {
    const [deed] = lines({ operation: 'UPDATE' })
    expect(deed).to.match(/^updates deployment\/fork in shop/)
  })
})
