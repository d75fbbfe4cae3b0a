import { expect } from 'chai'
import { EXPECTED } from '../../../cli/doctor/expected.ts'
import { mutatingWebhook } from '../../../cli/doctor/mutating-webhook.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { forbidden, SYSTEM, someFacts } from './an-installation.ts'

/** The mutating configuration with another authority than the validating one. */
const otherAuthority: KubeObject = {
  ...{ apiVersion: 'v1', kind: 'MutatingWebhookConfiguration' },
  metadata: { name: 'experiment-deployment-controller' },
  webhooks: EXPECTED.webhooks.MutatingWebhookConfiguration.map((webhook) => ({
    ...webhook,
    clientConfig: { caBundle: 'other', service: { namespace: SYSTEM, name: 'experiment-webhook' } },
  })),
}

describe('the check of the mutating webhook', () => {
  it('is ok where the answer says who asked', async () => {
    const { facts, posts } = await someFacts()
    expect(await mutatingWebhook.look(facts)).to.deep.equal({
      result: 'ok',
      seen: 'notes who asks for an experiment in default',
    })
    expect(posts[0]?.[1]).to.have.nested.property('spec.overrideSpec').deep.equal({})
  })

  it('is bad where it does not, with the remedy for what is known', async () => {
    const posted = () => ({ metadata: {} })
    expect(await mutatingWebhook.look((await someFacts({ posted })).facts)).to.deep.equal({
      result: 'bad',
      seen: 'nobody notes who asks for an experiment in default',
      remedy: 'Apply your overlay again: kubectl apply -k overlay',
    })
    const { facts } = await someFacts({ posted, objects: [otherAuthority] })
    expect((await mutatingWebhook.look(facts)).remedy).to.match(/^Renew it: npm run certs /)
    const down = new KubeError({ kind: 'server', status: 500, message: 'failed calling webhook' })
    const broken = await someFacts({ posted: () => down })
    expect((await mutatingWebhook.look(broken.facts)).remedy).to.match(/^Restart it: /)
  })

  it('is not known where the caller may not create experiments, nor read what reviews them', async () => {
    const { facts } = await someFacts({ posted: () => forbidden('experiments') })
    expect(await mutatingWebhook.look(facts)).to.deep.equal({
      result: 'unknown',
      seen: 'something refuses experiments in default: User "me" cannot get experiments',
    })
    const unread = await someFacts({ posted: () => ({}), unread: ['MutatingWebhookConfiguration'] })
    expect(await mutatingWebhook.look(unread.facts)).to.include({ result: 'unknown' })
  })
})
