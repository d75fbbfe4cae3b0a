import { expect } from 'chai'
import { healthServer, type Probes } from '../../common/health.ts'
import { closed, listening } from '../../common/listen.ts'
import { Metrics } from '../../common/metrics.ts'

/** What `probes` answer at `path`. */
async function answer(probes: Probes, path: string) {
  const server = healthServer(probes)
  const port = await listening(server, 0, '127.0.0.1')
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    return { status: response.status, text: await response.text() }
  } finally {
    await closed(server)
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
      text: '[+]schemas ok\n',
    })
  })

  it('is alive whatever the checks say', async () => {
    expect(await answer({ checks }, '/livez')).to.deep.equal({ status: 200, text: 'ok\n' })
  })

  it('serves metrics where there are some, and nothing else', async () => {
    const metrics = new Metrics()
    metrics.counter({ name: 'tries_total', help: 'Tries.' })({})
    expect((await answer({ checks, metrics }, '/metrics')).text).to.include('tries_total 1')
    expect((await answer({ checks }, '/metrics')).status).to.equal(404)
    expect((await answer({ checks }, '/constructor')).status).to.equal(404)
  })

  it('says which metric could not be read', async () => {
    const metrics = new Metrics()
    const read = () => {
      throw new Error('no such file')
    }
    metrics.gauge({ name: 'broken', help: 'Broken.', read })
    expect(await answer({ checks, metrics }, '/metrics')).to.deep.equal({
      status: 500,
      text: 'a metric cannot be read: no such file\n',
    })
  })
})
