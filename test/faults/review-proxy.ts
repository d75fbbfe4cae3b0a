/** A proxy between the API server and the webhook of the run. */
import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { at, parseJson, textOr } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { reviews } from '../../sandbox/reviews.ts'
import { controlPlane } from '../integration/fixture.ts'
import { DEADLINE_MS } from '../integration/product.ts'
import { type ApiCall, callOf } from './api-call.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'

const CONFIGURATIONS = ['mutating', 'validating'].map(
  (kind) => `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/experiment-deployment-controller`,
)

/** Where the dry runs are that show whom the API server asks. */
const PROBED = 'default'

interface Configuration extends KubeObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly url: string; readonly caBundle: string } }[]
}

/** The call of a review: its path is that of the webhook, all else is about the object that is reviewed. */
export function reviewCall(request: IncomingMessage, body: Buffer): ApiCall {
  const review = parseJson(body.toString())
  const said = (...path: string[]) => textOr(at(review, 'request', ...path), '')
  return {
    ...callOf(request),
    resource: said('resource', 'resource'),
    subresource: said('subResource'),
    namespace: said('namespace'),
    name: said('name'),
    isWrite: at(review, 'request', 'dryRun') !== true,
  }
}

/** Lets all reviews pass a proxy. Its end lets them go to the webhook again. */
export async function startReviewProxy(): Promise<FaultProxy> {
  const { api } = await controlPlane()
  const configurations = await Promise.all(CONFIGURATIONS.map((path) => api.get<Configuration>(path)))
  const { url = '', caBundle = '' } = configurations[0]?.webhooks[0]?.clientConfig ?? {}
  const ca = Buffer.from(caBundle, 'base64').toString()
  const proxy = await startFaultProxy({ server: new URL(url).origin, ca, callOf: reviewCall })

  /** Sets both configurations, and waits until the API server asks through the proxy, or past it. */
  async function configure(change: (webhooks: Configuration['webhooks']) => object, isProxied: boolean): Promise<void> {
    const seen = new Set<string>()
    proxy.interfere({ onCall: ({ namespace, path }) => void (namespace === PROBED && seen.add(path)) })
    for (const [index, path] of CONFIGURATIONS.entries())
      await api.patch(path, { webhooks: change(configurations[index]?.webhooks ?? []) })
    await eventually(
      isProxied ? 'reviews to pass the proxy' : 'reviews to pass it no longer',
      DEADLINE_MS,
      async () => {
        seen.clear()
        await reviews(api, PROBED, 'both')
        expect([...seen].toSorted()).to.deep.equal(isProxied ? ['/mutate', '/validate'] : [])
      },
    )
    proxy.interfere({})
  }
  const proxied = {
    url: `https://127.0.0.1:${proxy.port}`,
    caBundle: Buffer.from(proxy.ca).toString('base64'),
  }
  await configure(
    (webhooks) =>
      webhooks.map((webhook) => {
        const { pathname } = new URL(webhook.clientConfig.url)
        return { ...webhook, clientConfig: { ...proxied, url: `${proxied.url}${pathname}` } }
      }),
    true,
  )
  return {
    ...proxy,
    close: async () => {
      await configure((webhooks) => webhooks, false)
      await proxy.close()
    },
  }
}
