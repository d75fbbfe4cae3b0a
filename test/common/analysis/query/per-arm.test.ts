import { expect } from 'chai'
import { perArm, silence, tooFewPods } from '../../../../common/analysis/query/per-arm.ts'

describe('arms', () => {
  it('each have what is made for them', () =>
    expect(perArm((arm) => arm.length)).to.deep.equal({ treatment: 9, control: 7 }))

  it('are silent if nothing is known of them', () => {
    expect(silence({ treatment: [1], control: [2] })).to.equal(undefined)
    expect(silence({ treatment: [], control: [2] })).to.deep.equal({ is: 'silent', arms: ['treatment'] })
    expect(silence({ treatment: [], control: [] })).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
  })

  it('need data of half of their pods', () => {
    const pods = (...names: readonly string[]) => ({ pods: names })
    const counted = (...names: readonly string[]) => new Map(names.map((name) => [name, 1]))
    const arms = { treatment: pods('a'), control: pods('c', 'd', 'e') }
    expect(tooFewPods({ treatment: counted('a'), control: counted('c', 'e') }, arms)).to.equal(undefined)
    expect(tooFewPods({ treatment: counted('a'), control: counted('c') }, arms)).to.deep.equal({
      is: 'failed',
      message: 'fewer than half of the pods of the control have data of the whole window',
    })
    expect(tooFewPods({ treatment: counted(), control: counted() }, arms)?.message).to.contain('of the treatment')
    expect(
      tooFewPods({ treatment: counted('a'), control: counted('c') }, { ...arms, control: pods('c', 'd') }),
    ).to.equal(undefined)
  })
})
