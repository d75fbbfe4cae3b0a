import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { issue } from '../../certs/issue.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { realTimers } from '../../common/clock.ts'
import { kubeClient } from '../../common/kube/client.ts'
import { closed, listening } from '../../common/listen.ts'
import { jsonLog } from '../../common/log.ts'
import { SchemaCatalog } from '../../common/schema/catalog.ts'
import { schemaSource } from '../../common/schema/source.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { ApiError } from '../../sandbox/api.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { mutator } from '../../webhook/mutate.ts'
import { policyReflector, policySource } from '../../webhook/policy-source.ts'
import { admissionApp, type Deciding } from '../../webhook/server.ts'
import { tlsServer } from '../../webhook/tls.ts'
import { validator } from '../../webhook/validate.ts'

/** The shipped configurations, as JSON. */
export const shippedConfigurations = (): readonly WebhookConfiguration[] =>
  parseAllDocuments(readFileSync(new URL('../../manifests/base/webhooks.yaml', import.meta.url), 'utf8')).map(
    (document) => document.toJS(),
  )

interface WebhookConfiguration {
  readonly kind: string
  readonly webhooks: readonly { readonly clientConfig: { readonly service: { readonly path: string } } }[]
}

/** A running webhook, asked by the real API server about the resources of one namespace. */
export interface RunningWebhook {
  /** As in an outage: the configurations stay. */
  readonly stop: () => Promise<void>
  /** Stops, and takes the configurations away. */
  readonly remove: () => Promise<void>
}

/** Serves admission from this process for `namespace` alone, so that other tests are not in its way. */
export async function admitting(
  plane: ControlPlane,
  namespace: string,
  more: Pick<Deciding, 'flight'> = {},
): Promise<RunningWebhook> {
  const { ca, cert, key } = await issue({ names: ['127.0.0.1'], clock: () => new Date() })
  const kube = kubeClient({
    kubeconfig: plane.kubeconfig,
    userAgent: 'test-webhook',
    timers: realTimers(),
    random: Math.random,
  })
  const schemas = new SchemaCatalog(schemaSource(kube), Object.values(WORKLOAD_KINDS))
  await schemas.refresh()
  const log = jsonLog({ destination: { write: () => undefined } })
  const timers = realTimers()
  const reflector = policyReflector({ client: kube, timers, random: Math.random, log })
  reflector.start()
  await reflector.synced()
  const asked = {
    kube,
    schemas,
    policies: policySource(reflector, { client: kube, timers }),
    timers,
    clock: () => new Date(),
  }
  const app = admissionApp({ mutate: mutator(asked), validate: validator(asked), log, ...more })
  const server = tlsServer(app, { cert, key })
  const port = await listening(server, 0, '127.0.0.1')

  const unconfigure = await configured(plane, namespace, { port, ca })
  const stop = async () => {
    const gone = server.listening ? closed(server) : undefined
    server.closeAllConnections() // the API server keeps some in reserve that no call ever used
    await gone
    await reflector.stop()
    await kube.close()
  }
  return {
    stop,
    async remove() {
      await unconfigure()
      await stop()
    },
  }
}

/**
 * Has the API server ask at `port` of this machine about the resources of `namespace`; resolves once it does. What it
 * returns takes the configurations away.
 */
export async function configured(
  plane: ControlPlane,
  namespace: string,
  { port, ca }: { readonly port: number; readonly ca: string },
): Promise<() => Promise<void>> {
  const paths: string[] = []
  for (const { kind, webhooks, ...configuration } of shippedConfigurations()) {
    const plural = `${kind.toLowerCase()}s`
    const name = `test-${namespace}`
    const path = `/apis/admissionregistration.k8s.io/v1/${plural}`
    paths.push(`${path}/${name}`)
    await plane.api.create(path, {
      ...configuration,
      kind,
      metadata: { name },
      webhooks: webhooks.map((webhook) => ({
        ...webhook,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        clientConfig: {
          url: `https://127.0.0.1:${port}${webhook.clientConfig.service.path}`,
          caBundle: Buffer.from(ca).toString('base64'),
        },
      })),
    })
  }
  await eventually('the API server to ask the webhook', 20_000, () => isAsked(plane, namespace))
  return async () => {
    for (const path of paths) await plane.api.delete(path)
  }
}

/** @throws Error while an experiment that the webhook refuses would be stored */
async function isAsked({ api }: ControlPlane, namespace: string): Promise<void> {
  const { apiVersion, kind, plural } = EXPERIMENT_DEPLOYMENT
  const spec = { sourceRef: { kind: 'Deployment', name: 'none' }, overrideSpec: { replicas: 1 } }
  const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}?dryRun=All`
  const answer = await api
    .create(path, { apiVersion, kind, metadata: { name: 'asked' }, spec })
    .catch((e: unknown) => e)
  if (!(answer instanceof ApiError && answer.status === 422)) throw new Error(`an invalid experiment got ${answer}`)
}
