import { expect } from 'chai'
import { newAuthority, newLeaf } from '../../../certs/authority.ts'
import { connector } from '../../../cli/cluster/connect.ts'
import { realTimers } from '../../../common/program/clock.ts'
import { PluginStore } from '../a-plugin.ts'
import { servedCluster } from '../served.ts'

const AUTHORITY = { clock: () => new Date(), days: 1 }

describe('the connection of the plugin', () => {
  it('is as the flags say, with their namespace or that of the context', async () => {
    const leaf = await newLeaf(await newAuthority(AUTHORITY), { ...AUTHORITY, names: ['127.0.0.1'] })
    const served = await servedCluster(new PluginStore({}), leaf)
    const connect = connector({
      ...{ vars: { KUBECONFIG: served.kubeconfig }, timers: realTimers(), clock: () => new Date(0), random: () => 0 },
      ...{ signal: new AbortController().signal, isTerminal: false },
    })
    const [one, other] = await Promise.all([
      connect({}),
      connect({ namespace: 'till', token: 'mine', as: 'ada', asGroup: ['ops', 'dev'], asUid: '7' }),
    ])
    expect([one.namespace, other.namespace]).to.deep.equal(['shop', 'till'])
    await other.client.request({ verb: 'list', path: '/api/v1/namespaces/till/pods' })
    const { authorization, 'impersonate-user': user, 'user-agent': agent, ...headers } = served.seen[0]?.headers ?? {}
    expect([authorization, user, headers['impersonate-uid']]).to.deep.equal(['Bearer mine', 'ada', '7'])
    expect(headers['impersonate-group']).to.equal('ops, dev')
    expect(agent).to.match(/^kubectl-experiment\/\d/)
    await Promise.all([one.client.close(), other.client.close(), served.close()])
  })
})
