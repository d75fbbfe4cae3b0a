import { expect } from 'chai'
import { waiting } from '../../../common/facts/decision.ts'
import type { Conclusion, Plan } from '../../../common/outcome/conclusion.ts'
import type { RunPart } from '../../../common/outcome/part.ts'
import { compose } from '../../../common/plan/compose.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { Write } from '../../../common/writes/write.ts'
import { aDeployment } from '../../builders.ts'

const write = (name: string): Write => ({
  ...({ verb: 'patch', role: 'service', resource: deployment, patch: {} } as const),
  of: aDeployment({ metadata: { name } }),
})
const conclusion: Conclusion = { ...waiting('Updating', 'the fork'), fork: undefined, source: undefined }
const fork: Plan = { writes: [write('fork')], conclusion, reservation: { replicas: 1, asOf: 0 } }
const analysis = { writes: [write('analysis')] }
const twin = { writes: [write('twin')] }

/** The names of the written objects, in their order. */
const namesOf = ({ writes }: Plan) =>
  writes.map((each) => ('of' in each ? each.of.metadata.name : each.object.metadata.name))
const composed = (run: RunPart | undefined) => compose({ fork, run, analysis, twin })

describe('a plan', () => {
  it('has the fork first, then the run, the analysis and the twin; only what is returned comes before the fork', () => {
    expect(namesOf(composed(undefined))).to.deep.equal(['fork', 'analysis', 'twin'])
    const run = { first: [write('returned')], writes: [write('pinned')] }
    expect(namesOf(composed(run))).to.deep.equal(['returned', 'fork', 'pinned', 'analysis', 'twin'])
  })

  it('that moves the run writes nothing for the fork, and needs no reservation', () => {
    const { reservation, ...moved } = composed({ isStatusOnly: true, writes: [write('pinned')] })
    expect([namesOf(moved), reservation]).to.deep.equal([['analysis', 'twin'], undefined])
    expect(composed(undefined).reservation).to.equal(fork.reservation)
  })

  it('is told as the last part says that says something', () => {
    expect(composed({ decision: waiting('Promoting', 'the run') }).conclusion.message).to.equal('the run')
    expect(composed({}).conclusion.message).to.equal('the fork')
  })
})
