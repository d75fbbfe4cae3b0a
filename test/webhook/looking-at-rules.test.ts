import { expect } from 'chai'
import { lookAtRules, type PolicySource } from '../../webhook/look.ts'
import { aPolicy } from '../builders.ts'
import { aNamespace } from './an-asked.ts'
import { aRequest } from './reviews.ts'

describe('the namespaces by which policies select', () => {
  const policies = [aPolicy({ maxReplicas: 3 })]
  const sourceOf = (unread: readonly string[], asked: string[] = []): PolicySource => ({
    policies: () => policies,
    namespace: async (name) => {
      asked.push(name)
      return unread.includes(name) ? undefined : aNamespace(name)
    },
  })
  const spot = (namespace: string) => ({ request: aRequest(), place: { namespace } })
  const namespacesOf = async (spotted: ReturnType<typeof spot>, source: PolicySource) => {
    const rules = await lookAtRules(spotted, source)
    return rules && [rules.namespace, rules.sourceNamespace]
  }

  it('are one where the source is in the experiment’s own, and that is read once', async () => {
    const asked: string[] = []
    expect(await namespacesOf(spot('shop'), sourceOf([], asked))).to.deep.equal([
      aNamespace('shop'),
      aNamespace('shop'),
    ])
    expect(asked).to.deep.equal(['shop'])
  })

  it('are two where the source is elsewhere, each with its own labels', async () => {
    expect(await namespacesOf(spot('till'), sourceOf([]))).to.deep.equal([aNamespace('shop'), aNamespace('till')])
  })

  it('are unknown where either cannot be read: a policy may be about that one', async () => {
    for (const unread of [['shop'], ['till'], ['shop', 'till']])
      expect(await namespacesOf(spot('till'), sourceOf(unread))).to.equal(undefined)
    expect(await namespacesOf(spot('shop'), sourceOf(['shop']))).to.equal(undefined)
  })

  it('are not read where there is no policy', async () => {
    const source: PolicySource = { policies: () => [], namespace: () => expect.fail('read') }
    expect(await namespacesOf(spot('till'), source)).to.deep.equal([aNamespace('shop', {}), aNamespace('till', {})])
  })

  it('do not matter while the policies were not read', async () => {
    const source: PolicySource = { policies: () => undefined, namespace: () => expect.fail('read') }
    expect(await lookAtRules(spot('shop'), source)).to.equal(undefined)
  })
})
