import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { ForkAndSource } from '../../../common/surroundings/pod-labels.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aFork, aRollout, aStatefulSet } from '../../builders.ts'
import { ours, rows, service, slice } from './rows.ts'

/** A Rollout whose strategy is `strategy`, and its fork. */
const rolledOut = (strategy: JsonObject): Partial<ForkAndSource> => {
  const source = aRollout({ strategy })
  return { kind: rollout, source, fork: aFork(source) }
}
const canary = (of: JsonObject): Partial<ForkAndSource> => rolledOut({ canary: of })
const numbered = (): Partial<ForkAndSource> => {
  const source = aStatefulSet()
  return { kind: statefulSet, source, fork: aFork(source) }
}

const POD_NAME = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX = 'apps.kubernetes.io/pod-index'
const HASH = 'rollouts-pod-template-hash'

interface RowCase {
  readonly selector: Readonly<Record<string, string>>
  readonly name?: string
  readonly of?: Partial<ForkAndSource>
  readonly selected: boolean
  readonly reason?: string
  readonly says?: string
}

const reasons: Record<string, RowCase> = {
  'names the labels that the fork lacks, for LabelsDoNotMatch': {
    selector: { app: 'cart', tier: 'web' },
    selected: false,
    reason: 'LabelsDoNotMatch',
    says: "the fork's pods lack tier=web",
  },
  'gives LabelsDoNotMatch for a Service of one revision of a Deployment': {
    selector: { app: 'cart', 'pod-template-hash': '5c6b' },
    selected: false,
    reason: 'LabelsDoNotMatch',
  },
  'names a label of stableMetadata, for LabelsDoNotMatch': {
    selector: { app: 'cart', role: 'stable' },
    of: canary({ stableMetadata: { labels: { role: 'stable' } } }),
    selected: false,
    reason: 'LabelsDoNotMatch',
    says: "the fork's pods lack role=stable",
  },
  'gives PinnedByRollout for a stableService': {
    selector: { app: 'cart', [HASH]: '5c6b' },
    name: 'stable',
    of: canary({ stableService: 'stable' }),
    selected: false,
    reason: 'PinnedByRollout',
    says: `the Rollout limits it to one revision: ${HASH}=5c6b`,
  },
  'gives PinnedByRollout for an activeService': {
    selector: { app: 'cart', [HASH]: '5c6b' },
    name: 'active',
    of: rolledOut({ blueGreen: { activeService: 'active' } }),
    selected: false,
    reason: 'PinnedByRollout',
  },
  'gives PinnedByRollout for any other Service with the hash of a revision': {
    selector: { app: 'cart', [HASH]: '5c6b' },
    of: canary({}),
    selected: false,
    reason: 'PinnedByRollout',
    says: `it is limited to one revision: ${HASH}=5c6b`,
  },
  'selects the root Service of a Rollout': {
    selector: { app: 'cart' },
    name: 'root',
    of: canary({ stableService: 'stable' }),
    selected: true,
  },
  'gives RoutedByRollout and no share if the Rollout routes requests': {
    selector: { app: 'cart' },
    of: canary({ trafficRouting: { nginx: { stableIngress: 'cart' } } }),
    selected: true,
    reason: 'RoutedByRollout',
  },
  'gives PinnedToPod for a Service on the name of one pod': {
    selector: { [POD_NAME]: 'cart-0' },
    of: numbered(),
    selected: false,
    reason: 'PinnedToPod',
    says: `it selects one pod of the source only (${POD_NAME}=cart-0)`,
  },
  'gives ServiceIsTaken for a Service that another experiment has': {
    selector: { app: 'cart', [EXPERIMENT_ID]: '0123456789' },
    selected: false,
    reason: 'ServiceIsTaken',
    says: 'it sends only to the experiment with the id 0123456789',
  },
  'selects a Service on an ordinal that the fork has too': {
    selector: { app: 'cart', [POD_INDEX]: '0' },
    of: numbered(),
    selected: true,
  },
  'gives PinnedToPod for a Service on an ordinal that the fork does not have': {
    selector: { app: 'cart', [POD_INDEX]: '2' },
    of: numbered(),
    selected: false,
    reason: 'PinnedToPod',
  },
}

describe('serviceShares, by reason', () => {
  for (const [sentence, { selector, name = 'cart', of = {}, ...expected }] of Object.entries(reasons))
    it(sentence, () => {
      const [row] = rows([service(name, selector)], [slice(name, ours, 'cart-1')], of)
      expect(row).to.include({ name, selected: expected.selected })
      expect(row?.reason).to.equal(expected.reason)
      if (expected.says) expect(row?.message).to.equal(expected.says)
      expect(row?.share !== undefined).to.equal(expected.selected && expected.reason === undefined)
    })

  it('leaves out a Service for one pod of another StatefulSet', () =>
    expect(rows([service('other-0', { [POD_NAME]: 'other-0' })], [], numbered())).to.deep.equal([]))
})
