import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { type Cluster, type Content, namesIn, textIn } from '../../certs/cluster.ts'
import { renew } from '../../certs/renew.ts'
import { certificatesOf } from '../../certs/trust.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { anotherAuthority, OTHERS } from './others.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-11-21T12:00:00Z')
const OBJECT_NAMES = {
  namespace: 'system',
  configuration: 'webhooks',
  leafSecret: 'leaf',
  caSecret: 'ca',
  pathSecret: 'path',
}
const SERVICE = { service: { name: 'experiment-webhook', namespace: 'system', path: '/validate' } }
const base64 = (text: string) => Buffer.from(text).toString('base64')

const PATH: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'path' },
  data: { current: base64('p'.repeat(64)) },
}

/** Two Secrets and two webhook configurations in memory, and a diary of the writes. The path has its secret already. */
class World {
  readonly diary: string[] = []
  readonly secrets = new Map<string, KubeObject>()
  #bundle = ''

  readonly cluster: Cluster = {
    objectNames: OBJECT_NAMES,
    isDryRun: false,
    read: async () => ({
      ca: this.secrets.get('ca'),
      leaf: this.secrets.get('leaf'),
      path: PATH,
      configurations: ['Mutating', 'Validating'].map((kind) => ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind,
        metadata: { name: 'webhooks' },
        webhooks: [{ name: 'webhook', clientConfig: { ...SERVICE, caBundle: base64(this.#bundle) } }],
      })),
    }),
    writeSecret: async (name: string, _found: unknown, { cert, key, ca = '' }: Content) => {
      this.diary.push(`write ${name}`)
      const data = { 'tls.crt': base64(cert), 'tls.key': base64(key), 'ca.crt': base64(ca) }
      this.secrets.set(name, { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data })
    },
    publish: async ({ kind }: KubeObject, bundle: string) => {
      this.diary.push(`publish ${certificatesOf(bundle).length} in ${kind}`)
      this.#bundle = bundle
    },
    writePathSecrets: async () => PATH,
    publishPath: async () => undefined,
  }

  /** A run of the script, `days` after the first. */
  async run(days: number, wantsNewCa = false): Promise<readonly string[]> {
    this.diary.length = 0
    await renew(this.cluster, {
      wantsNewCa,
      clock: () => new Date(NOW + days * DAY_MS),
      timers: {
        now: () => 0,
        after: (delayMs, end) => {
          this.diary.push(`wait ${delayMs / 1000} s`)
          const next = setImmediate(end)
          return () => clearImmediate(next)
        },
      },
      say: () => undefined,
    })
    return [...this.diary]
  }

  textOf = (name: string, key: string) => textIn(this.secrets.get(name), key)
}

const publish = (count: number) => [`publish ${count} in Mutating`, `publish ${count} in Validating`]

describe('renew', () => {
  it('writes the authority, the roots and the leaf, in this order', async () => {
    const world = new World()
    expect(await world.run(0)).to.deep.equal(['write ca', ...publish(1), 'write leaf'])
    const leaf = new X509Certificate(world.textOf('leaf', 'tls.crt'))
    const name = 'experiment-webhook.system.svc'
    expect(leaf.subjectAltName).to.equal(`DNS:${name}, DNS:${name}.cluster.local`)
    expect(leaf.verify(new X509Certificate(world.textOf('leaf', 'ca.crt')).publicKey)).to.equal(true)
  })

  it('does not write the authority while it is good', async () => {
    const world = new World()
    await world.run(0)
    const before = world.textOf('ca', 'tls.crt')
    expect(await world.run(60)).to.deep.equal([...publish(1), 'write leaf'])
    expect(world.textOf('ca', 'tls.crt')).to.equal(before)
  })

  it('renews an authority with the same key when less than a third of its lifetime is left', async () => {
    const world = new World()
    await world.run(0)
    await world.run(2_400)
    const before = world.textOf('ca', 'tls.key')
    // every pod's leaf verifies under the renewed certificate, so the former root is dropped
    expect(await world.run(2_500)).to.deep.equal(['write ca', ...publish(1), 'wait 5 s', 'write leaf'])
    expect(world.textOf('ca', 'tls.key')).to.equal(before)
    const root = new X509Certificate(world.textOf('ca', 'tls.crt'))
    expect(root.validToDate).to.deep.equal(new Date(NOW + (2_500 + 3_650) * DAY_MS))
  })

  it('publishes both roots for a new key, waits, and drops the former root when all pods have the new leaf', async () => {
    const world = new World()
    await world.run(0)
    expect(await world.run(1, true)).to.deep.equal(['write ca', ...publish(2), 'wait 5 s', 'write leaf'])
    expect(await world.run(2)).to.deep.equal([...publish(1), 'write leaf'])
  })

  it('replaces a Secret that holds no authority', async () => {
    const world = new World()
    await world.run(0)
    const leaf = { cert: world.textOf('leaf', 'tls.crt'), key: world.textOf('leaf', 'tls.key') }
    await world.cluster.writeSecret('ca', undefined, leaf)
    expect(await world.run(1)).to.deep.equal(['write ca', ...publish(2), 'wait 5 s', 'write leaf'])
  })

  for (const name of OTHERS)
    it(`replaces an authority with a ${name} key, once, even if its leaf is served and its root is trusted`, async () => {
      const world = new World()
      const theirs = await anotherAuthority(name, new Date(NOW))
      await world.cluster.writeSecret('ca', undefined, theirs)
      await world.cluster.writeSecret('leaf', undefined, theirs) // self-signed, which is enough for a leaf of it
      for (const configuration of (await world.cluster.read()).configurations)
        await world.cluster.publish(configuration, theirs.cert)
      expect(await world.run(1)).to.deep.equal(['write ca', ...publish(2), 'wait 5 s', 'write leaf'])
      expect(await world.run(2)).to.deep.equal([...publish(1), 'write leaf'])
    })
})

describe('the names of the leaf', () => {
  const namesOf = (clientConfig: object) =>
    namesIn({ apiVersion: 'v1', kind: 'Any', metadata: { name: 'any' }, webhooks: [{ clientConfig }] })

  it('are those of the Service', () =>
    expect(namesOf(SERVICE)).to.deep.equal([
      'experiment-webhook.system.svc',
      'experiment-webhook.system.svc.cluster.local',
    ]))

  it('are the host of a URL', () => {
    expect(namesOf({ url: 'https://hook.example:9443/validate' })).to.deep.equal(['hook.example'])
    expect(namesOf({ url: 'https://[::1]:9443/validate' })).to.deep.equal(['::1'])
  })
})
