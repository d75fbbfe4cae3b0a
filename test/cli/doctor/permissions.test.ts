import { expect } from 'chai'
import { EXPECTED } from '../../../cli/doctor/expected.ts'
import { permissions } from '../../../cli/doctor/permissions.ts'
import { at } from '../../../common/json/json.ts'
import { forbidden, program, SYSTEM, someFacts } from './an-installation.ts'

const variable = (name: string, value = 'enabled') => ({ name, value })
const withVariables = (...variables: readonly object[]) => program('experiment-controller', variables)
const attributes = (body: object) => at(body, 'spec', 'resourceAttributes')

describe('the check of the permissions', () => {
  it('asks about each permission of both accounts, and of the components that there are', async () => {
    const { facts, posts } = await someFacts()
    expect(await permissions.look(facts)).to.deep.equal({
      result: 'ok',
      seen: `both accounts have all ${posts.length} permissions`,
    })
    expect(posts.length).to.be.greaterThan(60)
    expect(posts[0]?.[1]).to.have.nested.property('spec.user', `system:serviceaccount:${SYSTEM}:experiment-controller`)
    const gated = await someFacts({ objects: [withVariables(variable('GATE'), variable('PROMOTION', 'disabled'))] })
    await permissions.look(gated.facts)
    expect(gated.posts.length - posts.length).to.equal(3)
    expect(gated.posts.map(([, body]) => attributes(body))).to.deep.include({
      ...{ verb: 'patch', group: '', resource: 'pods', subresource: 'status', name: undefined, namespace: undefined },
    })
  })

  it('asks in the namespace that is served, and in that of the programs', async () => {
    const { facts, posts } = await someFacts({ objects: [withVariables(variable('WATCH_NAMESPACE', 'shop'))] })
    await permissions.look(facts)
    const places = new Set(posts.map(([, body]) => at(attributes(body), 'namespace')))
    expect([...places].sort()).to.deep.equal([SYSTEM, 'shop', undefined])
  })

  it('names what is missing', async () => {
    const posted = (_: string, body: object) => {
      const { resource, verb } = attributes(body) as { readonly resource: string; readonly verb: string }
      return { status: { allowed: !(resource === 'networkpolicies' || (resource === 'leases' && verb === 'update')) } }
    }
    const { facts } = await someFacts({ posted })
    expect(await permissions.look(facts)).to.deep.equal({
      result: 'bad',
      seen: 'the controller may not list networkpolicies.networking.k8s.io, the controller may not update leases.coordination.k8s.io experiment-controller in platform and 1 more',
      remedy: 'Apply your overlay again: kubectl apply -k overlay',
    })
  })

  it('asks once somebody who may not ask', async () => {
    const { facts, posts } = await someFacts({ posted: () => forbidden('subjectaccessreviews') })
    expect(await permissions.look(facts)).to.deep.equal({
      result: 'unknown',
      seen: 'User "me" cannot get subjectaccessreviews',
    })
    expect(posts).to.have.lengthOf(1)
  })

  it('is not known where no Deployment says which components there are', async () => {
    for (const broken of [{ unread: ['Deployment'] }, { without: ['Deployment experiment-webhook'] }])
      expect(await permissions.look((await someFacts(broken)).facts)).to.include({ result: 'unknown' })
  })

  it('expects rights of each component that has any', () => {
    for (const { components } of Object.values(EXPECTED.rights))
      expect(Object.keys(components).sort()).to.deep.equal(['ANALYSIS', 'CUT_OVER', 'GATE', 'PROMOTION'])
  })
})
