import { expect } from 'chai'
import { secondsOf, secondsOrZero } from '../../../cli/flags/duration.ts'
import { stepsOf } from '../../../cli/flags/steps.ts'
import { messageOf } from '../message-of.ts'

describe('the steps of a flag', () => {
  it('are weights, pauses that end, and pauses that a person ends', () =>
    expect(stepsOf('10%,1h, 50%,1h30m,pause,100%,0%')).to.deep.equal([
      { setWeight: 10 },
      { pause: { duration: '1h' } },
      { setWeight: 50 },
      { pause: { duration: '1h30m' } },
      { pause: {} },
      { setWeight: 100 },
      { setWeight: 0 },
    ]))

  const wrong: readonly (readonly [value: string, message: string])[] = [
    ['110%', '--steps 110%: entry 1, "110%": a weight is from 0% to 100%'],
    ['10%,5', '--steps 10%,5: entry 2, "5": a weight ends with %, a duration with s, m, h or d'],
    ['10%,,pause', '--steps 10%,,pause: entry 2, "": neither a weight, nor a duration, nor pause'],
    ['10%,0s', '--steps 10%,0s: entry 2, "0s": a pause is longer than that'],
    ['10%,900d', '--steps 10%,900d: entry 2, "900d": neither a weight, nor a duration, nor pause'],
    ['-1%', '--steps -1%: entry 1, "-1%": neither a weight, nor a duration, nor pause'],
  ]
  for (const [value, message] of wrong)
    it(`refuses ${value}, and says which entry`, () => expect(messageOf(() => stepsOf(value))).to.equal(message))
})

describe('a duration of a flag', () => {
  it('has a unit', () => {
    expect(secondsOf('--ttl', '1h30m')).to.equal(5_400)
    expect(messageOf(() => secondsOf('--ttl', '5'))).to.equal('--ttl 5: no duration')
    expect(messageOf(() => secondsOf('--ttl', '0s'))).to.equal('--ttl 0s: no duration')
    expect(messageOf(() => secondsOf('--ttl', 'soon'))).to.equal('--ttl soon: no duration')
  })

  it('may be 0 for a limit', () => {
    expect(secondsOrZero('--timeout', '0')).to.equal(0)
    expect(secondsOrZero('--timeout', '10m')).to.equal(600)
  })
})
