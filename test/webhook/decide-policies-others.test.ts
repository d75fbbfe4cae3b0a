import { expect } from 'chai'
import type { ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { anExperiment, aStatefulSet } from '../builders.ts'
import { aService, aSlice } from './reviews.ts'
import { linesFor, policy } from './under-policies.ts'

/** The first line for a new experiment, beside another one at half of the requests that has this status. */
async function beside(status: ExperimentDeploymentStatus): Promise<string | undefined> {
  const strategy = { canary: { steps: [{ setWeight: 50 }] } }
  const told = { observedGeneration: 1, ...status }
  const rival = anExperiment({ metadata: { name: 'rival', uid: 'uid-of-rival' }, strategy, status: told })
  const [first] = await linesFor({ policies: [policy({ maxShare: '25%' })], others: [rival] })
  return first
}

const run = { run: 'r', revision: 'v', path: 'Forward', stepIndex: 1, stepName: 'pause', since: '' } as const

describe('the decision under a policy that limits the share', () => {
  it('counts the pods of the fork of another experiment, also while they are being created', async () => {
    const strategy = { ...run, phase: 'Paused', step: '1/3 Paused' } as const
    expect(await beside({ strategy, pods: '0/10', replicas: 0 })).to.contain('11 of 14 endpoints of service/cart')
  })

  it('counts no pods of another experiment that has been promoted, because its fork is gone', async () => {
    const strategy = { ...run, phase: 'Promoted', step: '3/3 Promoted' } as const
    expect(await beside({ strategy })).to.match(/^\[Plan\] creates/)
  })

  it('counts one pod of a fork behind a Service that selects one pod of each StatefulSet', async () => {
    const first = aService('first', { app: 'cart', 'apps.kubernetes.io/pod-index': '0' })
    const given = {
      world: [aStatefulSet(), first, aSlice(['cart-0'], 'first')],
      request: { object: anExperiment({ sourceRef: { kind: 'StatefulSet', name: 'cart' }, replicas: 3 }) },
    }
    const [half] = await linesFor({ ...given, policies: [policy({ maxShare: '50%' })] })
    expect(half).to.match(/^\[Plan\] creates/)
    const [less] = await linesFor({ ...given, policies: [policy({ maxShare: '49%' })] })
    expect(less).to.contain('1 of 2 endpoints of service/first')
  })
})
