import { expect } from 'chai'
import { aDeployment, anExperiment, FORK } from '../../builders.ts'
import { type Given, someFacts } from '../plan/some-facts.ts'
import { allLines, isAboutMostPods } from './described.ts'

const lines = (given: Given): readonly string[] => allLines(someFacts(given)).filter(isAboutMostPods)
const source = (replicas: number, spec = {}) => aDeployment({ spec: { replicas, ...spec } })

describe('the description of the most pods', () => {
  it('N17: tells whose they are, and what a quota counts while former pods end', () =>
    expect(lines({ source: source(10), experiment: anExperiment({ replicas: 2 }) })).to.deep.equal([
      '[Plan] at most 16 pods at one moment: 10 of deployment/cart and 3 of its surge, 2 of the fork and 1 of its surge; a quota counts up to 24 while former pods end',
    ]))

  it('N17: leaves out what there is not', () => {
    const experiment = anExperiment({ replicas: 1 })
    expect(lines({ source: source(0), experiment })).to.deep.equal([
      '[Plan] at most 2 pods at one moment: 1 of the fork and 1 of its surge',
    ])
    expect(lines({ source: source(0, { strategy: { type: 'Recreate' } }), experiment })).to.deep.equal([
      '[Plan] at most 1 pod at one moment: 1 of the fork; a quota counts up to 2 while former pods end',
    ])
  })

  it('N17: tells nothing where there are no pods, or no source', () => {
    expect(lines({ source: source(0), experiment: anExperiment({ replicas: 0 }) })).to.deep.equal([])
    expect(lines({ source: undefined, fork: aDeployment({ name: FORK }) })).to.deep.equal([])
  })
})
