import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { request } from 'undici'
import { type Supervisor, startSupervisor } from '../../sandbox/processes.ts'
import { type PrometheusOptions, startPrometheus } from '../../sandbox/prometheus/server.ts'
import { isGone } from './gone.ts'

describe('Prometheus in the sandbox', () => {
  let supervisor: Supervisor
  beforeEach(async () => {
    supervisor = await startSupervisor()
  })
  afterEach(() => supervisor.stop())

  const start = async (options: Partial<PrometheusOptions> = {}) =>
    startPrometheus({
      supervise: supervisor.start,
      folder: await mkdtemp(join(supervisor.stateDirectory, 'prometheus-')),
      ...options,
    })

  it('answers, keeps what is written to it, says what it refuses, and is gone when it is stopped', async function () {
    const pids: number[] = []
    const supervise: PrometheusOptions['supervise'] = async (spec) => {
      const started = await supervisor.start(spec)
      pids.push(started.pid)
      return started
    }
    const started = await start({ supervise })
    if ('unavailable' in started) {
      console.error(`no real Prometheus here: ${started.unavailable}`)
      return this.skip()
    }
    const at = 1_700_000_000_000
    await started.write([{ labels: { z: 'é', __name__: 'a' }, values: [{ at, value: -0.5 }] }])
    const { body } = await request(`${started.address}/api/v1/query?query=a&time=${at / 1_000}`)
    expect(await body.json())
      .to.have.nested.property('data.result')
      .deep.equal([{ metric: { __name__: 'a', z: 'é' }, value: [at / 1_000, '-0.5'] }])
    const old = [{ labels: { __name__: 'a' }, values: [{ at: at - 7_200_000, value: 1 }] }]
    const refused = await started.write(old).catch(String)
    expect(refused).to.match(/^Error: Prometheus refused what was written: \d+ .*too old/)
    await started.stop()
    expect(pids.map(isGone)).to.deep.equal([true])
  })

  it('says how it ended if it cannot start', async function () {
    const started = await start({ scrapes: [{ job_name: '' }] }).catch(String)
    if (typeof started !== 'string') return this.skip() // there is none here
    expect(started).to.contain('prometheus ended by itself (code 2); its last lines:').and.contain('job_name is empty')
  })

  it('says what to install where it is missing', async () => {
    expect(await start({ path: 'no-such-prometheus' })).to.deep.equal({
      unavailable: '`no-such-prometheus` was not found: install it (apt-get install prometheus), at least version 2.40',
    })
    expect(await start({ path: 'false' }))
      .to.have.property('unavailable')
      .contain('`false --version` failed')
  })
})
