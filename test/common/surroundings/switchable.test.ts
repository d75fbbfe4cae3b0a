import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject, Labels } from '../../../common/api/object.ts'
import { notSwitchable } from '../../../common/surroundings/switchable.ts'
import { serviceView } from '../../../common/surroundings/traffic.ts'

const podsWith = (labels: Labels) => ({ labels, hasPerPodLabel: () => false })
const PODS = { fork: podsWith({ app: 'cart', tier: 'new' }), source: podsWith({ app: 'cart', tier: 'old' }) }

interface Of {
  readonly selector?: Labels
  readonly annotations?: Labels
  readonly isActive?: boolean
}

/** The answer about a Service `cart`, as `reason: message`. */
function answerOn({ selector = {}, annotations = {}, isActive = true }: Of): string | undefined {
  const metadata = { name: 'cart', annotations }
  const service: KubeObject = { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector } }
  const found = notSwitchable('cart', serviceView(service), { ...PODS, isActive })
  return found && `${found.reason}: ${found.message}`
}

const cases: Readonly<Record<string, readonly [Of, string | undefined]>> = {
  'can be switched if it selects both sides': [{ selector: { app: 'cart' } }, undefined],
  'can be switched if an experiment has it now': [{ selector: { app: 'cart', [EXPERIMENT_ID]: 'x' } }, undefined],
  'cannot, if it selects only the fork, because it would not go back': [
    { selector: { tier: 'new' } },
    'ServiceDoesNotMatch: service/cart does not select the pods of the source, which lack tier=new; name one that does',
  ],
  'can, if it is the preview of such a fork': [{ selector: { tier: 'new' }, isActive: false }, undefined],
  'cannot, if it does not select the fork': [
    { selector: { tier: 'old' } },
    'ServiceDoesNotMatch: service/cart does not select the pods of the fork, which lack tier=old; keep these labels',
  ],
  'cannot without a selector: it has endpoints of its own': [
    {},
    'ServiceDoesNotMatch: service/cart has no selector, so it cannot be limited to pods; name another Service',
  ],
  'cannot where Argo Rollouts limits it to a revision': [
    { selector: { app: 'cart', 'rollouts-pod-template-hash': '5d4f' } },
    'ServiceIsManaged: Argo Rollouts changes the selector of service/cart; name a Service that no Rollout names',
  ],
  'cannot where Argo Rollouts says that it manages it': [
    { selector: { app: 'cart' }, annotations: { 'argo-rollouts.argoproj.io/managed-by-rollouts': 'cart' } },
    'ServiceIsManaged: Argo Rollouts changes the selector of service/cart; name a Service that no Rollout names',
  ],
}

describe('a Service that a blue-green names', () => {
  for (const [sentence, [of, expected]] of Object.entries(cases))
    it(sentence, () => expect(answerOn(of)).to.equal(expected))
})
