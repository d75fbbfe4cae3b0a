import { expect } from 'chai'
import { Metrics } from '../../../common/program/metrics.ts'
import { connectionMetrics } from '../../../webhook/http/metrics.ts'
import { anExperiment } from '../../builders.ts'
import { allow, serving } from '../asking.ts'
import { aReview } from '../reviews.ts'

describe('the metrics of the webhook', () => {
  it('count reviews by outcome, and rejected requests by cause', () => {
    const answers = [
      allow,
      async () => ({ is: 'invalid', name: 'x', errors: [] }) as const,
      async () => ({ is: 'forbidden', message: 'needs more' }) as const,
      async () => ({ is: 'unchecked', message: 'could not be checked in time, try again' }) as const,
      async () => {
        throw new TypeError('of mine')
      },
    ]
    return serving(
      (...review) => (answers.shift() ?? allow)(...review),
      async ({ ask, counted }) => {
        await ask('/mutate', aReview())
        for (const _ of [...answers]) await ask('/validate', aReview())
        const { resource } = aReview().request
        await ask('/validate', aReview({ resource: { ...resource, resource: 'pods' } }))
        await ask('/validate', aReview({ resource: { ...resource, version: 'v9' } }))
        await ask('/validate', '{')
        await ask('/validate', '{}')
        await ask('/validate', 'a', { 'content-type': 'text/plain' })
        await ask('/validate', `[${'1,'.repeat(100_001)}1]`)
        await ask('/elsewhere', {})
        const short = (await counted()).map((line) => line.replace('experiment_webhook_', ''))
        expect(short).to.have.members([
          'reviews_total{path="mutate",operation="CREATE",outcome="allowed"} 1',
          'reviews_total{path="validate",operation="CREATE",outcome="allowed"} 1',
          'reviews_total{path="validate",operation="CREATE",outcome="invalid"} 1',
          'reviews_total{path="validate",operation="CREATE",outcome="forbidden"} 1',
          'reviews_total{path="validate",operation="CREATE",outcome="timedOut"} 1',
          'reviews_total{path="validate",operation="CREATE",outcome="failed"} 1',
          'foreign_total 1',
          'internal_errors_total 1',
          'refused_total{why="version"} 1',
          'refused_total{why="json"} 1',
          'refused_total{why="review"} 1',
          'refused_total{why="contentType"} 1',
          'refused_total{why="structure"} 1',
          'refused_total{why="path"} 1',
        ])
      },
    )
  })

  it('have as many series after 200 names as after one, and contain no name', () =>
    serving(allow, async ({ ask, all }) => {
      const series: string[][] = []
      for (let at = 0; at < 200; at++) {
        const object = anExperiment({ metadata: { name: `named-${at}` }, overrideSpec: { image: `img-${at}` } })
        await ask('/validate', aReview({ uid: `uid-${at}`, namespace: `space-${at}`, object }))
        series.push((await all()).map((line) => line.replace(/ [^ ]+$/, '')))
      }
      expect(series.at(-1)).to.deep.equal(series[0])
      expect((await all()).join()).not.to.match(/named-|img-|uid-|space-/)
    }))

  it('S5: tell how many connections are open, and why others were closed', async () => {
    const metrics = new Metrics()
    const closed = connectionMetrics(metrics, { open: 7 })
    closed('limit')
    closed('handshake')
    const text = await metrics.text()
    expect(text).to.include('experiment_webhook_connections 7')
    for (const why of ['limit', 'handshake'])
      expect(text).to.include(`experiment_webhook_connections_closed_total{why="${why}"} 1`)
  })
})
