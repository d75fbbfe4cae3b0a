import { expect } from 'chai'
import { Metrics } from '../../common/program/metrics.ts'
import { controllerMetrics } from '../../controller/metrics.ts'

describe('the metrics of the controller', () => {
  it('say what is wrong with policies and forks, and who leads', async () => {
    const metrics = new Metrics()
    const lease = { isHeld: false, ageSeconds: 1.5 as number | undefined }
    controllerMetrics(metrics, {
      controller: { violating: 2, policyMistakes: 3, orphaned: 4 },
      leader: {
        held: () => lease.isHeld,
        get leaseAgeSeconds() {
          return lease.ageSeconds
        },
      },
    })
    const values = async () => (await metrics.text()).split('\n').filter((line) => /^\w/.test(line))
    const policies = [
      'experiment_controller_policy_violations 2',
      'experiment_controller_policy_mistakes 3',
      'experiment_controller_orphaned_forks 4',
    ]
    expect(await values()).to.deep.equal([
      ...policies,
      'experiment_controller_leader 0',
      'experiment_controller_lease_age_seconds 1.5',
    ])
    Object.assign(lease, { isHeld: true, ageSeconds: 0 })
    expect((await values()).slice(-2)).to.deep.equal([
      'experiment_controller_leader 1',
      'experiment_controller_lease_age_seconds 0',
    ])
  })
})
