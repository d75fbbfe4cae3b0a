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

  const said = (command: string, by?: string) => ({
    strategy: STRATEGY,
    metadata: {
      annotations: { [REQUESTED_BY]: 'alice', [COMMAND]: command, ...(by === undefined ? {} : { [COMMAND_BY]: by }) },
    },
  })
  const stamped = 'promote step=2 revision=1f at=2026-11-21T10:00:00.000Z'

  it('approverNotRequester: refuses the command of the one who changed the spec last', () =>
    expect(found({ approverNotRequester: true }, said(stamped, 'alice'))).to.deep.equal([
      `metadata.annotations["${COMMAND}"]: somebody else than "alice", who last changed the spec, must promote it (policy "limits")`,
    ]))

  it('approverNotRequester: allows somebody else, other commands, and what no webhook has seen', () => {
    expect(found({ approverNotRequester: true }, said(stamped, 'bob'))).to.deep.equal([])
    expect(found({ approverNotRequester: true }, said('abort', 'alice'))).to.deep.equal([])
    expect(found({ approverNotRequester: true }, said(stamped))).to.deep.equal([])
    expect(found({}, said(stamped, 'alice'))).to.deep.equal([])
  })
})
