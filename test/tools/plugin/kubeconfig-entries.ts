/** One kubeconfig with an entry for each thing that one can say, in files of a world. */
import { stringify } from 'yaml'
import type { KubeconfigWorld } from './kubeconfig-world.ts'

const PLUGIN = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: './login',
  interactiveMode: 'IfAvailable',
  env: [{ name: 'TOKEN', value: 'of a plugin' }],
}
const BETA = 'client.authentication.k8s.io/v1beta1'

/** The users by their names. The context with such a name has this user and the cluster `near`. */
const usersOf = ({ certificates: { me, you } }: KubeconfigWorld, base64: (text: string) => string) => ({
  token: { token: 'mine' },
  tokenFile: { tokenFile: 'token' },
  tokenAndFile: { token: 'mine', tokenFile: 'token' },
  tokenFileOfNobody: { tokenFile: 'none' },
  files: { 'client-certificate': 'me.crt', 'client-key': 'me.key' },
  data: { 'client-certificate-data': base64(you.cert), 'client-key-data': base64(you.key) },
  mixed: { 'client-certificate': 'me.crt', 'client-key-data': base64(me.key), token: 'mine' },
  certificateTwice: {
    'client-certificate': 'me.crt',
    'client-certificate-data': base64(me.cert),
    'client-key': 'me.key',
  },
  keyTwice: { 'client-certificate': 'me.crt', 'client-key': 'me.key', 'client-key-data': base64(me.key) },
  certificateWithoutKey: { 'client-certificate': 'me.crt' },
  keyOfNobody: { 'client-certificate': 'me.crt', 'client-key': 'none' },
  password: { username: 'me', password: 'se:cret' },
  passwordAndToken: { username: 'me', password: 'secret', token: 'mine' },
  as: { token: 'mine', as: 'cart' },
  asMore: {
    token: 'mine',
    as: 'cart',
    'as-uid': '7',
    'as-groups': ['a', 'b'],
    'as-user-extra': { scopes: ['view', 'edit'], 'acme.com/Project': ['shop'] },
  },
  asGroupsOfNobody: { token: 'mine', 'as-groups': ['a'] },
  silent: { token: 'silent' },
  plugin: { exec: PLUGIN },
  pluginThatKnows: { exec: { ...PLUGIN, provideClusterInfo: true } },
  pluginOfBeta: { exec: { ...PLUGIN, apiVersion: BETA, interactiveMode: undefined } },
  pluginOfAlpha: { exec: { ...PLUGIN, apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
  pluginOfAnother: { exec: { ...PLUGIN, env: [{ name: 'VERSION', value: BETA }] } },
  pluginWithoutMode: { exec: { ...PLUGIN, interactiveMode: undefined } },
  pluginThatMustAsk: { exec: { ...PLUGIN, interactiveMode: 'Always' } },
  pluginWithArguments: { exec: { ...PLUGIN, args: ['one', 'two words'] } },
  pluginForCertificates: { exec: { ...PLUGIN, env: [{ name: 'PAIR', value: 'me' }] } },
  pluginWithToken: { exec: PLUGIN, token: 'mine' },
  pluginWithCertificate: { exec: PLUGIN, 'client-certificate': 'me.crt', 'client-key': 'me.key' },
  pluginThatFails: { exec: { ...PLUGIN, env: [{ name: 'FAILS', value: '1' }] } },
  pluginInPath: { exec: { ...PLUGIN, command: 'login' } },
  pluginOfNobody: { exec: { ...PLUGIN, command: 'no-such-login', installHint: 'brew install no-such-login' } },
  pluginThatAsks: { exec: { ...PLUGIN, interactiveMode: 'Always', env: [{ name: 'ASKS', value: '1' }] } },
})

/** The clusters by their names. The context `at-NAME` has this cluster and the user `token`. */
const clustersOf = ({ server: { port } }: KubeconfigWorld, ca: string, proxy: number) => ({
  near: { server: `https://127.0.0.1:${port}`, 'certificate-authority': 'authority.crt' },
  data: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': ca },
  named: { server: `https://localhost:${port}`, 'certificate-authority-data': ca },
  prefixed: { server: `https://127.0.0.1:${port}/root/`, 'certificate-authority-data': ca },
  otherName: {
    server: `https://127.0.0.1:${port}`,
    'certificate-authority-data': ca,
    'tls-server-name': 'api.example',
    extensions: [
      { name: 'client.authentication.k8s.io/exec', extension: { audience: 'shop', size: 1.5, deep: [true] } },
    ],
  },
  wrongName: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': ca, 'tls-server-name': 'other' },
  insecure: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true },
  untrusted: { server: `https://127.0.0.1:${port}` },
  authorityTwice: {
    server: `https://127.0.0.1:${port}`,
    'certificate-authority': 'authority.crt',
    'certificate-authority-data': ca,
  },
  insecureWithAuthority: {
    server: `https://127.0.0.1:${port}`,
    'certificate-authority-data': ca,
    'insecure-skip-tls-verify': true,
  },
  authorityOfNobody: { server: `https://127.0.0.1:${port}`, 'certificate-authority': 'none' },
  withoutServer: { 'certificate-authority-data': ca },
  proxied: {
    server: 'https://api.example:6443',
    'certificate-authority-data': ca,
    'proxy-url': `http://127.0.0.1:${proxy}`,
  },
  proxiedByNobody: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': ca, 'proxy-url': 'ftp://a' },
  behind: { server: 'https://api.example:6443', 'certificate-authority-data': ca },
  behindAddress: { server: 'https://10.9.9.9:6443', 'certificate-authority-data': ca },
})

/**
 * Writes it as the file `config`, and beside it `second` with an entry of the same name, `twice` and `number`, which
 * are wrong, and `other-home`, a home folder.
 * @param proxy the port of a proxy
 */
export function writeEntries(world: KubeconfigWorld, proxy: number): void {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const users = usersOf(world, base64)
  const clusters = clustersOf(world, base64(world.certificates.authority.cert), proxy)
  const contexts = {
    ...Object.fromEntries(Object.keys(users).map((user) => [user, { cluster: 'near', user, namespace: 'shop' }])),
    ...Object.fromEntries(Object.keys(clusters).map((cluster) => [`at-${cluster}`, { cluster, user: 'token' }])),
    'plugin-at-otherName': { cluster: 'otherName', user: 'pluginThatKnows' },
    'plugin-at-proxied': { cluster: 'proxied', user: 'pluginThatKnows' },
    stranger: { cluster: 'near', user: 'nobody' },
    lost: { cluster: 'nowhere', user: 'token' },
  }
  world.write('token', 'of a file\n')
  write(world, 'config', { current: 'token', clusters, users, contexts })
  const second = { second: { cluster: 'near', user: 'token' } }
  write(world, 'second', { current: 'second', clusters: {}, users: { token: { token: 'second' } }, contexts: second })
  const home = {
    current: 'home',
    clusters,
    users: { home: { token: 'home' } },
    contexts: { home: { cluster: 'data', user: 'home' } },
  }
  write(world, 'other-home/.kube/config', home)
  const number = {
    current: 'a',
    clusters,
    users: { a: { token: 12 } },
    contexts: { a: { cluster: 'near', user: 'a' } },
  }
  write(world, 'number', number)
  const twice = world.text('number').replace('- name: a\n    user:', '- name: a\n  - name: a\n    user:')
  world.write('twice', twice.replace('token: 12', 'token: a'))
}

interface Entries {
  readonly current: string
  readonly clusters: object
  readonly users: object
  readonly contexts: object
}

function write(world: KubeconfigWorld, name: string, { current, clusters, users, contexts }: Entries): void {
  const named = (key: string, entries: object) =>
    Object.entries(entries).map(([name, entry]) => ({ name, [key]: entry }))
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: named('cluster', clusters),
    users: named('user', users),
    contexts: named('context', contexts),
  }
  world.write(name, stringify(config))
}
