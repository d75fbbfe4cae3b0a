import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { ANY_SCHEMA, aPolicy, NO_POLICIES } from '../../builders.ts'
import { plan } from '../of-facts.ts'
import { ANALYSIS, anAnalysis, told } from './an-analysis.ts'

/** Its analysis failed, and its fork has no pods. */
function aRolledBack() {
  const analysis = anAnalysis()
  analysis.decides('Fail')
  expect(analysis.pods()).to.equal(0)
  return analysis
}
const withReplicas = (fork: KubeObject | undefined, replicas: number): KubeObject => {
  if (!fork) throw new Error('there is a fork')
  return { ...fork, spec: { ...(fork.spec as object), replicas } }
}

describe('a fork that its analysis has rolled back', () => {
  it('stays without pods, whatever spec.replicas says', () => {
    const analysis = aRolledBack()
    analysis.edit({ strategy: undefined, analysis: ANALYSIS, replicas: 5 })
    expect(told(analysis.rest())).to.deep.equal([])
    expect(analysis.world.experiment.spec.replicas).to.equal(5)
    expect(analysis.reasonOf('Stalled')).to.equal('RolledBack')
  })

  it('says why it has none', () => {
    const { world } = aRolledBack()
    const stalled = world.experiment.status?.conditions?.find(({ type }) => type === 'Stalled')
    expect(stalled).to.include({ status: 'True', reason: 'RolledBack' })
    expect(stalled?.message).to.match(/^the fork has no pods: its analysis ended with Fail: /)
    const ready = world.experiment.status?.conditions?.find(({ type }) => type === 'Ready')
    expect(ready).to.include({ status: 'False', reason: 'RolledBack' })
  })

  it('says so also while another client keeps changing it', () => {
    const { conclusion } = plan({ ...aRolledBack().facts(), contestedMs: 60_000 })
    expect(conclusion.reason).to.equal('RolledBack')
  })

  it('is created again without pods', () => {
    const analysis = aRolledBack()
    analysis.world.fork = undefined
    expect(told(analysis.rest())).to.deep.equal(['apply newFork'])
    expect([analysis.pods(), analysis.verdict()]).to.deep.equal([0, 'harm'])
  })

  it('has its pods again without the analysis', () => {
    const analysis = aRolledBack()
    analysis.edit({ strategy: undefined, analysis: undefined } as never)
    expect(told(analysis.rest())).to.deep.equal(['apply fork'])
    expect([analysis.pods(), analysis.verdict()]).to.deep.equal([1, undefined])
    expect(analysis.reasonOf('Ready')).to.not.equal('RolledBack')
  })

  it('keeps none where the source is away, and when it is back', () => {
    const analysis = aRolledBack()
    const { source } = analysis.world
    for (const present of [undefined, source]) {
      analysis.world.source = present
      expect(told(analysis.rest())).to.deep.equal([])
      expect(analysis.pods()).to.equal(0)
    }
  })

  it('has the same end by another action, and keeps its pods where that is Keep', () => {
    const pods = (['RollBack', 'Keep', 'Promote'] as const).map((onTimeout) => {
      const analysis = anAnalysis({ analysis: { ...ANALYSIS, maxSeconds: 30, onTimeout } })
      analysis.decides('Wait')
      return [analysis.status()?.verdict, analysis.pods(), analysis.verdict()]
    })
    expect(pods).to.deep.equal([
      ['Inconclusive', 0, 'harm'],
      ['Inconclusive', 1, 'harm'],
      ['Inconclusive', 1, 'harm'],
    ])
  })
})

describe('a fork that its analysis rolls back', () => {
  /** The verdict is recorded, and the fork has its pods. */
  function aFailed() {
    const analysis = anAnalysis()
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Fail')
    analysis.pass()
    expect(analysis.pods()).to.equal(1)
    return analysis
  }
  const writesOf = (facts: Facts) => plan(facts).writes

  it('is no repair, and has a message of its own', () => {
    const facts = aFailed().facts()
    const { writes, conclusion } = plan(facts)
    expect(writes).to.have.length(1)
    expect(writes[0]).to.deep.include({ verb: 'apply', role: 'fork', isRepair: false })
    expect(conclusion.message).to.contain('rolled back because of the verdict of its analysis')
  })

  it('waits for nobody, also where another client keeps changing the fork', () => {
    const facts = { ...aFailed().facts(), driftBackoffMs: 60_000 }
    expect(told(writesOf(facts))).to.deep.equal(['apply fork'])
  })

  it('loses its pods although policies would not allow it', () => {
    const policies = { ...NO_POLICIES, policies: [aPolicy({ maxExperimentsPerSource: 0 } as never)] }
    const analysis = aFailed()
    analysis.world.policies = policies
    expect(told(analysis.rest())).to.deep.equal(['apply fork'])
    expect(analysis.pods()).to.equal(0)
  })

  it('loses its pods although its override has a mistake by now', () => {
    const mistake = {
      path: ['template'],
      field: 'spec.template',
      message: 'is wrong',
      cause: 'FieldValueInvalid',
    } as const
    const checkWhole = (spec: JsonObject) => (JSON.stringify(spec).includes('example/cart:2') ? [mistake] : [])
    const facts: Facts = { ...aFailed().facts(), schema: known({ ...ANY_SCHEMA, hash: 'later', checkWhole }) }
    const { writes, conclusion } = plan(facts)
    expect(conclusion.reason).to.equal('InvalidOverride')
    expect(writes[0]).to.deep.include({ verb: 'patch', role: 'fork' })
    expect(writes[0]?.verb === 'patch' && writes[0].patch.spec).to.deep.equal({ replicas: 0 })
  })

  it('is given pods by somebody: they are taken as a repair, which waits while they change it', () => {
    const analysis = aRolledBack()
    analysis.world.fork = withReplicas(analysis.world.fork, 3)
    const facts = analysis.facts()
    expect(writesOf(facts)[0]).to.deep.include({ verb: 'apply', isRepair: true })
    expect(writesOf({ ...facts, driftBackoffMs: 60_000 })).to.deep.equal([])
  })
})
