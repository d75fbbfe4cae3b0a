import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { issue } from '../../certs/issue.ts'
import { CR_NAME, IS_EXPERIMENT } from '../../common/api/names.ts'
import { at, parseJson } from '../../common/json/json.ts'
import { realTimers } from '../../common/program/clock.ts'
import { close, listen } from '../../common/program/listen.ts'
import { controlPlane } from './fixture.ts'

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

const timers = realTimers()

/** Somebody's admission webhook for the forks in one namespace. */
export interface SlowWebhook {
  /** the reviews that it has begun: of each, the name of the experiment whose fork it is about */
  readonly reviews: () => readonly string[]
  readonly remove: () => Promise<void>
}

/** Lets `namespace` have an admission webhook that allows a fork after `delayMs`, but not before `until` resolves. */
export async function slowWebhook(namespace: string, delayMs: number, until: Promise<void>): Promise<SlowWebhook> {
  const { api } = await controlPlane()
  const { ca, cert, key } = await issue({ names: ['127.0.0.1'], clock: () => new Date() })
  const reviews: string[] = []
  const server = createServer({ cert, key }, async (request, response) => {
    const delay = new Promise<void>((resolve) => void timers.after(delayMs, resolve))
    const asked = parseJson(await text(request))
    const uid = at(asked, 'request', 'uid')
    reviews.push(`${at(asked, 'request', 'object', 'metadata', 'labels', CR_NAME)}`)
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }
    await Promise.all([delay, until])
    response.end(JSON.stringify(review))
  })
  const port = await listen(server, 0, '127.0.0.1')
  const name = `slow-${namespace}`
  await api.create(CONFIGURATIONS, {
    metadata: { name },
    webhooks: [
      {
        name: 'slow.example.com',
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(ca).toString('base64') },
        rules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        objectSelector: { matchLabels: { [IS_EXPERIMENT]: 'true' } },
        timeoutSeconds: 30,
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  })
  return {
    reviews: () => reviews,
    remove: async () => {
      await api.delete(`${CONFIGURATIONS}/${name}`)
      const closed = close(server)
      server.closeAllConnections()
      await closed
    },
  }
}
