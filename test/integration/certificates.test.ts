import { expect } from 'chai'
import { newAuthority, renewedAuthority } from '../../certs/authority.ts'
import type { Cluster } from '../../certs/cluster.ts'
import { renew } from '../../certs/renew.ts'
import type { Timers } from '../../common/program/clock.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { Certified } from './certified.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'

const clock = () => new Date()

describe('npm run certs, against the real API server', () => {
  const plane = usesControlPlane()
  let made: Certified | undefined
  before('a namespace', async () => {
    made = new Certified(plane(), await aNamespace())
  })
  after('its webhook is removed', () => made?.remove())
  const webhook = (): Certified => {
    if (!made) throw new Error('not created before the tests')
    return made
  }
  const passes = (what: string) => eventually(what, 20_000, () => webhook().call())

  it('says what to apply if nothing is installed', async () => {
    const { code, stderr } = await webhook().certs()
    expect(code).to.equal(1)
    expect(stderr).to.equal(
      `certs: found 0 of 2 webhook configurations named ${webhook().configuration}; apply your overlay with manifests/script-certs first (docs/install.md, "Without cert-manager"), or name them with --configuration\n`,
    )
  })

  it('checks every write on a dry run, and stores nothing', async () => {
    await webhook().install()
    const { code, stdout, stderr } = await webhook().certs(['--dry-run'])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    const lines = stdout.trim().split('\n')
    expect(lines).to.have.lengthOf(5)
    for (const line of lines) expect(line).to.match(/ \(dry run\)$/)
    expect(await webhook().roots()).to.deep.equal([[], []])
    expect(await webhook().secrets()).to.deep.equal([])
  })

  it('names the missing permission, and the user', async () => {
    const { code, stderr } = await webhook().certs([], await plane().kubeconfigAs('bob'))
    expect(code).to.equal(1)
    expect(stderr).to.match(/^certs: .*forbidden: User "bob" cannot get resource/)
  })

  it('creates everything, and the API server calls the webhook', async () => {
    const { code, stdout, stderr } = await webhook().certs()
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout).to.match(/^authority created, valid until \d{4}-\d\d-\d\d \(Secret experiment-webhook-ca\)$/m)
    expect(stdout).to.contain(`1 root in ValidatingWebhookConfiguration ${webhook().configuration}`)
    expect(stdout).to.match(/^leaf created for 127\.0\.0\.1, valid until .* \(Secret experiment-webhook-tls\)$/m)
    await webhook().podReloads()
    await passes('the API server to have the bundle')
  })

  it('renews the leaf under the same root, and no call fails', async () => {
    const [{ cert }, roots] = [await webhook().pair('experiment-webhook-tls'), await webhook().roots()]
    await webhook().underLoad(async () => {
      expect((await webhook().certs()).stdout)
        .to.contain('authority kept')
        .and.to.contain('leaf renewed')
      await webhook().podReloads()
    })
    expect((await webhook().pair('experiment-webhook-tls')).cert).to.not.equal(cert)
    expect(await webhook().roots()).to.deep.equal(roots)
  })

  it('publishes the root of a new key beside the old one, and no call fails while pods load the new leaf', async () => {
    const [before] = await webhook().roots()
    await webhook().underLoad(async () => {
      const { stdout } = await webhook().certs(['--new-ca'])
      expect(stdout).to.contain('authority replaced').and.to.contain('2 roots in')
      await Promise.all([webhook().call(), webhook().call()]) // the pod still has the old leaf
      await webhook().podReloads()
    })
    for (const roots of await webhook().roots()) {
      expect(roots).to.have.lengthOf(2)
      expect(roots[1]).to.equal(before?.[0])
    }
  })

  it('S4: rotates the secret in the path, and no call fails', async () => {
    const calledAt = async (secret: string | undefined) =>
      eventually('the API server to use the new path', 20_000, async () => {
        await webhook().call()
        expect(Object.fromEntries(webhook().called)).to.deep.equal({
          mutate: `/mutate/${secret}`,
          validate: `/validate/${secret}`,
        })
      })
    const [old] = await webhook().pathSecrets()
    await calledAt(old)
    const timers: Timers = {
      ...AT_ONCE,
      after: (delayMs, run) => {
        const during = async () => {
          if (delayMs > 60_000) return webhook().podReloads()
          if (delayMs === 5_000) await calledAt((await webhook().pathSecrets())[1])
        }
        // a failure shows in the calls
        void during().then(run, run)
        return () => undefined
      },
    }
    await webhook().underLoad(async () => {
      await renew(webhook().cluster(), { clock, timers, say: () => undefined, wantsNewCa: false, wantsNewPath: true })
      await webhook().podReloads()
      await webhook().call()
    })
    const [current, ...others] = await webhook().pathSecrets()
    expect(others).to.deep.equal([])
    expect(current)
      .to.match(/^[0-9a-f]{64}$/)
      .and.to.not.equal(old)
    await calledAt(current)
  })

  it('completes an interrupted run, wherever it was interrupted', async () => {
    const cluster = webhook().cluster()
    const at = { clock, timers: AT_ONCE, say: () => undefined }
    for (const writes of [0, 1, 2, 3]) {
      const died = await renew(dying(cluster, writes), { ...at, wantsNewCa: true }).catch((error: unknown) => error)
      expect(`${died}`, `after ${writes} writes`).to.equal('Error: killed')
      await webhook().call() // with the old leaf
      await renew(cluster, { ...at, wantsNewCa: false })
      await webhook().call()
      await webhook().podReloads()
      await passes('the API server to have the new root')
    }
  })

  it('reports a conflict to one of two concurrent runs', async () => {
    const cluster = readingTogether(webhook().cluster(), 2)
    const at = { clock, timers: AT_ONCE, say: () => undefined, wantsNewCa: true }
    const results = await Promise.allSettled([renew(cluster, at), renew(cluster, at)])
    expect(results.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected'])
    await webhook().call()
    await webhook().podReloads()
    await passes('the API server to have the root of the one that won')
  })

  it('keeps the key of an old authority, so that its leaves verify under its renewed certificate', async () => {
    const cluster = webhook().cluster()
    const trust = async (bundle: string) => {
      for (const configuration of (await cluster.read()).configurations) await cluster.publish(configuration, bundle)
    }
    await trust((await newAuthority({ clock, days: 3_650 })).cert) // to see that it reads the bundle
    await eventually('calls to fail', 20_000, async () => {
      if (
        (await webhook()
          .call()
          .catch(() => 'failed')) !== 'failed'
      )
        throw new Error('they pass')
    })
    const renewed = await renewedAuthority(await webhook().pair('experiment-webhook-ca'), { clock, days: 3_650 })
    await trust(renewed.cert)
    await passes('calls to pass again')
  })
})

/** The steps of the script without its pause. */
const AT_ONCE: Timers = {
  now: () => performance.now(),
  after: (_delayMs, run) => {
    const next = setImmediate(run)
    return () => clearImmediate(next)
  },
}

/** A cluster in which no run writes before `runs` runs have read. */
function readingTogether(cluster: Cluster, runs: number): Cluster {
  const all = Promise.withResolvers<void>()
  let left = runs
  return {
    ...cluster,
    read: async () => {
      const found = await cluster.read()
      left -= 1
      if (left === 0) all.resolve()
      await all.promise
      return found
    },
  }
}

/** A cluster in which the run is killed after a number of writes. */
function dying(cluster: Cluster, writes: number): Cluster {
  let left = writes
  const count = () => {
    if (left === 0) throw new Error('killed')
    left -= 1
  }
  return {
    ...cluster,
    writeSecret: async (...args) => {
      count()
      await cluster.writeSecret(...args)
    },
    publish: async (...args) => {
      count()
      await cluster.publish(...args)
    },
  }
}
