import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'chai'
import {
  chooseKubeconfig,
  connectionOf,
  type KubeconfigFlags,
} from '../../../../common/kube/client/kubeconfig-choice.ts'
import type { Vars } from '../../../../common/program/env.ts'

describe('several kubeconfigs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfigs-'))
  after(() => rmSync(folder, { recursive: true }))

  /** The path of a file with one cluster of its own, and one whose name all files have. */
  function file(name: string, currentContext?: string): string {
    const path = join(folder, name)
    const names = [name, 'shared']
    const config = {
      ...(currentContext === undefined ? {} : { 'current-context': currentContext }),
      clusters: names.map((each) => ({ name: each, cluster: { server: `https://${each}.of.${name}` } })),
      users: names.map((each) => ({ name: each, user: { token: `${each} of ${name}` } })),
      contexts: names.map((each) => ({ name: each, context: { cluster: each, user: each } })),
    }
    writeFileSync(path, JSON.stringify(config))
    return path
  }

  const chosenFrom = (...paths: readonly string[]) =>
    chooseKubeconfig({}, { KUBECONFIG: paths.join(delimiter) }).connection
  const serverIn = (...paths: readonly string[]) => chosenFrom(...paths).cluster.server

  it('have the first current context', () => {
    expect(serverIn(file('a', 'a'), file('b', 'b'))).to.equal('https://a.of.a')
    expect(serverIn(file('a'), file('b', 'b'))).to.equal('https://b.of.b')
  })

  it('have the first of two entries with one name', () => {
    const { cluster, user } = chosenFrom(file('a'), file('b', 'shared'))
    expect([cluster.server, user.token]).to.deep.equal(['https://shared.of.a', 'shared of a'])
  })

  it('may be missing, but not all of them', () => {
    expect(serverIn('', join(folder, 'none'), file('b', 'b'))).to.equal('https://b.of.b')
    expect(() => serverIn(join(folder, 'none'))).to.throw('none does not exist')
  })
})

describe('chooseKubeconfig', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'))
  after(() => rmSync(home, { recursive: true }))
  mkdirSync(join(home, '.kube'))

  /** The path of a file with one context for each name; the first one is current. */
  function file(name: string, ...names: readonly string[]): string {
    const path = join(home, name)
    const config = {
      'current-context': names[0] ?? '',
      clusters: names.map((each) => ({ name: each, cluster: { server: `https://${each}.of.${name}` } })),
      contexts: names.map((each) => ({ name: each, context: { cluster: each, user: 'me', namespace: each } })),
      users: [{ name: 'me', user: { token: 'mine' } }],
    }
    writeFileSync(path, JSON.stringify(config))
    return path
  }
  const own = () => file('.kube/config', 'own')
  const serverOf = (flags: KubeconfigFlags, vars: Vars = {}) =>
    chooseKubeconfig(flags, { HOME: home, ...vars }).connection.cluster.server

  it('takes the file of the flag, else those of the variable, else that of the home folder', () => {
    own()
    const [a, b, c] = [file('a', 'a'), file('b', 'b'), file('c', 'c')]
    expect(serverOf({ kubeconfig: a }, { KUBECONFIG: b })).to.equal('https://a.of.a')
    expect(serverOf({ kubeconfig: '' }, { KUBECONFIG: ['', b, c].join(delimiter) })).to.equal('https://b.of.b')
    expect(serverOf({ context: 'c' }, { KUBECONFIG: [b, c].join(delimiter) })).to.equal('https://c.of.c')
    expect(serverOf({}, { KUBECONFIG: '' })).to.equal('https://own.of..kube/config')
  })

  it('takes one file from the flag, also if its name looks like two', () => {
    const path = file(`a${delimiter}b`, 'a')
    expect(serverOf({ kubeconfig: path })).to.equal(`https://a.of.a${delimiter}b`)
  })

  it('says the namespace of requests that name none', () => {
    const kubeconfig = file('a', 'a', 'b')
    const namespaceOf = (flags: KubeconfigFlags) => chooseKubeconfig({ kubeconfig, ...flags }, {}).connection.namespace
    expect(namespaceOf({ context: 'b' })).to.equal('b')
    expect(namespaceOf({ namespace: 'shop' })).to.equal('shop')
    expect(namespaceOf({ cluster: 'b' })).to.equal('a')
    writeFileSync(kubeconfig, '{clusters: [{name: a, cluster: {server: "https://a"}}]}')
    expect(namespaceOf({ cluster: 'a' })).to.equal('default')
  })

  it('reads the files again where that is wanted, with the same flags', () => {
    const kubeconfig = file('a', 'a', 'b')
    const choice = chooseKubeconfig({ kubeconfig, context: 'b', token: 'other' }, {})
    file('a', 'c', 'b')
    const { cluster, user } = connectionOf(choice, {})
    expect([cluster.server, user.token]).to.deep.equal(['https://b.of.a', 'other'])
  })

  const refused: Record<string, readonly [KubeconfigFlags, Vars, RegExp]> = {
    'a file of the flag that does not exist': [
      { kubeconfig: '/none' },
      {},
      /^\/none does not exist: name another file/,
    ],
    'no file at all': [{}, { KUBECONFIG: '/none' }, /^no API server: \/none does not exist: set KUBECONFIG$/],
    'no home': [{}, { HOME: '' }, /^no API server: a kubeconfig does not exist/],
    'an unknown context': [{ context: 'no' }, {}, /^there is no context "no": choose one with --context: "own"$/],
    'a timeout that is none': [{ requestTimeout: '5x' }, {}, /^--request-timeout must be .*, found "5x"$/],
  }
  for (const [what, [flags, vars, message]] of Object.entries(refused))
    it(`refuses ${what}`, () => {
      own()
      expect(() => serverOf(flags, vars)).to.throw(message)
    })

  it('lists the contexts of a file without a current one', () => {
    const kubeconfig = own()
    const text = readFileSync(kubeconfig, 'utf8').replace('"current-context":"own"', '"current-context":""')
    writeFileSync(kubeconfig, text)
    expect(() => serverOf({})).to.throw(/config has no current-context: choose one with --context: "own"$/)
    expect(serverOf({ server: 'https://other' })).to.equal('https://other')
  })

  const timeouts: Record<string, number | undefined> = {
    '': undefined,
    '0': undefined,
    '0s': undefined,
    '5': 5_000,
    '1m30s': 90_000,
    '1.5h': 5_400_000,
    '250ms': 250,
    '1us': 1,
  }
  for (const [requestTimeout, ms] of Object.entries(timeouts))
    it(`reads the timeout ${JSON.stringify(requestTimeout)} as ${ms} ms`, () => {
      own()
      expect(chooseKubeconfig({ requestTimeout }, { HOME: home }).requestTimeoutMs).to.equal(ms)
    })
})

describe('connectionOf', () => {
  it('takes a server that is known otherwise', () => {
    const { cluster, user } = connectionOf({ server: 'https://a', ca: 'PEM', token: 'mine' }, {})
    expect([cluster.server, cluster.caData, user.token]).to.deep.equal(['https://a', 'PEM', 'mine'])
  })
})
