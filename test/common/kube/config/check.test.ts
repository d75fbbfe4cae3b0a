import { expect } from 'chai'
import { checkCluster, checkUser } from '../../../../common/kube/config/check.ts'
import { bareCluster, bareUser, type ExecConfig, type User } from '../../../../common/kube/config/kubeconfig.ts'

const EXEC: ExecConfig = {
  command: 'login',
  args: [],
  env: {},
  apiVersion: 'client.authentication.k8s.io/v1',
  interactiveMode: 'Never',
  provideClusterInfo: false,
  installHint: undefined,
}

describe('checkUser', () => {
  const refused: Record<string, readonly [Partial<User>, string]> = {
    'two certificates': [{ certFile: 'a', certData: 'b', keyFile: 'c' }, 'has both client-certificate and client-cert'],
    'two keys': [{ certFile: 'a', keyFile: 'b', keyData: 'c' }, 'has both client-key and client-key-data: remove one'],
    'a certificate without a key': [{ certFile: 'a' }, 'has a client certificate without client-key'],
    'a token and a password': [{ token: 'a', password: 'b' }, 'has both a token and a user name: remove one'],
    'groups without a user': [{ asGroups: ['a'] }, 'is to impersonate groups, a uid or extra without a user'],
    'a uid without a user': [{ asUid: '7' }, 'is to impersonate'],
    'extra without a user': [{ asUserExtra: { a: ['b'] } }, 'is to impersonate'],
    'a plugin and a provider': [{ exec: EXEC, authProvider: 'oidc' }, 'has both exec and auth-provider'],
    'a plugin without a command': [{ exec: { ...EXEC, command: '' } }, '.exec.command is missing'],
    'a plugin of another version': [
      { exec: { ...EXEC, apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
      '.exec.apiVersion must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1, found',
    ],
    'a plugin of v1 that does not say whether it asks': [
      { exec: { ...EXEC, interactiveMode: undefined } },
      '.exec.interactiveMode must be one of Never, IfAvailable, Always, found ""',
    ],
    'a plugin that asks in another way': [{ exec: { ...EXEC, interactiveMode: 'no' } }, 'found "no"'],
    'a variable without a name': [{ exec: { ...EXEC, env: { '': 'a' } } }, '.exec.env has an entry without a name'],
  }
  for (const [what, [known, message]] of Object.entries(refused))
    it(`refuses ${what}, as kubectl does`, () =>
      expect(() => checkUser(bareUser({ place: 'config: users[me].user', ...known }))).to.throw(message))

  it('accepts what does not contradict itself', () => {
    const beta = { ...EXEC, apiVersion: 'client.authentication.k8s.io/v1beta1', interactiveMode: undefined }
    for (const known of [
      {},
      { certData: 'a', keyFile: 'b', token: 'c', as: 'd', asUid: 'e' },
      { exec: EXEC },
      { exec: beta },
    ])
      expect(checkUser(bareUser(known))).to.deep.equal(bareUser(known))
  })
})

describe('checkCluster', () => {
  it('refuses two authorities, and one that would not be asked, as kubectl does', () => {
    expect(() => checkCluster(bareCluster({ caFile: 'a', caData: 'b' }))).to.throw(
      'the cluster has both certificate-authority and certificate-authority-data: remove one',
    )
    expect(() => checkCluster(bareCluster({ caFile: 'a', isInsecure: true }))).to.throw('insecure-skip-tls-verify')
    expect(checkCluster(bareCluster({ isInsecure: true })).isInsecure).to.equal(true)
  })
})
