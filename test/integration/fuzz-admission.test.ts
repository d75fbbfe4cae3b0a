import { expect } from 'chai'
import { type SourceKind, WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { type Opened, openCourt } from '../fuzz/admission/court.ts'
import type { Judged } from '../fuzz/admission/judge.ts'
import { judgeMany } from '../fuzz/admission/run.ts'
import { groupsOf, tableOf, verdictOf } from '../fuzz/admission/table.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'
import { usesRolloutCrds } from './rollout-crds.ts'

/** `npm run fuzz -- admission` judges thousands with any seed. */
const COUNT = 200
const SEED = 42

describe('overrides that are generated from the schemas', () => {
  const plane = usesControlPlane()
  usesRolloutCrds()
  let opened: Opened | undefined
  const all: Judged[] = []

  before('the webhook and the API server are asked', async () => {
    opened = await openCourt(plane(), await aNamespace())
    for (const kind of Object.keys(WORKLOAD_KINDS) as SourceKind[])
      all.push(...(await judgeMany(opened, kind, { count: COUNT, seed: SEED })))
  })
  after('the connections are closed', () => opened?.close())

  const of = (verdict: string) => all.filter((judged) => verdictOf(judged) === verdict)

  it('M1 to M5: are taken by the API server where the webhook admits them, but for 1 %', () => {
    const share = of('false admit').length / (of('right admit').length + of('false admit').length)
    expect(share, groupsOf(all, 'false admit').join('\n')).to.be.at.most(0.01)
  })

  it('M1 to M5: are refused by the API server where the webhook refuses them', () =>
    expect(groupsOf(all, 'false refusal').join('\n')).to.equal(''))

  it('are of both sorts, valid and not', () => {
    for (const verdict of ['right admit', 'right refusal'])
      expect(of(verdict).length, tableOf(all).join('\n')).to.be.above(all.length / 4)
  })
})
