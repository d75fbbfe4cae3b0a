import { expect } from 'chai'
import { EXPECTED } from '../../../cli/doctor/expected.ts'
import { webhookConfigurations } from '../../../cli/doctor/webhook-configurations.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { SYSTEM, someFacts } from './an-installation.ts'

const service = { namespace: SYSTEM, name: 'experiment-webhook' }
const FROM = { caBundle: 'ca', service }

/** The validating configuration, whose first webhook is changed. */
const changed = (first: object): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'ValidatingWebhookConfiguration' },
  metadata: { name: 'experiment-deployment-controller' },
  webhooks: EXPECTED.webhooks.ValidatingWebhookConfiguration.map((webhook, index) => ({
    ...{ ...webhook, clientConfig: FROM },
    ...(index === 0 ? first : {}),
  })),
})
const looked = async (...objects: readonly KubeObject[]) =>
  webhookConfigurations.look((await someFacts({ objects })).facts)

const NAME = 'validate.experimentcontroller.example.com'

describe('the check of the webhook configurations', () => {
  it('is ok where both are as in this version', async () => {
    expect(await looked()).to.deep.equal({ result: 'ok', seen: 'both are there, and call the Service' })
  })

  it('is bad where a configuration or a webhook is missing', async () => {
    const { facts } = await someFacts({ without: ['MutatingWebhookConfiguration'] })
    expect(await webhookConfigurations.look(facts)).to.deep.equal({
      result: 'bad',
      seen: 'there is no MutatingWebhookConfiguration experiment-deployment-controller',
      remedy: 'Apply your overlay again: kubectl apply -k overlay',
    })
    expect(await looked(changed({ name: 'another' }))).to.include({ result: 'bad', seen: `${NAME} is missing` })
  })

  it('is bad where a failurePolicy, a rule or the Service is another one', async () => {
    expect((await looked(changed({ failurePolicy: 'Ignore' }))).seen).to.equal(
      `${NAME} has another failurePolicy than Fail`,
    )
    expect((await looked(changed({ rules: [] }))).seen).to.equal(`${NAME} has other rules`)
    const name = 'another'
    expect((await looked(changed({ clientConfig: { caBundle: 'ca', service: { ...service, name } } }))).seen).to.equal(
      'ValidatingWebhookConfiguration experiment-deployment-controller calls another Service than that of platform',
    )
  })

  it('says how to get a certificate where no authority is trusted yet', async () => {
    expect(await looked(changed({ clientConfig: { service } }))).to.deep.equal({
      result: 'bad',
      seen: 'experiment-deployment-controller has no caBundle yet',
      remedy: 'Renew it: npm run certs -- --namespace=platform --configuration=experiment-deployment-controller',
    })
  })

  it('takes an address for sound: developers have one, and who runs the webhook outside of pods', async () => {
    const byUrl = (kind: keyof typeof EXPECTED.webhooks) => ({
      ...{ ...changed({}), kind },
      webhooks: EXPECTED.webhooks[kind].map((each) => ({ ...each, clientConfig: { url: 'https://127.0.0.1:1' } })),
    })
    const both = [byUrl('ValidatingWebhookConfiguration'), byUrl('MutatingWebhookConfiguration')]
    expect(await looked(...both)).to.deep.equal({
      result: 'ok',
      seen: 'both are there; they call the webhook by its address',
    })
  })

  it('is not known to somebody who may not read them', async () => {
    const { facts } = await someFacts({ unread: ['ValidatingWebhookConfiguration'] })
    expect(await webhookConfigurations.look(facts)).to.include({ result: 'unknown' })
  })
})
