import { expect } from 'chai'
import type { ExperimentDeploymentSpec } from '../../../common/api/types.ts'
import { meantWarnings } from '../../../common/assess/meant.ts'
import { anExperiment } from '../../builders.ts'

const steps = (...of: readonly object[]) =>
  ({ strategy: { canary: { steps: of } } }) as Partial<ExperimentDeploymentSpec>
const threshold = (query: string) =>
  ({
    analysis: { metrics: [{ name: 'a', kind: 'Threshold', provider: 'p', lessThan: 1, prometheus: { query } }] },
  }) as unknown as Partial<ExperimentDeploymentSpec>

const cases: Readonly<Record<string, readonly [Partial<ExperimentDeploymentSpec>, string | undefined]>> = {
  'a ttl that ends within the pauses': [
    { ...steps({ pause: { duration: '1h' } }, { pause: { duration: 1_800 } }), ttlSeconds: 3_600 },
    'spec.ttlSeconds: the experiment expires after 1h, and the pauses of its steps take 1h30m; raise it',
  ],
  'no ttl that ends behind the pauses, nor pauses without a time': [
    { ...steps({ pause: { duration: '1h' } }, { pause: {} }), ttlSeconds: 3_601 },
    undefined,
  ],
  'setWeight 100 as the last step, without a promotion': [
    steps({ setWeight: 10 }, { setWeight: 100 }),
    'spec.strategy.canary.steps[1].setWeight: the fork gets as many pods as the source, which keeps its own, so about ' +
      'half of the requests; leave it out, and give the command promote instead',
  ],
  'no setWeight 100 before a promotion': [{ ...steps({ setWeight: 100 }), promotion: { mode: 'Manual' } }, undefined],
  'replicas beside a canary': [
    { ...steps({ setWeight: 10 }), replicas: 3 },
    'spec.replicas: has no effect, because the steps say how many pods the fork has; remove it, and do not scale',
  ],
  'no replicas of a gated canary': [
    { ...steps({ setWeight: 10 }), replicas: 3, traffic: { mode: 'Gated' } },
    undefined,
  ],
  'a Threshold of all pods': [
    threshold('sum(rate(errors[5m]))'),
    'spec.analysis.metrics[0].prometheus.query: it does not say {{pods}}, so its value is not that of the fork alone; ' +
      'select by pod=~"{{pods}}"',
  ],
  'no Threshold of the fork': [threshold('sum(rate(errors{pod=~"{{pods}}"}[5m]))'), undefined],
}

describe('what an experiment asks for and rarely is meant', () => {
  for (const [what, [spec, message]] of Object.entries(cases))
    it(`N26: is ${what}`, () =>
      expect(meantWarnings(anExperiment(spec))).to.deep.equal(
        message === undefined ? [] : [{ reason: 'LikelyMistake', message }],
      ))
})
