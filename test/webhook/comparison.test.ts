import { expect } from 'chai'
import { objectOr } from '../../common/api/object.ts'
import { changesBetween } from '../../common/workload/changes.ts'
import { differences } from '../../webhook/comparison.ts'
import { aDeployment, POD } from '../builders.ts'

type Of = Parameters<typeof aDeployment>[0]

const told = (from: Of, to: Of): readonly string[] =>
  differences(changesBetween(aDeployment(from).spec, objectOr(aDeployment(to).spec), POD)).map(({ text }) => text)

describe('the differences of two forks', () => {
  it('show images, resources and replicas, before what is only named', () => {
    expect(
      told(
        { image: 'a:1', spec: { replicas: 1 }, container: { args: ['a'] } },
        { image: 'a:2', spec: { replicas: 2 }, container: { args: ['b'], resources: { limits: { cpu: '1' } } } },
      ),
    ).to.deep.equal([
      'replicas: 1 -> 2',
      'containers[cart].image: a:1 -> a:2',
      'containers[cart].resources.limits.cpu: none -> 1',
      'containers[cart].args[0]: changed',
    ])
  })

  it('never show another value', () => {
    const env = (value: string) => ({ container: { env: [{ name: 'A', value }] } })
    expect(told(env('old-secret'), env('new-secret'))).to.deep.equal(['containers[cart].env[A].value: changed'])
  })

  it('tell what came or went as one', () => {
    const env = (name: string) => ({ container: { env: [{ name, value: 'x', more: 1 }] } })
    expect(told(env('A'), env('B'))).to.deep.equal([
      'containers[cart].env[B]: added',
      'containers[cart].env[A]: removed',
    ])
  })

  it('say set, and removed', () => {
    expect(told({}, { pod: { hostNetwork: true } })).to.deep.equal(['hostNetwork: set'])
    expect(told({ podAnnotations: { 'a.b/c': 'd' } }, {})).to.deep.equal([
      'template.metadata.annotations["a.b/c"]: removed',
    ])
  })

  it('are none between equals', () => expect(told({}, {})).to.deep.equal([]))
})
