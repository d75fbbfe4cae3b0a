import { delimiter } from 'node:path'
import { execPath } from 'node:process'
import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import type { KubeconfigFlags } from '../../../common/kube/client/kubeconfig-choice.ts'
import { type AProxy, httpProxy } from '../../fakes/proxy.ts'
import { needs } from '../../needs.ts'
import { writeEntries } from './kubeconfig-entries.ts'
import { KubeconfigWorld } from './kubeconfig-world.ts'

/**
 * A credential plugin. It needs `KUBERNETES_EXEC_INFO`, notes what that and its arguments say in the file `info`, and
 * asks for a token where `ASKS` says so.
 */
const LOGIN = `#!${execPath}
const { appendFileSync, readFileSync } = require('node:fs')
const { env, argv } = process
const info = JSON.parse(env.KUBERNETES_EXEC_INFO)
const file = (name) => __dirname + '/' + name
appendFileSync(file('info'), JSON.stringify({ info, args: argv.slice(2), token: env.TOKEN }) + '\\n')
if (env.FAILS) process.exit(3)
const print = (token) => {
  const pair = env.PAIR && {
    clientCertificateData: readFileSync(file(env.PAIR + '.crt'), 'utf8'),
    clientKeyData: readFileSync(file(env.PAIR + '.key'), 'utf8'),
  }
  const status = pair ?? { token: token ?? env.TOKEN }
  console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: env.VERSION ?? info.apiVersion, status }))
}
if (env.ASKS) require('node:readline').createInterface({ input: process.stdin, output: process.stderr })
  .question('Password for ' + env.HOME + ': ', (answer) => { print(answer); process.exit() })
else print()
`

/** Who asks, with which environment. `PROXY` becomes the proxy of the test. */
type Case = readonly [flags: KubeconfigFlags, vars?: Readonly<Record<string, string>>]

describe('a kubeconfig, beside kubectl', function () {
  needs('controlPlane')
  this.timeout(60_000)
  let [world, proxy] = [undefined as KubeconfigWorld | undefined, undefined as AProxy | undefined]
  before(async () => {
    world = await KubeconfigWorld.start()
    proxy = await httpProxy(world.server.port)
    writeEntries(world, proxy.port)
    world.write('login', LOGIN)
  })
  after(async () => {
    await proxy?.close()
    await world?.close()
  })

  /** What both did, with what the plugin was told and what the proxy saw. */
  async function both(flags: KubeconfigFlags, vars: Readonly<Record<string, string>> = {}) {
    if (!world || !proxy) throw new Error('there is no world')
    const [here, through] = [world, proxy]
    const around = Object.fromEntries(
      Object.entries(vars).map(([name, value]) => [
        name,
        value.replace('PROXY', `127.0.0.1:${through.port}`).replaceAll('DIR', here.folder),
      ]),
    )
    const told = () =>
      here
        .taken('info')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    const given = { KUBECONFIG: here.path('config'), ...around }
    const seenBefore = through.seen.length
    const kubectl = { ...(await here.kubectl(flags, given)), told: told(), proxied: through.seen.slice(seenBefore) }
    const seenSince = through.seen.length
    const ours = { ...(await here.ours(flags, given)), told: told(), proxied: through.seen.slice(seenSince) }
    return { kubectl, ours }
  }

  /** They send the same. */
  const same: Record<string, Case> = {
    'the current context': [{}],
    'another context': [{ context: 'data' }],
    'another cluster': [{ cluster: 'named' }],
    'another user': [{ user: 'files' }],
    'another namespace': [{ namespace: 'shop' }],
    'another token': [{ token: 'other' }],
    'another token beside a certificate': [{ context: 'files', token: 'other' }],
    'another token beside a file with one': [{ context: 'tokenFile', token: 'other' }],
    'another server, with another name in its certificate': [{ context: 'at-wrongName', server: 'SERVER' }],
    'impersonation by flags': [
      { as: 'till', asUid: '9', asGroups: ['c', 'd'], asUserExtra: { k: ['v', 'w'], l: ['x'] } },
    ],
    'impersonation by flags over that of the file': [
      { context: 'asMore', as: 'till', asGroups: ['c'], asUserExtra: { scopes: ['none'] } },
    ],
    'impersonation of the file': [{ context: 'as' }],
    'impersonation of the file with uid, groups and extra': [{ context: 'asMore' }],
    'a file with a token': [{ context: 'tokenFile' }],
    'a token and a file with one': [{ context: 'tokenAndFile' }],
    'a certificate in files beside the kubeconfig': [{ context: 'files' }],
    'a certificate in the kubeconfig': [{ context: 'data' }],
    'a certificate in a file, a key in the kubeconfig, and a token': [{ context: 'mixed' }],
    'a name and a password': [{ context: 'password' }],
    'an authority in the kubeconfig': [{ context: 'at-data' }],
    'a host that has a name': [{ context: 'at-named' }],
    'a path prefix': [{ context: 'at-prefixed' }],
    'another name of the server': [{ context: 'at-otherName' }],
    'no check of the server': [{ context: 'at-insecure' }],
    'a proxy of the cluster': [{ context: 'at-proxied' }],
    'a proxy of the environment': [{ context: 'at-behind' }, { HTTPS_PROXY: 'http://PROXY' }],
    'a proxy of the environment, in lower case and without a scheme': [
      { context: 'at-behind' },
      { https_proxy: 'PROXY' },
    ],
    'a proxy of the environment to an address': [
      { context: 'at-behindAddress' },
      { HTTPS_PROXY: 'http://PROXY', NO_PROXY: '10.0.0.0/16,example' },
    ],
    'a proxy of the environment, from which other names are excluded': [
      { context: 'at-behind' },
      { HTTPS_PROXY: 'http://PROXY', NO_PROXY: 'api.example:443, .api.example ,pi.example,10.0.0.0/8' },
    ],
    'no proxy of the environment for this machine': [{ context: 'at-named' }, { HTTPS_PROXY: 'http://127.0.0.1:9' }],
    'no proxy of the environment where the cluster has one': [
      { context: 'at-proxied' },
      { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' },
    ],
    'several files, of which some do not exist': [{}, { KUBECONFIG: ['', 'DIR/none', 'DIR/config'].join(delimiter) }],
    'several files, of which the first entry counts': [
      {},
      { KUBECONFIG: ['DIR/second', 'DIR/config'].join(delimiter) },
    ],
    'several files, and the context of a later one': [
      { context: 'files' },
      { KUBECONFIG: ['DIR/second', 'DIR/config'].join(delimiter) },
    ],
    'the file of the flag rather than that of the variable': [{ kubeconfig: 'CONFIG' }, { KUBECONFIG: 'DIR/second' }],
    'the file of the home folder': [{}, { KUBECONFIG: '', HOME: 'DIR/other-home' }],
    'a credential plugin': [{ context: 'plugin' }],
    'a credential plugin that knows the cluster': [{ context: 'pluginThatKnows' }],
    'a credential plugin that knows all of the cluster': [{ context: 'plugin-at-otherName' }],
    'a credential plugin that knows the proxy of the cluster': [{ context: 'plugin-at-proxied' }],
    'a credential plugin of v1beta1': [{ context: 'pluginOfBeta' }],
    'a credential plugin with arguments': [{ context: 'pluginWithArguments' }],
    'a credential plugin that gives a certificate': [{ context: 'pluginForCertificates' }],
    'a credential plugin and a token': [{ context: 'pluginWithToken' }],
    'a credential plugin and a token of the flag': [{ context: 'plugin', token: 'other' }],
    'a credential plugin and a certificate': [{ context: 'pluginWithCertificate' }],
    'a credential plugin in $PATH': [{ context: 'pluginInPath' }, { PATH: `DIR${delimiter}/usr/bin` }],
    'a credential plugin that impersonates': [{ context: 'plugin', as: 'cart' }],
    'a timeout': [{ requestTimeout: '1m30s' }],
    'a timeout in seconds': [{ requestTimeout: '30' }],
  }
  for (const [what, [flags, vars]] of Object.entries(same))
    it(`sends the same for ${what}`, async () => {
      const { kubectl, ours } = await both(filled(flags), vars)
      expect(kubectl.isDone, kubectl.said).to.equal(true)
      expect(kubectl.requests).to.have.length(1)
      expect({ ...ours, said: '' }).to.deep.equal({ ...kubectl, said: '' })
    })

  /** Neither gets an answer. */
  const refused: Record<string, readonly [...Case, said: RegExp]> = {
    'an unknown context': [{ context: 'no' }, {}, /there is no context "no": choose one with --context: "token", /],
    'an unknown cluster': [{ cluster: 'no' }, {}, /there is no cluster "no"/],
    'an unknown user': [{ user: 'no' }, {}, /there is no user "no"/],
    'a context with an unknown cluster': [{ context: 'lost' }, {}, /contexts\[lost\].context.cluster must name one of/],
    'a context with an unknown user': [
      { context: 'stranger' },
      {},
      /contexts\[stranger\].context.user must name one of/,
    ],
    'a file of the flag that does not exist': [{ kubeconfig: '/none' }, {}, /\/none does not exist/],
    'no file at all': [{}, { KUBECONFIG: '/none' }, /no API server: \/none does not exist/],
    'a file that is no kubeconfig': [{}, { KUBECONFIG: 'DIR/login' }, /login must be YAML/],
    'a token that is a number': [{}, { KUBECONFIG: 'DIR/number' }, /users\[a\].user.token must be a text/],
    'two entries with one name': [{}, { KUBECONFIG: 'DIR/twice' }, /two entries with the name "a"/],
    'a timeout that is none': [{ requestTimeout: '5x' }, {}, /--request-timeout must be/],
    'a server that does not answer in time': [
      { context: 'silent', requestTimeout: '1s' },
      {},
      /timed out after 1000 ms/,
    ],
    'a cluster without a server': [
      { context: 'at-withoutServer' },
      {},
      /clusters\[withoutServer\].cluster.server must be/,
    ],
    'a cluster with two authorities': [{ context: 'at-authorityTwice' }, {}, /has both certificate-authority and/],
    'an authority that is not asked': [
      { context: 'at-insecureWithAuthority' },
      {},
      /insecure-skip-tls-verify: remove one/,
    ],
    'an authority that does not exist': [
      { context: 'at-authorityOfNobody' },
      {},
      /certificate-authority: .*none cannot be/,
    ],
    'a server that is not trusted': [{ context: 'at-untrusted' }, {}, /certificate/],
    'a server with another name': [{ context: 'at-wrongName' }, {}, /does not match certificate/],
    'a proxy of another kind': [
      { context: 'at-proxiedByNobody' },
      {},
      /proxy-url must be a URL with http, https or socks5/,
    ],
    'a name that the environment excludes from its proxy': [
      { context: 'at-behind', requestTimeout: '5s' },
      { HTTPS_PROXY: 'http://PROXY', NO_PROXY: 'example' },
      /ENOTFOUND|EAI_AGAIN|timed out/,
    ],
    'a file with a token that does not exist': [
      { context: 'tokenFileOfNobody' },
      {},
      /tokenFile: .*none cannot be read/,
    ],
    'two certificates': [{ context: 'certificateTwice' }, {}, /has both client-certificate and/],
    'two keys': [{ context: 'keyTwice' }, {}, /has both client-key and/],
    'a certificate without a key': [{ context: 'certificateWithoutKey' }, {}, /without client-key/],
    'a key that does not exist': [{ context: 'keyOfNobody' }, {}, /client-key: .*none cannot be read/],
    'a password and a token': [{ context: 'passwordAndToken' }, {}, /has both a token and a user name/],
    'a password and a token of the flag': [
      { context: 'password', token: 'other' },
      {},
      /has both a token and a user name/,
    ],
    'groups of nobody': [{ context: 'asGroupsOfNobody' }, {}, /without a user: name one with `as` or --as/],
    'groups of nobody by flags': [{ asGroups: ['a'] }, {}, /without a user/],
    'a plugin of v1alpha1': [
      { context: 'pluginOfAlpha' },
      {},
      /exec.apiVersion must be client.authentication.k8s.io\/v1 or/,
    ],
    'a plugin that answers in another version': [{ context: 'pluginOfAnother' }, {}, /printed the apiVersion/],
    'a plugin of v1 without a mode': [{ context: 'pluginWithoutMode' }, {}, /interactiveMode must be one of/],
    'a plugin that must ask, without a terminal': [
      { context: 'pluginThatMustAsk' },
      {},
      /standard input is no terminal/,
    ],
    'a plugin that fails': [{ context: 'pluginThatFails' }, {}, /ended with code 3/],
    'a plugin that does not exist, with the hint how to install it': [
      { context: 'pluginOfNobody' },
      {},
      /"no-such-login" was not found: brew install no-such-login/,
    ],
  }
  for (const [what, [flags, vars, said]] of Object.entries(refused))
    it(`refuses ${what}, as kubectl does`, async () => {
      const { kubectl, ours } = await both(filled(flags), vars)
      expect(kubectl.isDone).to.equal(false)
      expect(ours.said).to.match(said).and.not.include('\n')
      expect({ ...ours, said: '' }).to.deep.equal({ ...kubectl, said: '' })
    })

  it('lets a credential plugin ask on the terminal, as kubectl does', async () => {
    if (!world) throw new Error('there is no world')
    const flags = { kubeconfig: world.path('config'), context: 'pluginThatAsks' }
    const { kubectl, ours } = await world.onTerminal(flags, 'secret\n')
    for (const { code, stdout } of [kubectl, ours]) {
      expect(code, stdout).to.equal(0)
      expect(stdout).to.include(`Password for ${world.path('home')}: `)
    }
    const [first, second] = world.server.take()
    expect(first?.headers).to.deep.equal({ authorization: ['Bearer secret'] })
    expect(second).to.deep.equal(first)
    const told = world
      .taken('info')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(told.map(({ info }) => at(info, 'spec'))).to.deep.equal([{ interactive: true }, { interactive: true }])
  })

  /** `SERVER` and `CONFIG` in flags are those of this world. */
  function filled(flags: KubeconfigFlags): KubeconfigFlags {
    if (!world) throw new Error('there is no world')
    return {
      ...flags,
      ...(flags.server === undefined ? {} : { server: `https://localhost:${world.server.port}` }),
      ...(flags.kubeconfig === 'CONFIG' ? { kubeconfig: world.path('config') } : {}),
    }
  }
})
