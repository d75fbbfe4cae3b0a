import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { DryRuns } from '../../../controller/memory/dry-runs.ts'
import { aDeployment } from '../../builders.ts'

const KEY = 'shop/faster-cart'
const SOURCE = aDeployment()
const patch = { metadata: { uid: 'u' }, spec: { minReadySeconds: 0 } }
const writeOf = (of = 'a') => ({ source: SOURCE, patch, of })

/** Dry runs that `answer` answers, at the time `nowMs`. */
function dryRuns(answer: () => KubeObject | KubeError = () => SOURCE) {
  const requests: KubeRequest[] = []
  const world = { nowMs: 0, answer, keys: new Set([KEY]) }
  const client = {
    request: async (request: KubeRequest) => {
      requests.push(request)
      const found = world.answer()
      if (found instanceof KubeError) throw found
      return found
    },
  }
  const runs = new DryRuns({ client, timers: { now: () => world.nowMs }, isKnown: (key) => world.keys.has(key) })
  return { world, requests, runs, ask: (of?: string, key = KEY) => runs.of(key, deployment, writeOf(of)) }
}

const failing = (kind: KubeError['kind'], message = 'no') => dryRuns(() => new KubeError({ kind, message }))

describe('N10: a dry run', () => {
  it('is the write of the promotion, by its field manager, and nothing is stored', async () => {
    const { requests, ask } = dryRuns()
    expect(await ask()).to.deep.equal({ of: 'a', changesNothing: known(true) })
    const [{ verb, path, query, body } = {} as KubeRequest] = requests
    expect([verb, path, body]).to.deep.equal(['patch', '/apis/apps/v1/namespaces/shop/deployments/cart', patch])
    expect(query).to.deep.equal({ dryRun: 'All', fieldManager: 'experiment-controller-promotion' })
  })

  it('says that something would change', async () => {
    const { ask } = dryRuns(() => aDeployment({ image: 'cart:2' }))
    expect((await ask()).changesNothing).to.deep.equal(known(false))
  })

  it('says that nothing would change in a source that is being scaled', async () => {
    const { ask } = dryRuns(() => aDeployment({ spec: { replicas: 9 } }))
    expect((await ask()).changesNothing).to.deep.equal(known(true))
  })

  it('is made once for a write', async () => {
    const { world, requests, ask } = dryRuns()
    await ask()
    world.nowMs = 3_600_000
    await ask()
    expect(requests).to.have.length(1)
  })

  it('is made at most once for an experiment in ten seconds, whatever it writes', async () => {
    const { world, requests, ask } = dryRuns()
    await ask('a')
    world.nowMs = 4_000
    expect(await ask('b')).to.deep.equal({ of: 'b', changesNothing: ABSENT, againInMs: 6_000 })
    world.nowMs = 10_000
    expect((await ask('b')).changesNothing).to.deep.equal(known(true))
    expect(requests).to.have.length(2)
  })

  it('that is refused is an answer for ten minutes, told in a text of limited length', async () => {
    for (const kind of ['forbidden', 'invalid', 'unread'] as const) {
      const { world, requests, ask } = failing(kind, 'x'.repeat(5_000))
      const refusal = { of: 'a', changesNothing: unknown('x'.repeat(300)) }
      expect(await ask()).to.deep.equal({ ...refusal, againInMs: 600_000 })
      world.nowMs = 599_000
      expect(await ask()).to.deep.equal({ ...refusal, againInMs: 1_000 })
      expect(requests, kind).to.have.length(1)
      world.nowMs = 600_000
      world.answer = () => SOURCE
      expect(await ask()).to.deep.equal({ of: 'a', changesNothing: known(true) })
    }
  })

  it('that fails otherwise is made again after ten seconds', async () => {
    for (const kind of ['unreachable', 'timeout', 'server', 'conflict', 'notFound'] as const) {
      const { world, requests, ask } = failing(kind)
      expect(await ask(), kind).to.deep.equal({ of: 'a', changesNothing: ABSENT, againInMs: 10_000 })
      world.nowMs = 10_000
      world.answer = () => SOURCE
      expect((await ask()).changesNothing).to.deep.equal(known(true))
      expect(requests).to.have.length(2)
    }
  })

  it('is forgotten with its experiment, also if that is deleted meanwhile', async () => {
    const { world, runs, ask } = dryRuns()
    await ask()
    runs.forget(KEY)
    expect(runs.size).to.equal(0)
    world.keys.clear()
    await ask()
    expect(runs.size).to.equal(0)
  })
})
