import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import { SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { CanaryStrategy, Strategy } from '../../../common/api/strategy.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { podPeak, podsAt } from '../../../common/situation/most-pods.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, anExperiment, aRollout, aStatefulSet, installing, UID } from '../../builders.ts'
import { assess, runState } from '../of-facts.ts'
import { type Given, someFacts } from '../plan/some-facts.ts'

const rolling = (rollingUpdate: JsonObject, replicas = 10): KubeObject =>
  aDeployment({ spec: { replicas, strategy: { type: 'RollingUpdate', rollingUpdate } } })
const RECREATED = aDeployment({ spec: { replicas: 10, strategy: { type: 'Recreate' } } })
const CANARY: Strategy = { canary: { steps: [{ setWeight: 17 }, { pause: {} }, { setWeight: 5 }] } }
const BLUE_GREEN: Strategy = { blueGreen: { activeService: 'cart', previewReplicaCount: 1 } }
const LARGE_PREVIEW: Strategy = { blueGreen: { activeService: 'cart', previewReplicaCount: 12 } }
const SET = { kind: known(statefulSet), experiment: anExperiment({ sourceRef: { kind: 'StatefulSet', name: 'cart' } }) }
const SET_CUT_OVER = anExperiment({ sourceRef: { kind: 'StatefulSet', name: 'cart' }, strategy: BLUE_GREEN })
const ROLLOUT = { kind: known(rollout), experiment: anExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' } }) }
const WITH_TWIN = anExperiment({
  strategy: { canary: { steps: [{ setWeight: 17 }, { analysis: {} }, { setWeight: 50 }] } },
  analysis: { control: 'Twin', metrics: [] },
})

const inside = (canary: CanaryStrategy) => anExperiment({ strategy: { canary: { ...canary, scaleDownSource: true } } })

/** All pods of source, fork and twin, as text, and as a quota counts them. */
function peakOf(given: Given & { isAnalyzed?: true }): string {
  const { isAnalyzed, ...others } = given
  const analysis = isAnalyzed ? { analysis: { run: undefined, runs: [] } as unknown as object } : {}
  const unread = unknown('not read')
  const installed = installing('gate', 'cutOver', ...(isAnalyzed ? (['analysis'] as const) : []))
  const read = { gate: { pods: unread }, cutOver: { services: unread }, ...analysis }
  const facts = { ...someFacts({ ...others, installed }), ...read } as Facts
  const assessment = assess(facts)
  if (assessment.is !== 'wanted') throw new Error(JSON.stringify(assessment.decision))
  const peak = podPeak(facts, assessment.fork, runState(facts, assessment.fork))
  if (!peak) throw new Error('there is no source')
  const parts = [peak.source, peak.fork, peak.twin].map(({ replicas, surge }) => `${replicas}+${surge}`)
  return `${parts.join(' ')}: ${podsAt(peak)}, ${peak.counted}`
}

describe('the most pods at one moment', () => {
  const cases: Record<string, readonly [Given & { isAnalyzed?: true }, string]> = {
    'are those of the source, of its fork, and of their own rollouts': [
      { source: rolling({ maxSurge: '25%' }), experiment: anExperiment({ replicas: 2 }) },
      '10+3 2+1 0+0: 16, 24',
    ],
    'are without a surge where the source has none': [
      { source: rolling({ maxSurge: 0, maxUnavailable: 1 }), experiment: anExperiment({ replicas: 2 }) },
      '10+0 2+0 0+0: 12, 24',
    ],
    'are counted with those that have just ended where these end first': [
      { source: RECREATED },
      '10+0 1+0 0+0: 11, 22',
    ],
    'are at most twice the replicas, however large the surge is': [
      { source: rolling({ maxSurge: '300%' }) },
      '10+10 1+1 0+0: 22, 22',
    ],
    'have no surge of a StatefulSet, and are counted with the pod of each that has just ended': [
      { ...SET, source: aStatefulSet({ spec: { replicas: 4 } }) },
      '4+0 1+0 0+0: 5, 7',
    ],
    'are counted with the shut pods of a StatefulSet, which end at once': [
      { ...SET, source: aStatefulSet({ spec: { replicas: 4 } }), experiment: SET_CUT_OVER },
      '4+0 4+0 0+0: 8, 13',
    ],
    'have that of the canary of a Rollout': [
      { ...ROLLOUT, source: aRollout({ replicas: 10, strategy: { canary: { maxSurge: 2 } } }) },
      '10+2 1+1 0+0: 14, 22',
    ],
    'have all pods of a Rollout twice that is a blue-green': [
      { ...ROLLOUT, source: aRollout({ replicas: 10, strategy: { blueGreen: { activeService: 'cart' } } }) },
      '10+10 1+1 0+0: 22, 22',
    ],
    'are those of the largest step of a canary': [
      { source: rolling({ maxSurge: 3 }), experiment: anExperiment({ strategy: CANARY }) },
      '10+3 2+2 0+0: 17, 24',
    ],
    'have the surge of the strategy that a promotion gives the source': [
      {
        source: RECREATED,
        experiment: anExperiment({
          promotion: {},
          overrideSpec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 4 } } },
        }),
      },
      '10+4 10+4 0+0: 28, 40',
    ],
    'have all pods of a blue-green, of which only open ones are updated with a surge': [
      { source: rolling({ maxSurge: '25%' }), experiment: anExperiment({ strategy: BLUE_GREEN }) },
      '10+3 10+3 0+0: 26, 40',
    ],
    'have a twin, which nobody updates': [
      {
        source: rolling({ maxSurge: '25%' }),
        experiment: anExperiment({ replicas: 2, analysis: { control: 'Twin', metrics: [] } }),
        isAnalyzed: true,
      },
      '10+3 2+1 2+0: 18, 28',
    ],
    'are counted with a twin that has just left': [
      { source: rolling({ maxSurge: 3 }), experiment: WITH_TWIN, isAnalyzed: true },
      '10+3 10+3 0+0: 26, 42',
    ],
    'are counted at another moment where more of them have no surge': [
      { source: rolling({ maxSurge: '25%' }), experiment: anExperiment({ strategy: LARGE_PREVIEW }) },
      '10+3 10+3 0+0: 26, 44',
    ],
    'are those of the bounds and of both rollouts, where the source gets smaller': [
      { source: rolling({ maxSurge: 1 }), experiment: inside({ steps: [{ setWeight: 20 }, { setWeight: 80 }] }) },
      '8+1 5+1 0+0: 15, 26',
    ],
    'are no more than the source has without a surge': [
      {
        source: rolling({ maxSurge: 1 }),
        experiment: inside({ maxSurge: 0, maxUnavailable: 2, steps: [{ setWeight: 20 }] }),
      },
      '8+1 2+1 0+0: 12, 20',
    ],
    'are those of a source that is small already': [
      {
        source: { ...rolling({ maxSurge: 1 }, 8), metadata: { name: 'cart', labels: { [SCALED]: `${UID}.10.8` } } },
        experiment: inside({ steps: [{ setWeight: 20 }] }),
      },
      '8+1 5+1 0+0: 15, 26',
    ],
  }
  for (const [sentence, [given, expected]] of Object.entries(cases))
    it(`N17: ${sentence}`, () => expect(peakOf(given)).to.equal(expected))
})
