import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { anExperiment, imageOverride } from '../../builders.ts'
import { leftAt, theFork } from '../plan/some-facts.ts'
import { described } from './described.ts'

describe('the description of the changes', () => {
  const annotated = (count: number): JsonObject => ({
    template: {
      metadata: { annotations: Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, 'x'])) },
    },
  })
  const changesOf = (overrideSpec: JsonObject) =>
    described({ experiment: anExperiment({ overrideSpec }) }).filter((line) => /: (set|added)|->|more/.test(line))

  it('names five changes, and then how many more there are', () => {
    expect(changesOf(annotated(5))).to.have.length(5)
    expect(changesOf(annotated(5)).at(-1)).to.equal('[Plan] template.metadata.annotations.a4: set')
    expect(changesOf(annotated(7))).to.have.length(6)
    expect(changesOf(annotated(7)).at(-1)).to.equal('[Plan] and 2 more changes')
  })

  it('U3: says in plain English that there is one more change', () =>
    expect(changesOf(annotated(6)).at(-1)).to.equal('[Plan] and 1 more change'))

  it('shows images first', () => {
    const containers = [{ name: 'cart', image: 'example/cart:2', args: ['x'] }]
    expect(changesOf({ template: { spec: { containers } } })).to.deep.equal([
      '[Plan] containers[cart].image: example/cart:1 -> example/cart:2',
      '[Plan] containers[cart].args[0]: added',
    ])
  })

  it('names a container that is added', () => {
    const containers = [
      { name: 'cart', image: 'example/cart:1' },
      { name: 'new', image: 'n:1' },
    ]
    expect(changesOf({ template: { spec: { containers } } })).to.deep.equal(['[Plan] containers[new]: none -> n:1'])
  })

  it('is left out where nothing is written', () => {
    const experiment = { overrideSpec: imageOverride('example/cart:2') }
    const fork = theFork({ experiment: anExperiment(experiment) })
    const lines = described({ fork, experiment: anExperiment({ ...experiment, status: leftAt(3) }) })
    expect(lines.join()).to.contain('changes nothing in').and.not.contain('->')
  })
})
