import { expect } from 'chai'
import { decodeKubeconfig } from '../../../../common/kube/config/decode.ts'

const FILE = '/home/me/.kube/config'
const PEM = Buffer.from('-----BEGIN').toString('base64')

const WHOLE = `
apiVersion: v1
kind: Config
current-context: here
preferences: {colors: true}
clusters:
- name: far
  cluster:
    server: https://10.0.0.1:6443
    tls-server-name: api
    certificate-authority: ca.crt
    proxy-url: socks5://10.0.0.2
    disable-compression: true
    extensions:
    - name: other
      extension: {a: 0}
    - name: client.authentication.k8s.io/exec
      extension: {audience: 1.5, deep: [true]}
- name: near
  cluster: {server: "http://localhost", insecure-skip-tls-verify: true, certificate-authority-data: ${PEM}}
users:
- name: files
  user: {client-certificate: tls/me.crt, client-key: /etc/me.key, tokenFile: ../token}
- name: data
  user: {client-certificate-data: ${PEM}, client-key-data: ${PEM}, token: "12"}
- name: other
  user:
    username: me
    password: secret
    as: cart
    as-uid: "7"
    as-groups: [a, b]
    as-user-extra: {scopes: [view, edit]}
- name: oidc
  user: {auth-provider: {name: oidc, config: {a: b}}}
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/login
      args: [--now, "1"]
      env: [{name: REGION, value: eu}, {name: EMPTY}]
      interactiveMode: Never
      provideClusterInfo: true
      installHint: brew install login
contexts:
- name: here
  context: {cluster: far, user: files, namespace: shop, extensions: []}
`

describe('decodeKubeconfig', () => {
  const { clusters, users, contexts, currentContext } = decodeKubeconfig(WHOLE, FILE)

  it('reads clusters', () => {
    expect(clusters.get('far')).to.deep.equal({
      place: `${FILE}: clusters[far].cluster`,
      server: 'https://10.0.0.1:6443',
      tlsServerName: 'api',
      isInsecure: false,
      caFile: '/home/me/.kube/ca.crt',
      caData: undefined,
      proxyUrl: 'socks5://10.0.0.2',
      disableCompression: true,
      execConfig: { audience: 1.5, deep: [true] },
    })
    expect(clusters.get('near')).to.include({ isInsecure: true, caData: '-----BEGIN', execConfig: undefined })
  })

  it('reads users, with paths from the folder of the file', () => {
    expect(users.get('files')).to.include({
      certFile: '/home/me/.kube/tls/me.crt',
      keyFile: '/etc/me.key',
      tokenFile: '/home/me/token',
    })
    expect(users.get('data')).to.include({ certData: '-----BEGIN', keyData: '-----BEGIN', token: '12' })
    expect(users.get('other')).to.deep.include({
      username: 'me',
      password: 'secret',
      as: 'cart',
      asUid: '7',
      asGroups: ['a', 'b'],
      asUserExtra: { scopes: ['view', 'edit'] },
      exec: undefined,
    })
    expect(users.get('oidc')?.authProvider).to.equal('oidc')
  })

  it('reads credential plugins: a command with a slash is a path, one without is not', () => {
    expect(users.get('plugin')?.exec).to.deep.equal({
      command: '/home/me/.kube/bin/login',
      args: ['--now', '1'],
      env: { REGION: 'eu', EMPTY: '' },
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      provideClusterInfo: true,
      installHint: 'brew install login',
    })
    const text = 'users: [{name: me, user: {exec: {command: login}}}]'
    expect(decodeKubeconfig(text, FILE).users.get('me')?.exec?.command).to.equal('login')
  })

  it('reads contexts', () => {
    expect(currentContext).to.equal('here')
    expect(contexts.get('here')).to.deep.include({ cluster: 'far', user: 'files', namespace: 'shop' })
  })

  it('takes an empty file as one that says nothing', () =>
    expect(decodeKubeconfig('', FILE).currentContext).to.equal(undefined))

  const refused: Record<string, readonly [text: string, message: string]> = {
    'no YAML': ['a: [', 'must be YAML: Flow sequence in block collection must be sufficiently indented'],
    'a list': ['[]', ' must be a map, found a list'],
    'another kind': ['kind: Pod', 'kind must be "Config", or left out'],
    'another version': ['apiVersion: v2', 'apiVersion must be "v1", or left out'],
    'an entry without a name': ['users: [{user: {}}]', 'users[0].name is missing'],
    'two entries with one name': [
      'users: [{name: a}, {name: a}]',
      'users has two entries with the name "a": remove one',
    ],
    'a token that is a number': ['users: [{name: a, user: {token: 1}}]', 'users[a].user.token must be a text'],
    'CA data that is no base64': [
      'clusters: [{name: a, cluster: {certificate-authority-data: "-"}}]',
      'clusters[a].cluster.certificate-authority-data must be base64',
    ],
    'extra that is no list': ['users: [{name: a, user: {as-user-extra: {b: c}}}]', 'as-user-extra.b must be a list'],
  }
  for (const [what, [text, message]] of Object.entries(refused))
    it(`refuses ${what}`, () =>
      expect(() => decodeKubeconfig(text, FILE))
        .to.throw(message)
        .with.property('message')
        .match(/^\/home\/me\/.kube\/config/))
})
