import { expect } from 'chai'
import type { PromotionSpec } from '../../../common/api/strategy.ts'
import { aPolicy, NO_POLICIES } from '../../builders.ts'
import { ANALYSIS, anAnalysis, told } from './an-analysis.ts'

describe('the analysis of a strategy, pass by pass', () => {
  const canary = { canary: { steps: [{ setWeight: 10 }, { analysis: {} }, { setWeight: 20 }] } }
  const stepOf = ({ step }: ReturnType<typeof anAnalysis>) => step()

  it('is waited for at its step, and a Pass goes on', () => {
    const analysis = anAnalysis({ strategy: canary })
    expect(stepOf(analysis)).to.equal('1/6 Paused')
    expect(analysis.reasonOf('Paused')).to.equal('AnalysisStep')
    analysis.decides('Pass')
    expect(stepOf(analysis)).to.equal('3/6 Paused')
    expect(analysis.reasonOf('Paused')).to.equal('AwaitingPromotion')
  })

  it('aborts the run when it fails, also at another step, and after each retry', () => {
    const analysis = anAnalysis({ strategy: { canary: { steps: [{ setWeight: 10 }, { pause: {} }] } } })
    analysis.decides('Fail')
    expect(stepOf(analysis)).to.equal('1/1 Aborted')
    expect(analysis.pods()).to.equal(0)
    analysis.say('retry')
    analysis.rest()
    expect(stepOf(analysis)).to.equal('1/1 Aborted')
    expect(analysis.pods()).to.equal(0)
  })

  it('pauses the run where nothing could be shown and the pods are kept, until somebody resumes it', () => {
    const analysis = anAnalysis({
      strategy: canary,
      analysis: { ...ANALYSIS, maxSeconds: 90, intervalSeconds: 30, onTimeout: 'Keep' },
    })
    analysis.decides('Wait')
    analysis.decides('Wait')
    expect(analysis.status()).to.deep.include({ verdict: 'Inconclusive' })
    expect(analysis.reasonOf('Paused')).to.equal('AnalysisInconclusive')
    analysis.say('resume')
    analysis.rest()
    expect(stepOf(analysis)).to.equal('3/6 Paused')
  })

  describe('that ran out of time, while a policy forbids that this promotes', () => {
    const atPause = (promotion: PromotionSpec = { mode: 'Automatic' }, last: 'Wait' | 'Pass' = 'Wait') => {
      const analysis = anAnalysis({
        strategy: { canary: { steps: [{ setWeight: 50 }, { analysis: {} }, { pause: { duration: '1h' } }] } },
        promotion,
        analysis: { ...ANALYSIS, maxSeconds: 90, intervalSeconds: 30, onTimeout: 'Promote' },
      })
      analysis.decides('Wait')
      analysis.decides(last)
      expect(analysis.strategy()?.stepName).to.equal('pause 1h')
      analysis.world.policies = { ...NO_POLICIES, policies: [aPolicy({ allowTimeoutPromotion: false })] }
      return analysis
    }
    const afterAnHour = (analysis: ReturnType<typeof atPause>) => {
      analysis.wait(3_600)
      return told(analysis.rest())
    }

    it('does not promote, until the policy allows it', () => {
      const analysis = atPause()
      expect(afterAnHour(analysis)).to.deep.equal([])
      expect(analysis.strategy()?.stepName).to.equal('promote')
      expect([analysis.reasonOf('Ready'), analysis.reasonOf('Stalled')]).to.deep.equal(['PolicyDenied', 'PolicyDenied'])
      analysis.world.policies = NO_POLICIES
      expect(told(analysis.rest())).to.include('patch source')
    })

    it('does not promote either when its author follows that policy and no longer wants it', () => {
      const analysis = atPause()
      afterAnHour(analysis)
      analysis.edit({ analysis: { ...ANALYSIS, maxSeconds: 90, intervalSeconds: 30, onTimeout: 'Keep' } })
      expect(told(analysis.rest())).to.not.include('patch source')
      expect(analysis.messageOf()).to.equal(
        'the analysis ran out of time without a Pass, so nothing is promoted (policy "limits"); ' +
          'give the command promote, or abort',
      )
    })

    it('promotes when it has passed all the same', () =>
      expect(afterAnHour(atPause({ mode: 'Automatic' }, 'Pass'))).to.include('patch source'))

    it('promotes by the word of a person, also when the policy has stopped it', () => {
      const analysis = atPause()
      afterAnHour(analysis)
      expect([analysis.strategy()?.stepName, analysis.reasonOf('Ready')]).to.deep.equal(['promote', 'PolicyDenied'])
      analysis.say('promote')
      expect(told(analysis.rest())).to.include('patch source')
    })

    for (const mode of ['Automatic', 'Manual'] as const)
      it(`promotes by the word of a person, in the mode ${mode}`, () => {
        const analysis = atPause({ mode })
        analysis.say('promote')
        expect(told(analysis.rest())).to.include('patch source')
      })
  })

  it('stands before an automatic promotion, and is not asked about its result', () => {
    const analysis = anAnalysis({
      strategy: { canary: { steps: [{ setWeight: 10 }] } },
      promotion: { mode: 'Automatic' },
    })
    expect(analysis.strategy()?.stepName).to.equal('analysis')
    expect(analysis.decides('Pass')).to.include('patch source')
    analysis.wait(60)
    analysis.rest()
    expect(analysis.strategy()?.phase).to.equal('Promoted')
    expect(analysis.status()).to.deep.include({ verdict: 'Pass' })
    expect(analysis.analyses.runs).to.have.length(1)
  })
})
