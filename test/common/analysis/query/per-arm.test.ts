import { expect } from 'chai'
import { perArm, silentAnswer, tooFewPods } from '../../../../common/analysis/query/per-arm.ts'
import type { PrometheusSeries } from '../../../../common/analysis/query/series.ts'
import { counter } from './some-series.ts'

describe('arms', () => {
  it('each have what is made for them', () =>
    expect(perArm((arm) => arm.length)).to.deep.equal({ treatment: 9, control: 7 }))

  it('are silent if nothing is known of them', () => {
    expect(silentAnswer({ treatment: [1], control: [2] })).to.equal(undefined)
    expect(silentAnswer({ treatment: [], control: [2] })).to.deep.equal({ is: 'silent', arms: ['treatment'] })
    expect(silentAnswer({ treatment: [], control: [] })).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
  })

  const names = (...pods: readonly string[]) => ({ pods })
  const counted = (...pods: readonly string[]) => new Map(pods.map((pod) => [pod, 1]))
  const from = (...pods: readonly string[]) => pods.map((pod) => counter('requests_total', pod, [1, undefined]))
  const ARMS = { treatment: names('a'), control: names('c', 'd', 'e') }
  const KNOWN = { treatment: from('a'), control: from('c', 'd') }
  const tooFew = (treatment: readonly string[], control: readonly string[], series = KNOWN, arms = ARMS) =>
    tooFewPods(
      {
        series,
        counted: { treatment: counted(...treatment), control: counted(...control) },
        partlyReset: new Set(),
      },
      arms,
    )

  it('need data of half of their pods', () => {
    expect(tooFew(['a'], ['c', 'e'])).to.equal(undefined)
    expect(tooFew(['a'], ['c'])).to.deep.equal({
      is: 'failed',
      message: 'fewer than half of the pods of the control have data of the whole window',
    })
    expect(tooFew([], [])?.message).to.contain('of the treatment')
    expect(tooFew(['a'], ['c'], KNOWN, { ...ARMS, control: names('c', 'd') })).to.equal(undefined)
  })

  it('lack the start of the window if fewer than half of their pods have data of it', () => {
    expect(tooFew([], ['c', 'd'], { ...KNOWN, treatment: [] })).to.include({ lacksStart: true })
    expect(tooFew([], ['c', 'd'], { ...KNOWN, control: from('c') })).to.include({ lacksStart: true })
    const late = { ...KNOWN, treatment: [counter('requests_total', 'a', [undefined, 1])] }
    expect(tooFew([], ['c', 'd'], late)).to.include({ lacksStart: true })
  })

  it('lack the start of the window if the series of their pods have got other labels since', () => {
    const [old, other] = [counter('n', 'a', [9, undefined]), counter('n', 'a', [undefined, 9], { chart: '1.1' })]
    const treatment = (...series: PrometheusSeries[]) => tooFew([], ['c', 'd'], { ...KNOWN, treatment: series })
    expect(treatment(old, other)).to.include({ lacksStart: true })
    expect(treatment(old)).not.to.have.property('lacksStart')
    expect(treatment(old, other, counter('n', 'a', [1, 1], { code: '500' }))).not.to.have.property('lacksStart')
  })

  it('lack the start of the window if fewer than half of their pods have data of it that are of use', () => {
    const found = { series: KNOWN, counted: { treatment: counted(), control: counted('c', 'd') } }
    expect(tooFewPods({ ...found, partlyReset: new Set() }, ARMS)).not.to.have.property('lacksStart')
    expect(tooFewPods({ ...found, partlyReset: new Set(['a']) }, ARMS)).to.include({ lacksStart: true })
  })
})
