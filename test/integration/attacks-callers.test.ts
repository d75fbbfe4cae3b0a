/** The attacks of docs/attacks.md that are about the requester. */
import { expect } from 'chai'
import { Agent, request } from 'undici'
import { EXPERIMENT_DEPLOYMENT, GROUP } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { anExperiment } from '../builders.ts'
import { aReview } from '../webhook/reviews.ts'
import { controlPlane } from './fixture.ts'
import { aSource, usesProduct } from './product.ts'
import { bind } from './roles.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

interface ValidatingWebhooks {
  readonly metadata: KubeObject['metadata']
  readonly webhooks: readonly { readonly clientConfig: { readonly url: string; readonly caBundle: string } }[]
}

describe('attacks by the requester', () => {
  const place = usesProduct()

  it('A31: a forged review reveals nothing about a source that its user may not get', async () => {
    await aSource(place(), 'a31', { image: 'registry.example/secret:1' })
    const { webhooks } = await place().api.get<ValidatingWebhooks>(
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/experiment-deployment-controller',
    )
    const { url = '', caBundle = '' } = webhooks[0]?.clientConfig ?? {}
    const dispatcher = new Agent({ connect: { ca: Buffer.from(caBundle, 'base64').toString() } })
    const asked = async (source: string): Promise<string> => {
      const object = { ...anExperiment({ sourceRef: { kind: 'Deployment', name: source } }) }
      const review = aReview({ namespace: place().namespace, object, userInfo: { username: 'nobody' } })
      const body = JSON.stringify(review)
      const answer = await request(url, { dispatcher, method: 'POST', headers: JSON_TYPE, body })
      return answer.body.text()
    }
    const [there, absent] = [await asked('a31'), await asked('a31-absent')]
    await dispatcher.close()
    expect(there).to.contain('needs').and.to.not.contain('secret')
    expect(there).to.equal(absent.replaceAll('a31-absent', 'a31'))
  })

  it('A32: a GitOps identity is reviewed as itself', async () => {
    const plane = await controlPlane()
    const { api, namespace } = place()
    await aSource(place(), 'a32')
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
    await api.create(role, {
      metadata: { name: 'test-gitops' },
      rules: [{ apiGroups: [GROUP], resources: ['experimentdeployments'], verbs: ['*'] }],
    })
    const proof = { verb: 'create', group: GROUP, resource: 'experimentdeployments' }
    await bind(plane, 'bob', { role: 'test-gitops', namespace, proof })
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const answer = await plane
      .apiAs('bob')
      .create<KubeObject>(place().path('experiments'), {
        apiVersion,
        kind,
        metadata: { name: 'a32' },
        spec: { sourceRef: { kind: 'Deployment', name: 'a32' }, overrideSpec: {} },
      })
      .catch((error: Error) => error.message)
    expect(answer).to.contain('needs "create deployments.apps"')
    await api.delete(`${role}/test-gitops`)
  })
})
