import { expect } from 'chai'
import { ABSENT, known } from '../../../common/api/known.ts'
import { forkAndSource, policyFacts } from '../../../common/facts/facts.ts'
import { isCounting } from '../../../common/outcome/policy-decision.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import type { GatedPod } from '../../../common/strategy/gate.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { twinName } from '../../../common/workload/identity.ts'
import { aDeployment, anExperiment, aPolicy } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aGatedPod } from '../strategy/gated-pods.ts'

const SHOP = { name: 'shop', labels: { team: 'a' } }
const TILL = { name: 'till', labels: { team: 'b' } }
const onTeam = (team: string, spec: ExperimentPolicySpec = {}, name = team) =>
  aPolicy({ name, namespaceSelector: { matchLabels: { team } }, ...spec })
const factsOf = (...policies: readonly ReturnType<typeof aPolicy>[]) =>
  policyFacts(policies, { namespace: SHOP, sourceNamespace: TILL, isExcluded: () => false })

describe('the facts about policies', () => {
  it('have the policies that select either namespace', () => {
    const { policies, namespace, sourceNamespace } = factsOf(onTeam('a'), onTeam('b'), onTeam('c'))
    expect(policies.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b'])
    expect([namespace, sourceNamespace]).to.deep.equal([SHOP, TILL])
  })

  it('say that a source of the same namespace is shared', () =>
    expect(policyFacts([], { namespace: SHOP, sourceNamespace: SHOP, isExcluded: () => true })).to.include({
      isSourceExcluded: false,
      isShared: true,
    }))

  it('S12: say that a source of an excluded namespace is not shared, whatever policies allow', () => {
    const isExcluded = (name: string) => name === 'till'
    const sharing = aPolicy({ allowSourcesFrom: ['shop'] })
    expect(policyFacts([sharing], { namespace: SHOP, sourceNamespace: TILL, isExcluded })).to.include({
      isSourceExcluded: true,
      isShared: false,
    })
  })

  it('say that a source of another namespace is shared only where a policy on it says so', () => {
    expect(factsOf()).to.include({ isShared: false })
    expect(factsOf(onTeam('b', { allowSourcesFrom: ['shop'] }))).to.include({ isShared: true })
    expect(factsOf(onTeam('a', { allowSourcesFrom: ['shop'] }))).to.include({ isShared: false })
  })

  it('name the policies that refuse to share it', () => {
    const facts = factsOf(
      onTeam('b', { allowSourcesFrom: ['shop'] }, 'yes'),
      onTeam('b', { allowSourcesFrom: ['lab'] }, 'no'),
    )
    expect([facts.isShared, facts.refusing]).to.deep.equal([false, ['no']])
  })

  it('have no other experiments yet', () => expect(factsOf()).to.deep.include({ others: [], othersAsOf: 0 }))
})

describe('the other experiments', () => {
  const counting: readonly ExperimentPolicySpec[] = [
    { maxShare: '25%' },
    { maxExperimentsPerSource: 2 },
    { maxExperimentsPerNamespace: 2 },
  ]
  for (const spec of counting)
    it(`are counted for ${Object.keys(spec)} alone`, () =>
      expect(isCounting(factsOf(aPolicy({ maxReplicas: 3 }), aPolicy(spec)))).to.equal(true))

  it('are not counted where nothing limits their number', () => {
    expect(isCounting(factsOf())).to.equal(false)
    expect(isCounting(factsOf(aPolicy({ maxReplicas: 3, maxTTLSeconds: 60 })))).to.equal(false)
  })

  it('are not counted for a policy on other namespaces', () =>
    expect(isCounting(factsOf(onTeam('c', { maxExperimentsPerSource: 2 })))).to.equal(false))
})

describe('a fork and its source', () => {
  const fork = aDeployment({ name: 'fork' })

  it('are the fork with what is known of the source', () => {
    expect(forkAndSource(someFacts(), fork)).to.deep.equal({
      kind: deployment,
      source: aDeployment(),
      referents: [],
      fork,
      twinName: twinName(anExperiment()),
    })
    expect(forkAndSource(someFacts({ source: undefined }), fork)).to.include({ source: undefined })
  })

  it('say that a load balancer sends to pods of the fork', () => {
    const withPods = (...pods: readonly GatedPod[]) => ({ ...someFacts(), gate: { pods: known(pods) } })
    const [plain, balanced] = [aGatedPod('cart-0'), aGatedPod('cart-1', { isBalanced: true })]
    expect(forkAndSource(withPods(plain, balanced), fork)).to.include({ isBalanced: true })
    expect(forkAndSource(withPods(plain), fork)).not.to.have.property('isBalanced')
  })

  it('are undefined without a fork, or while its kind is not known', () => {
    expect(forkAndSource(someFacts(), undefined)).to.equal(undefined)
    expect(forkAndSource(someFacts({ kind: ABSENT }), fork)).to.equal(undefined)
  })
})
