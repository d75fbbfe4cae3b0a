import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { expiresAt, isLive, MAX_TTL_SECONDS, untilExpiryMs } from '../../../common/api/expiry.ts'
import { at, listOr } from '../../../common/json/json.ts'
import { anExperiment } from '../../builders.ts'

const created = { creationTimestamp: '2026-11-21T12:00:00Z' }
const NOW = new Date('2026-11-21T13:00:00Z')

describe('the largest ttlSeconds', () => {
  it('is that of the CRD', () => {
    const crd: unknown = parse(readFileSync('crds/experimentdeployments.yaml', 'utf8'))
    const [version] = listOr(at(crd, 'spec', 'versions'))
    const schema = at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', 'ttlSeconds')
    expect(at(schema, 'maximum')).to.equal(MAX_TTL_SECONDS)
  })
})

describe('expiresAt', () => {
  it('is ttlSeconds after the creation', () =>
    expect(expiresAt(anExperiment({ metadata: created, ttlSeconds: 7_200 }))).to.equal('2026-11-21T14:00:00Z'))

  it('is undefined without ttlSeconds', () =>
    expect(expiresAt(anExperiment({ metadata: created }))).to.equal(undefined))

  it('is undefined before the API server has set the creation time', () =>
    expect(expiresAt(anExperiment({ ttlSeconds: 60 }))).to.equal(undefined))
})

describe('untilExpiryMs', () => {
  const until = (ttlSeconds?: number) =>
    untilExpiryMs(anExperiment({ metadata: created, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) }), NOW)

  it('counts down to zero and below', () =>
    expect([until(3_601), until(3_600), until(3_599)]).to.deep.equal([1_000, 0, -1_000]))

  it('is infinite without ttlSeconds', () => expect(until()).to.equal(Number.POSITIVE_INFINITY))
})

describe('isLive', () => {
  const is = (fields: Parameters<typeof anExperiment>[0]) => isLive(anExperiment(fields), NOW)

  it('is true until the experiment expires', () => {
    expect(is({ metadata: created })).to.equal(true)
    expect(is({ metadata: created, ttlSeconds: 3_601 })).to.equal(true)
    expect(is({ metadata: created, ttlSeconds: 3_600 })).to.equal(false)
  })

  it('is false while the experiment is being deleted', () =>
    expect(is({ metadata: { ...created, deletionTimestamp: '2026-11-21T12:30:00Z' } })).to.equal(false))
})
