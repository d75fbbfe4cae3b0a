import { expect } from 'chai'
import { healthServer, type Probes } from '../../../common/program/health.ts'
import { close, listen } from '../../../common/program/listen.ts'
import { Metrics } from '../../../common/program/metrics.ts'

/** The response of a server of `probes` at `path`. */
async function answer(probes: Probes, path: string) {
  const server = healthServer(probes)
  const port = await listen(server, 0, '127.0.0.1')
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    return { status: response.status, text: await response.text() }
  } finally {
    await close(server)
  }
}

const checks = { schemas: () => undefined, certificate: () => 'expired on Monday' }

describe('healthServer', () => {
  it('lists each check, and is not ready while one fails', async () => {
    expect(await answer({ checks }, '/readyz')).to.deep.equal({
      status: 503,
      text: '[+]schemas ok\n[-]certificate: expired on Monday\n',
    })
    expect(await answer({ checks: { schemas: checks.schemas } }, '/readyz')).to.deep.equal({
      status: 200,
      text: '[+]schemas ok\nok\n',
    })
  })

  it('is live although it is not ready', async () => {
    expect(await answer({ checks }, '/livez')).to.deep.equal({ status: 200, text: 'ok\n' })
  })

  it('is not live while one of the checks for that fails', async () => {
    const live = { 'event loop': () => undefined, passes: () => 'one takes 61 s' }
    expect(await answer({ checks, live }, '/livez')).to.deep.equal({
      status: 503,
      text: '[+]event loop ok\n[-]passes: one takes 61 s\n',
    })
  })

  it('serves metrics if there are some, and no other path', async () => {
    const metrics = new Metrics()
    metrics.counter({ name: 'tries_total', help: 'Tries.' })({})
    expect((await answer({ checks, metrics }, '/metrics')).text).to.include('tries_total 1')
    expect((await answer({ checks }, '/metrics')).status).to.equal(404)
    expect((await answer({ checks }, '/constructor')).status).to.equal(404)
  })

  it('says why a metric could not be read', async () => {
    const metrics = new Metrics()
    const read = () => {
      throw new Error('no such file')
    }
    metrics.gauge({ name: 'broken', help: 'Broken.', read })
    expect(await answer({ checks, metrics }, '/metrics')).to.deep.equal({
      status: 500,
      text: 'cannot read a metric: no such file\n',
    })
  })
})
