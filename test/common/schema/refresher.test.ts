import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { unlessAborted } from '../../../common/program/deadline.ts'
import { jsonLog } from '../../../common/program/log.ts'
import { SchemaCatalog } from '../../../common/schema/catalog.ts'
import { keepFresh, refreshOnMiss } from '../../../common/schema/refresher.ts'
import { ANY_SCHEMA } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'
import { APPS_V1 } from './openapi.ts'

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' }

/** A cluster that can be unreachable, and a catalog that is kept fresh from it. */
function following({ isDown = false } = {}) {
  const state = { isDown, isHanging: false, movedWith: 0, indexReads: 0, lines: [] as string[] }
  const stop = new AbortController()
  const get = async (path: string): Promise<unknown> => {
    if (path !== '/openapi/v3') {
      if (state.movedWith === 0) return APPS_V1
      throw new KubeError({ kind: 'unreachable', status: state.movedWith, message: 'no document' })
    }
    state.indexReads += 1
    if (state.isHanging) await unlessAborted(new Promise(() => undefined), stop.signal)
    if (state.isDown) throw new Error('connection refused')
    return { paths: { 'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=A' } } }
  }
  const time = new VirtualTime()
  const log = jsonLog({ destination: { write: (line) => state.lines.push(line) } })
  const catalog = new SchemaCatalog({ get }, [DEPLOYMENT])
  const fresh = keepFresh({ catalog, timers: time, log, signal: stop.signal })
  return { state, time, catalog, stop, ...fresh }
}

describe('keepFresh', () => {
  it('R7: reads immediately, then every minute, until it is stopped', async () => {
    const { state, time, catalog, stop, ended } = following()
    await time.pass(0)
    expect(catalog.isComplete).to.equal(true)
    await time.pass(59_999)
    expect(state.indexReads).to.equal(1)
    await time.pass(1)
    expect(state.indexReads).to.equal(2)
    stop.abort()
    await ended
    expect(time.pending).to.equal(0)
  })

  it('ends at once while the API server does not answer, and logs no failure', async () => {
    const { state, time, stop, ended } = following()
    state.isHanging = true
    await time.pass(60_000)
    stop.abort()
    await ended
    expect([state.lines, time.pending]).to.deep.equal([[], 0])
  })

  it('reads immediately if a missing schema is asked for, but at most once in five seconds', async () => {
    const { state, time, catalog, stop, ended, refreshNow } = following()
    const { schemaOf } = refreshOnMiss(catalog, refreshNow)
    await time.pass(0)
    schemaOf('Rollout')
    await time.pass(4_999)
    expect(state.indexReads).to.equal(1)
    await time.pass(1)
    expect(state.indexReads).to.equal(2)
    await time.pass(30_000)
    schemaOf('Deployment')
    await time.pass(0)
    expect(state.indexReads).to.equal(2)
    schemaOf('Rollout')
    await time.pass(0)
    expect(state.indexReads).to.equal(3)
    stop.abort()
    await ended
  })

  it('O6: retries a failing refresh after 5 s, doubled up to a minute, whoever asks for a schema', async () => {
    const { state, time, catalog, stop, ended, refreshNow } = following()
    const { schemaOf } = refreshOnMiss(catalog, refreshNow)
    await time.pass(0)
    state.isDown = true
    const reads: number[] = []
    for (let seconds = 0; seconds < 360; seconds += 1) {
      const before = state.indexReads
      await time.pass(1_000)
      if (state.indexReads > before) reads.push(time.now() / 1_000)
      if (seconds > 60) schemaOf('Rollout')
    }
    expect(reads).to.deep.equal([60, 65, 75, 95, 135, 195, 255, 315])
    state.isDown = false
    await time.pass(60_000)
    expect(reads.length + 2).to.equal(state.indexReads)
    await time.pass(60_000)
    expect(reads.length + 3).to.equal(state.indexReads) // a minute after a success
    stop.abort()
    await ended
  })

  for (const status of [301, 404])
    it(`retries every 5 s while an API server that answers ${status} is about to publish other documents`, async () => {
      const { state, time, catalog, stop, ended } = following()
      state.movedWith = status
      await time.pass(60_000)
      expect(state.indexReads).to.equal(13) // at 0, 5, …, 60
      state.movedWith = 0
      await time.pass(5_000)
      expect(catalog.isComplete).to.equal(true)
      stop.abort()
      await ended
    })

  it('O6: retries the first refresh every 15 s, because the program does nothing before it', async () => {
    const { state, time, catalog, stop, ended } = following({ isDown: true })
    await time.pass(120_000)
    expect(state.indexReads).to.equal(10) // at 0, 5, 15, and then every 15 s
    state.isDown = false
    await time.pass(15_000)
    expect(catalog.isComplete).to.equal(true)
    stop.abort()
    await ended
  })

  it('retries after five seconds while the API server cannot be reached, and logs it', async () => {
    const { state, time, catalog, stop, ended } = following({ isDown: true })
    await time.pass(4_999)
    expect(catalog.isComplete).to.equal(false)
    expect(state.lines.join()).to.include('schemas not refreshed')
    state.isDown = false
    await time.pass(1)
    expect(catalog.isComplete).to.equal(true)
    stop.abort()
    await ended
  })

  it('O6: logs the 1st, 2nd, 4th and 8th failure in a row, and the first one after a success', async () => {
    const { state, time, stop, ended } = following({ isDown: true })
    const logged = () =>
      state.lines
        .splice(0)
        .map((line) => JSON.parse(line))
        .map(({ apiVersion, failures }) => [apiVersion, failures])
    await time.pass(180_000)
    expect(state.indexReads).to.equal(14)
    expect(logged()).to.deep.equal([1, 2, 4, 8].map((failures) => [undefined, failures]))
    state.isDown = false
    state.movedWith = 404
    await time.pass(60_000)
    expect(logged()).to.deep.equal([1, 2, 4, 8].map((failures) => ['apps/v1', failures]))
    state.movedWith = 0
    await time.pass(5_000)
    state.isDown = true
    await time.pass(60_000)
    expect(logged()).to.deep.equal([[undefined, 1]])
    stop.abort()
    await ended
  })
})

describe('refreshOnMiss', () => {
  it('calls hurry for a kind without a schema, and for no other', () => {
    let hurries = 0
    const schemas = { schemaOf: (kind: string) => (kind === 'Deployment' ? ANY_SCHEMA : undefined) }
    const { schemaOf } = refreshOnMiss(schemas, () => {
      hurries += 1
    })
    expect(schemaOf('Deployment')).to.equal(ANY_SCHEMA)
    expect(hurries).to.equal(0)
    expect(schemaOf('Rollout')).to.equal(undefined)
    expect(hurries).to.equal(1)
  })
})
