import { expect } from 'chai'
import { knownValue } from '../../../common/api/known.ts'
import { type PolicySource, readPolicyFacts } from '../../../webhook/reads/policies.ts'
import { aPolicy } from '../../builders.ts'
import { aNamespace } from '../a-decoded-request.ts'

const POLICIES = [aPolicy({ maxReplicas: 3 })]
const UNKNOWN = { is: 'unknown', because: 'the policies of this cluster' }

/** A source that cannot read the namespaces `unread`, and lists in `read` what it was asked for. */
const sourceOf = (unread: readonly string[], read: string[] = []): PolicySource => ({
  policies: () => POLICIES,
  isExcluded: (name) => name === 'kube-system',
  namespace: async (name) => {
    read.push(name)
    return unread.includes(name) ? undefined : aNamespace(name)
  },
})
const factsOf = (source: string, from: PolicySource) => readPolicyFacts({ own: 'shop', source }, from)
const namespacesOf = async (source: string, from: PolicySource) => {
  const facts = knownValue(await factsOf(source, from))
  return facts && [facts.namespace, facts.sourceNamespace]
}

describe('the policies that apply to a request', () => {
  it('see one namespace where the source is in that of the experiment, and it is read once', async () => {
    const read: string[] = []
    expect(await namespacesOf('shop', sourceOf([], read))).to.deep.equal([aNamespace('shop'), aNamespace('shop')])
    expect(read).to.deep.equal(['shop'])
  })

  it('see two namespaces where the source is in another one, each with its own labels', async () => {
    expect(await namespacesOf('till', sourceOf([]))).to.deep.equal([aNamespace('shop'), aNamespace('till')])
  })

  it('are unknown where either namespace cannot be read, because a policy may select that one', async () => {
    for (const unread of [['shop'], ['till'], ['shop', 'till']])
      expect(await factsOf('till', sourceOf(unread))).to.deep.equal(UNKNOWN)
    expect(await factsOf('shop', sourceOf(['shop']))).to.deep.equal(UNKNOWN)
  })

  it('need no namespace where there is no policy', async () => {
    const source: PolicySource = { policies: () => [], namespace: () => expect.fail('read'), isExcluded: () => false }
    expect(await namespacesOf('till', source)).to.deep.equal([aNamespace('shop', {}), aNamespace('till', {})])
  })

  it('are unknown while they have not been read', async () => {
    const source: PolicySource = {
      policies: () => undefined,
      namespace: () => expect.fail('read'),
      isExcluded: () => false,
    }
    expect(await factsOf('shop', source)).to.deep.equal(UNKNOWN)
  })

  it('S12: say that a source in a namespace that the webhooks exclude is not shared', async () => {
    const source = { ...sourceOf([]), policies: () => [aPolicy({ allowSourcesFrom: ['shop'] })] }
    expect(knownValue(await factsOf('till', source))).to.include({ isSourceExcluded: false, isShared: true })
    expect(knownValue(await factsOf('kube-system', source))).to.include({ isSourceExcluded: true, isShared: false })
  })

  it('are those that select either namespace', async () => {
    const onTeam = (team: string) => aPolicy({ name: team, namespaceSelector: { matchLabels: { team } } })
    const source = { ...sourceOf([]), policies: () => [onTeam('shop'), onTeam('till'), onTeam('lab')] }
    const facts = knownValue(await factsOf('till', source))
    expect(facts?.policies.map(({ metadata }) => metadata.name)).to.deep.equal(['shop', 'till'])
    expect(facts?.isShared).to.equal(false)
  })
})
