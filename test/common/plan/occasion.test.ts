import { expect } from 'chai'
import type { CanaryStep } from '../../../common/api/strategy.ts'
import { runStatus } from '../../../common/strategy/run.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { evaluate, plan } from '../of-facts.ts'
import { type Given, someFacts, theFork } from './some-facts.ts'

/** The message of the pass in which a source of ten pods shrinks to three, while its run is at the second step. */
function onShrinking(steps: readonly CanaryStep[], replicas: number): string {
  const strategy = { canary: { steps } }
  const planned = (given: Given) => {
    const facts = someFacts(given)
    return plan(facts, evaluate(facts)).conclusion
  }
  const given = { experiment: anExperiment({ strategy }), source: aDeployment({ spec: { replicas: 10 } }) }
  const { run } = planned(given)
  if (!run) throw new Error('there is no run')
  const fork = theFork(given)
  const { name, namespace, uid = '', generation = 0 } = fork.metadata
  const status = {
    observedGeneration: 1,
    strategy: runStatus({ ...run.run, stepIndex: 1 }, run.steps, undefined),
    experimentResourceRef: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name,
      namespace: namespace ?? '',
      uid,
      generation,
    },
  }
  const experiment = anExperiment({ strategy, replicas, status })
  return planned({ experiment, fork, source: aDeployment({ spec: { replicas: 3 } }) }).message
}

describe('the occasion of a write', () => {
  it('is the weight that decides, during the pause after it', () =>
    expect(onShrinking([{ setWeight: 30 }, { pause: {} }], 1)).to.contain('setWeight 30%: 1 pod'))

  it('is spec.replicas where no weight decides', () =>
    expect(onShrinking([{ pause: {} }, { pause: {} }], 2)).to.contain('spec.replicas: 2 pods'))
})
