import { expect } from 'chai'
import { connectionIn, type Overrides } from '../../../../common/kube/config/connection.ts'
import { decodeKubeconfig } from '../../../../common/kube/config/decode.ts'

const KUBECONFIG = decodeKubeconfig(
  `
current-context: here
clusters:
- {name: near, cluster: {server: "https://near", tls-server-name: near.example}}
- {name: far, cluster: {server: "https://far"}}
users:
- {name: me, user: {token: mine, as: cart, as-groups: [a], as-user-extra: {k: [v]}}}
- {name: you, user: {client-certificate: you.crt, client-key: you.key}}
contexts:
- {name: here, context: {cluster: near, user: me, namespace: shop}}
- {name: there, context: {cluster: far, user: you}}
- {name: stranger, context: {cluster: far, user: nobody}}
- {name: alone, context: {cluster: far}}
- {name: nowhere, context: {user: me}}
- {name: lost, context: {cluster: gone, user: me}}
`,
  'config',
)

describe('connectionIn', () => {
  const of = (overrides: Overrides) => connectionIn(KUBECONFIG, overrides)
  const told = (overrides: Overrides) => {
    const connection = of(overrides)
    return [connection?.cluster.server, connection?.user.token ?? connection?.user.certFile, connection?.namespace]
  }

  const cases: Record<string, readonly [Overrides, readonly unknown[]]> = {
    'takes the current context': [{}, ['https://near', 'mine', 'shop']],
    'takes empty flags as absent': [{ context: '', user: '', namespace: '' }, ['https://near', 'mine', 'shop']],
    'takes another context': [{ context: 'there' }, ['https://far', `${process.cwd()}/you.crt`, undefined]],
    'takes another cluster': [{ cluster: 'far' }, ['https://far', 'mine', 'shop']],
    'takes another user': [{ user: 'you' }, ['https://near', `${process.cwd()}/you.crt`, 'shop']],
    'takes another namespace': [{ namespace: 'bar' }, ['https://near', 'mine', 'bar']],
    'takes another server': [{ server: 'https://other' }, ['https://other', 'mine', 'shop']],
    'takes another token': [{ token: 'other' }, ['https://near', 'other', 'shop']],
    'needs no user where a token is given': [{ context: 'stranger', token: 'a' }, ['https://far', 'a', undefined]],
    'is anonymous without a user': [{ context: 'alone' }, ['https://far', undefined, undefined]],
    'needs no cluster where the server is named': [
      { context: 'lost', server: 'https://other' },
      ['https://other', 'mine', undefined],
    ],
  }
  for (const [sentence, [overrides, expected]] of Object.entries(cases))
    it(sentence, () => expect(told(overrides)).to.deep.equal(expected))

  it('expects no other name in the certificate of a server that was named', () => {
    expect(of({})?.cluster.tlsServerName).to.equal('near.example')
    expect(of({ server: 'https://other' })?.cluster.tlsServerName).to.equal(undefined)
  })

  it('impersonates whom the flags name, else whom the file names', () => {
    expect(of({})?.user).to.deep.include({ as: 'cart', asGroups: ['a'], asUserExtra: { k: ['v'] } })
    expect(of({ as: 'till', asUid: '7', asGroups: ['b', 'c'], asUserExtra: { l: ['w'] } })?.user).to.deep.include({
      as: 'till',
      asUid: '7',
      asGroups: ['b', 'c'],
      asUserExtra: { k: ['v'], l: ['w'] },
    })
  })

  it('is none without an API server', () => {
    expect(connectionIn(decodeKubeconfig('', 'config'), {})).to.equal(undefined)
    expect(connectionIn(decodeKubeconfig('', 'config'), { server: 'https://other' })?.cluster.server).to.equal(
      'https://other',
    )
  })

  const refused: Record<string, readonly [Overrides, string]> = {
    'a context that does not exist, and lists those that do': [
      { context: 'hre' },
      'there is no context "hre": choose one with --context: "here", "there", "stranger", "alone", "nowhere", "lost"',
    ],
    'a cluster that does not exist': [
      { cluster: 'no' },
      'there is no cluster "no": choose one with --cluster: "near", "far"',
    ],
    'a user who does not exist': [{ user: 'no' }, 'there is no user "no": choose one with --user: "me", "you"'],
    'a context with a cluster that does not exist': [
      { context: 'lost' },
      'config: contexts[lost].context.cluster must name one of the clusters (near, far), but names "gone"',
    ],
    'a context without a cluster': [
      { context: 'nowhere' },
      'config: contexts[nowhere].context.cluster must name one of the clusters (near, far), but names none',
    ],
    'a context with a user that does not exist': [
      { context: 'stranger' },
      'config: contexts[stranger].context.user must name one of the users (me, you), but names "nobody"',
    ],
    'groups without a user': [{ user: 'you', asGroups: ['a'] }, 'config: users[you].user is to impersonate groups'],
  }
  for (const [what, [overrides, message]] of Object.entries(refused))
    it(`refuses ${what}`, () => expect(() => of(overrides)).to.throw(message))

  it('says that there are no contexts at all', () =>
    expect(() => connectionIn(decodeKubeconfig('', 'config'), { context: 'a' })).to.throw(
      'there is no context "a": the kubeconfig has no contexts',
    ))
})
