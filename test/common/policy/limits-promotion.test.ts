import { expect } from 'chai'
import { COMMAND, COMMAND_BY, REQUESTED_BY } from '../../../common/api/names.ts'
import type { ExperimentDeploymentSpec } from '../../../common/api/types.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { anExperiment } from '../../builders.ts'
import { aPolicyInput, findings } from './policy-input.ts'

const STRATEGY = { canary: { steps: [{ setWeight: 20 }] } }
const found = (policy: ExperimentPolicySpec, of: Parameters<typeof anExperiment>[0]) =>
  findings(policy, aPolicyInput({ experiment: anExperiment(of) }))

describe('the limits of a policy on promotions', () => {
  const modes: readonly (readonly [Partial<ExperimentDeploymentSpec>, ExperimentPolicySpec, ...string[]])[] = [
    [{ promotion: { mode: 'Automatic' } }, { promotionModes: ['Automatic'] }],
    [{}, { promotionModes: [] }],
    [
      { promotion: { mode: 'Automatic' } },
      { promotionModes: ['Manual', 'Export'] },
      'spec.promotion.mode: Automatic is not allowed; use Manual or Export (policy "limits")',
    ],
    [
      { strategy: STRATEGY },
      { promotionModes: ['Export'] },
      'spec.promotion.mode: Manual is not allowed; use Export (policy "limits")',
    ],
    [
      { promotion: {} },
      { promotionModes: [] },
      'spec.promotion.mode: Manual is not allowed; no promotion is allowed (policy "limits")',
    ],
  ]
  for (const [spec, policy, ...expected] of modes)
    it(`promotionModes: ${JSON.stringify(policy.promotionModes)} for ${JSON.stringify(spec)}`, () =>
      expect(found(policy, spec as Parameters<typeof anExperiment>[0])).to.deep.equal(expected))

  const STAMPED = 'promote step=2 revision=1f at=2026-11-21T10:00:00.000Z'
  const at = { phase: 'Paused', step: '2/4 Paused', stepName: 'await', since: '2026-11-21T09:00:00.000Z' } as const
  const said = (by: string): Parameters<typeof anExperiment>[0] => ({
    strategy: STRATEGY,
    metadata: { annotations: { [REQUESTED_BY]: 'alice', [COMMAND]: STAMPED, [COMMAND_BY]: by } },
    status: { strategy: { run: 'r', revision: '1f', path: 'Forward', stepIndex: 2, ...at } },
  })

  it('approverNotRequester: refuses the command of the one who changed the spec last', () =>
    expect(found({ approverNotRequester: true }, said('alice'))).to.deep.equal([
      `metadata.annotations["${COMMAND}"]: somebody other than "alice", who last changed the spec, must promote it (policy "limits")`,
    ]))

  it('N33: requireRevision: refuses the command without a revision', () => {
    expect(found({ requireRevision: true }, said('bob'))).to.deep.equal([
      `metadata.annotations["${COMMAND}"]: must name the revision: promote REVISION (policy "limits")`,
    ])
    expect(found({ requireRevision: false }, said('bob'))).to.deep.equal([])
  })

  it('approverNotRequester: allows somebody else', () => {
    expect(found({ approverNotRequester: true }, said('bob'))).to.deep.equal([])
    expect(found({}, said('alice'))).to.deep.equal([])
  })
})
