import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { knownValue } from '../../../common/api/known.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { type PolicySource, policySource, readPolicyFacts } from '../../../webhook/reads/policies.ts'
import { aPolicy } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'
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

/** An API server with one namespace, or with a failure. It counts its requests. */
function world() {
  const time = new VirtualTime()
  const state = { asked: 0, labels: { team: 'a' } as object, trouble: undefined as KubeErrorKind | undefined }
  const request = async () => {
    state.asked += 1
    if (state.trouble) throw new KubeError({ kind: state.trouble, message: 'no' })
    return { kind: 'Namespace', metadata: { name: 'shop', labels: state.labels } }
  }
  const source = policySource(
    { hasSynced: true, list: () => [] },
    { client: { request }, timers: time, ownNamespace: 'experiment-controller-system' },
  )
  return { time, state, shop: () => source.namespace('shop') }
}

describe('the namespaces that policies see', () => {
  it('are read once a minute', async () => {
    const { time, state, shop } = world()
    expect((await Promise.all([shop(), shop()]))[1]).to.deep.equal({ name: 'shop', labels: { team: 'a' } })
    state.labels = { team: 'b' }
    await time.pass(59_999)
    expect((await shop())?.labels).to.deep.equal({ team: 'a' })
    await time.pass(1)
    expect((await shop())?.labels).to.deep.equal({ team: 'b' })
    expect(state.asked).to.equal(2)
  })

  it('have the label of their name where they do not exist yet, and are read again', async () => {
    const { state, shop } = world()
    state.trouble = 'notFound'
    expect((await shop())?.labels).to.deep.equal({ 'kubernetes.io/metadata.name': 'shop' })
    await shop()
    expect(state.asked).to.equal(2)
  })

  it('are unknown where the API server does not answer', async () => {
    const { state, shop } = world()
    state.trouble = 'unreachable'
    expect(await shop()).to.equal(undefined)
    state.trouble = undefined
    expect(await shop()).to.not.equal(undefined)
  })
})
