import { expect } from 'chai'
import { bareCluster, bareUser, type Kubeconfig, merged } from '../../../../common/kube/config/kubeconfig.ts'

const config = (name: string, currentContext?: string): Kubeconfig => ({
  clusters: new Map([name, 'shared'].map((key) => [key, bareCluster({ server: `https://${key}.of.${name}` })])),
  users: new Map([name, 'shared'].map((key) => [key, bareUser({ token: `${key} of ${name}` })])),
  contexts: new Map([
    ['shared', { place: name, cluster: name, user: name, namespace: undefined }],
    [name, { place: name, cluster: name, user: name, namespace: name }],
  ]),
  currentContext,
})

describe('merged kubeconfigs', () => {
  it('have the entries of all of them, and the first of two with one name', () => {
    const { clusters, users, contexts } = merged([config('a'), config('b'), config('c')])
    expect([...clusters.keys()].sort()).to.deep.equal(['a', 'b', 'c', 'shared'])
    expect(clusters.get('shared')?.server).to.equal('https://shared.of.a')
    expect(clusters.get('c')?.server).to.equal('https://c.of.c')
    expect(users.get('shared')?.token).to.equal('shared of a')
    expect(contexts.get('shared')?.cluster).to.equal('a')
  })

  it('have the first current context', () => {
    expect(merged([config('a'), config('b', 'b'), config('c', 'c')]).currentContext).to.equal('b')
    expect(merged([]).currentContext).to.equal(undefined)
  })
})
