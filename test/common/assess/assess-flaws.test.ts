import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { aDeployment, anExperiment, pinnedTo } from '../../builders.ts'
import { assess } from '../of-facts.ts'
import { type Given, someFacts } from '../plan/some-facts.ts'

const PORTS = [
  { containerPort: 80, name: 'http' },
  { containerPort: 80, name: 'web' },
]
const TWO_NAMES = aDeployment({ container: { ports: PORTS } })
const TWO_VALUES = aDeployment({
  container: {
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: 'x$(A)' },
      { name: 'A', value: '2' },
    ],
  },
})
const INEXACT = aDeployment({ pod: { terminationGracePeriodSeconds: Number('9223372036854775807') } })

const pod = (spec: JsonObject, overrideType: 'Merge' | 'Strategic' = 'Merge') =>
  anExperiment({ overrideSpec: { template: { spec } }, overrideType })
const cart = (container: JsonObject, overrideType: 'Merge' | 'Strategic') =>
  pod({ containers: [{ name: 'cart', ...container }] }, overrideType)

/** What becomes of a fork: its warnings, or why there is none. */
function outcomeOf(of: Given): readonly string[] {
  const found = assess(someFacts(of))
  return found.is === 'blocked'
    ? [`${found.decision.reason}: ${found.decision.message}`]
    : ['wanted', ...found.warnings().map(({ message }) => message)]
}

describe('a source of which server-side apply would refuse a fork', () => {
  const twoNames =
    'SourceNotForkable: spec.sourceRef.name: deployment/cart cannot be forked: ' +
    'spec.template.spec.containers[0].ports[1]: duplicate of [0] (containerPort 80, protocol "TCP"), which ' +
    'server-side apply refuses; remove one of them in the source, or replace the list with overrideType: Merge'
  const inexact =
    'SourceNotForkable: spec.sourceRef.name: deployment/cart cannot be forked: ' +
    'spec.template.spec.terminationGracePeriodSeconds: an integer beyond 2^53 cannot be kept exactly; ' +
    'set a smaller one in the source, or in the override'
  const { revision, status } = pinnedTo(TWO_NAMES)

  const cases: Record<string, readonly [Given, ...string[]]> = {
    'D3: is not forkable with an integer beyond 2^53': [{ source: INEXACT }, inexact],
    'D3: is forkable if the override replaces the integer': [
      { source: INEXACT, experiment: pod({ terminationGracePeriodSeconds: 5 }) },
      'wanted',
    ],
    'D4: is not forkable with one port under two names': [{ source: TWO_NAMES }, twoNames],
    'D4: is forkable if the override replaces the ports': [
      { source: TWO_NAMES, experiment: cart({ image: 'x', ports: [{ containerPort: 80 }] }, 'Merge') },
      'wanted',
    ],
    'D4: is forkable if a Strategic override removes the ports': [
      { source: TWO_NAMES, experiment: cart({ ports: null }, 'Strategic') },
      'wanted',
    ],
    'D4: is not forkable if a Strategic override changes one of the two': [
      { source: TWO_NAMES, experiment: cart({ ports: [{ containerPort: 80, name: 'a' }] }, 'Strategic') },
      twoNames,
    ],
    'D4: is forkable with the same item twice, and warns': [
      { source: aDeployment({ container: { ports: [{ containerPort: 80 }, { containerPort: 80 }] } }) },
      'wanted',
      'spec.template.spec.containers[0].ports of the source lists the same item twice; the fork has it once',
    ],
    'is not forkable with two values of a variable if another one contains the first': [
      { source: TWO_VALUES, experiment: cart({ env: [{ name: 'B', value: '7' }] }, 'Strategic') },
      'SourceNotForkable: spec.sourceRef.name: deployment/cart cannot be forked: ' +
        'spec.template.spec.containers[0].env[2]: duplicate of [0] (name "A"), which server-side apply refuses; ' +
        'remove one of them in the source, or replace the list with overrideType: Merge',
    ],
    'is forkable if the override replaces the variables': [
      { source: TWO_VALUES, experiment: cart({ image: 'x', env: [{ name: 'A' }, { name: 'B' }] }, 'Merge') },
      'wanted',
    ],
    'D4: is judged with the override too where the base is pinned': [
      { revision, experiment: anExperiment({ onSourceChange: 'Pin', status }) },
      twoNames,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(outcomeOf(given)).to.deep.equal(expected))
})
