import { expect } from 'chai'
import { issue } from '../../../certs/issue.ts'
import { certificate } from '../../../cli/doctor/certificate.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { NOW } from '../some-experiments.ts'
import { SYSTEM, someFacts } from './an-installation.ts'

const named = (kind: string, more: object): KubeObject => ({
  ...{ apiVersion: 'v1', kind, ...more },
  metadata: { name: 'experiment-webhook-tls', namespace: SYSTEM },
})
const secretOf = async (days: number) => {
  const { cert } = await issue({ names: ['webhook'], clock: () => NOW, leafDays: days })
  return named('Secret', { data: { 'tls.crt': Buffer.from(cert).toString('base64') } })
}
const looked = async (...broken: Parameters<typeof someFacts>) => certificate.look((await someFacts(...broken)).facts)

const RENEW = 'Renew it: npm run certs -- --namespace=platform --configuration=experiment-deployment-controller'

describe('the check of the certificate', () => {
  it('is ok for more than 21 days, then a warning, and bad for less than 3', async () => {
    const resultOf = async (days: number) => (await looked({ objects: [await secretOf(days)] })).result
    expect([await resultOf(22), await resultOf(20), await resultOf(4), await resultOf(2)]).to.deep.equal([
      ...['ok', 'warn', 'warn', 'bad'],
    ])
    const { seen, remedy } = await looked({ objects: [await secretOf(2)] })
    expect(seen).to.match(/^it ends in less than 3 days, at \d{4}-\d\d-\d\dT/)
    expect(remedy).to.equal(RENEW)
    const later = new Date(NOW.getTime() + 10 * 86_400_000)
    expect((await looked({ objects: [await secretOf(4)] }, { clock: () => later })).seen).to.match(/^it has ended at /)
  })

  it('is bad where there is no Secret, or none with a certificate', async () => {
    expect(await looked()).to.deep.equal({
      result: 'bad',
      seen: 'there is no Secret experiment-webhook-tls',
      remedy: RENEW,
    })
    const empty = named('Secret', { data: {} })
    expect(await looked({ objects: [empty] })).to.include({
      result: 'bad',
      seen: 'Secret experiment-webhook-tls has no certificate',
    })
  })

  it('asks cert-manager where the Secret may not be read', async () => {
    const made = (status: object) => ({ objects: [named('Certificate', { status })], unread: ['Secret'] })
    expect(await looked(made({ notAfter: '2099-01-01T00:00:00Z' }))).to.deep.equal({
      result: 'ok',
      seen: 'valid until 2099-01-01T00:00:00.000Z',
    })
    expect(await looked(made({}))).to.include({ result: 'bad', seen: 'cert-manager has not issued it yet' })
    expect(await looked({ unread: ['Secret'] })).to.deep.equal({ result: 'unknown', seen: 'you cannot get Secret' })
  })

  it('needs none where the webhook is called by its address', async () => {
    const { facts } = await someFacts()
    const installation = { ...facts.installation, isByUrl: true }
    expect(await certificate.look({ ...facts, installation })).to.include({ result: 'ok' })
  })
})
