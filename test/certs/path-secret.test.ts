import { expect } from 'chai'
import { type Cluster, type PathSecretPair, textIn } from '../../certs/cluster.ts'
import { renewPathSecret } from '../../certs/path-secret.ts'
import type { KubeObject } from '../../common/api/object.ts'

const SECRET = /^[0-9a-f]{64}$/
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** A Secret and two webhook configurations in memory, and a diary of what was done. */
class World {
  readonly diary: string[] = []
  secret: KubeObject | undefined
  readonly paths = new Map([
    ['Mutating', ''],
    ['Validating', ''],
  ])
  /** the number of steps after which a run is killed */
  stepsLeft = Number.POSITIVE_INFINITY
  isDryRun = false

  #step(what: string): void {
    if (this.stepsLeft-- === 0) throw new Error('killed')
    this.diary.push(what)
  }

  /** Letters for secrets, in the order in which they appear. */
  readonly #letters = new Map<string, string>()
  letterOf(secret: string): string {
    const letter = this.#letters.get(secret) ?? 'ABCDEF'[this.#letters.size] ?? '?'
    this.#letters.set(secret, letter)
    return letter
  }

  async run(wantsNewPath = false): Promise<readonly string[]> {
    this.diary.length = 0
    const cluster: Pick<Cluster, 'isDryRun' | 'objectNames' | 'publishPath' | 'writePathSecrets'> = {
      isDryRun: this.isDryRun,
      objectNames: { namespace: 's', configuration: 'c', leafSecret: 'l', caSecret: 'a', pathSecret: 'path' },
      publishPath: async ({ kind }, secret) => {
        expect(secret).to.match(SECRET)
        this.#step(`${kind} ${this.letterOf(secret)}`)
        this.paths.set(kind, secret)
      },
      writePathSecrets: async (found, { current, next }: PathSecretPair) => {
        expect(found).to.equal(this.secret)
        this.#step(`write ${[current, ...(next === undefined ? [] : [next])].map((each) => this.letterOf(each))}`)
        const data = { current: base64(current), ...(next !== undefined && { next: base64(next) }) }
        this.secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'path' }, data }
        return this.secret
      },
    }
    const configurations = [...this.paths].map(([kind, secret]) => ({
      apiVersion: 'v1',
      kind,
      metadata: { name: 'c' },
      webhooks: [{ clientConfig: { service: { path: secret === '' ? '/any' : `/any/${secret}` } } }],
    }))
    const found = { configurations, ca: undefined, leaf: undefined, path: this.secret }
    await renewPathSecret({ read: unused, writeSecret: unused, publish: unused, ...cluster }, found, {
      wantsNewPath,
      timers: {
        now: () => 0,
        after: (delayMs, end) => {
          this.#step(`wait ${delayMs / 1000} s`)
          setImmediate(end)
          return () => undefined
        },
      },
      say: (line) => expect(line).to.not.match(/[0-9a-f]{64}/),
    })
    return [...this.diary]
  }
}

const unused = async (): Promise<never> => {
  throw new Error('not used')
}
const publish = (letter: string) => [`Mutating ${letter}`, `Validating ${letter}`]

describe('renewPathSecret', () => {
  it('S4: publishes the first secret before the webhook requires it', async () => {
    expect(await new World().run()).to.deep.equal([...publish('A'), 'wait 5 s', 'write A'])
  })

  it('publishes the same secret again on each further run', async () => {
    const world = new World()
    await world.run()
    world.paths.set('Mutating', '')
    expect(await world.run()).to.deep.equal(publish('A'))
  })

  it('S4: adds a new secret beside the old one, and publishes it when every pod has it', async () => {
    const world = new World()
    await world.run()
    const rotation = ['write A,B', 'wait 150 s', ...publish('B'), 'wait 5 s', 'write B']
    expect(await world.run(true)).to.deep.equal(rotation)
    expect(world.paths.get('Mutating')).to.equal(textIn(world.secret, 'current'))
  })

  for (const wantsNewPath of [false, true])
    it(`completes an interrupted ${wantsNewPath ? 'rotation' : 'first run'}, and the webhook accepts each path meanwhile`, async () => {
      for (let steps = 0; steps < (wantsNewPath ? 6 : 4); steps++) {
        const world = new World()
        if (wantsNewPath) await world.run()
        world.stepsLeft = steps
        const died = await world.run(wantsNewPath).catch((error: unknown) => error)
        expect(String(died), `after ${steps} steps`).to.equal('Error: killed')
        const accepted = ['current', 'next'].map((key) => textIn(world.secret, key))
        if (world.secret) for (const path of world.paths.values()) expect(accepted).to.include(path)
        world.stepsLeft = Number.POSITIVE_INFINITY
        await world.run()
        const current = textIn(world.secret, 'current')
        expect([...world.paths.values(), textIn(world.secret, 'next')]).to.deep.equal([current, current, ''])
      }
    })

  it('does not wait in a dry run', async () => {
    const world = new World()
    world.isDryRun = true
    expect(await world.run()).to.deep.equal([...publish('A'), 'write A'])
  })
})
