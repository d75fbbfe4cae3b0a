import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { issue } from '../../certs/issue.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { kubeClient } from '../../common/kube/library/client.ts'
import { realTimers } from '../../common/program/clock.ts'
import { close, listen } from '../../common/program/listen.ts'
import { jsonLog } from '../../common/program/log.ts'
import { SchemaCatalog, schemaSource } from '../../common/schema/catalog.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { type AdmissionHandlers, admissionApp } from '../../webhook/http/server.ts'
import { mutator } from '../../webhook/mutate.ts'
import { policyReflector, policySource } from '../../webhook/reads/policies.ts'
import { tlsServer } from '../../webhook/tls/server.ts'
import { validator } from '../../webhook/validate.ts'
import { installing } from '../builders.ts'

/** The API server learns of a configuration some time after it was written. */
const DEADLINE_MS = 30_000

/** The shipped configurations, as JSON. */
export const shippedConfigurations = (): readonly WebhookConfiguration[] =>
  parseAllDocuments(readFileSync(new URL('../../manifests/base/webhooks.yaml', import.meta.url), 'utf8')).map(
    (document) => document.toJS(),
  )

interface WebhookConfiguration {
  readonly kind: string
  readonly webhooks: readonly {
    readonly clientConfig: { readonly service: { readonly path: string } }
    readonly rules: readonly { readonly scope: string }[]
  }[]
}

/** A running webhook, asked by the real API server about the resources of one namespace. */
export interface RunningWebhook {
  /** Stops serving, as in an outage: the configurations stay. */
  readonly stop: () => Promise<void>
  /** Stops serving and removes the configurations. */
  readonly remove: () => Promise<void>
}

/** Serves admission from this process only for `namespace`, so that it does not affect other tests. */
export async function admitting(
  plane: ControlPlane,
  namespace: string,
  more: Pick<AdmissionHandlers, 'flight'> = {},
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
    policies: policySource(reflector, { client: kube, timers, ownNamespace: 'experiment-controller-system' }),
    timers,
    clock: () => new Date(),
    installed: installing(),
  }
  const app = admissionApp({ mutate: mutator(asked), validate: validator(asked), log, ...more })
  const server = tlsServer(app, { cert, key })
  const port = await listen(server, 0, '127.0.0.1')

  const unconfigure = await configured(plane, namespace, { port, ca })
  const stop = async () => {
    const gone = server.listening ? close(server) : undefined
    server.closeAllConnections() // the API server keeps idle connections open
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

/** Those for resources in namespaces: policies belong to none. */
const ofNamespaces = <W extends { readonly rules: readonly { readonly scope: string }[] }>(webhooks: readonly W[]) =>
  webhooks.filter(({ rules }) => rules.every(({ scope }) => scope === 'Namespaced'))

/** A port on which no server listens. */
const NOBODY = 1

/**
 * Makes the API server call `port` of this machine for the resources of `namespace`, and resolves once it does. Returns
 * a function that removes the configurations.
 */
export async function configured(
  plane: ControlPlane,
  namespace: string,
  { port, ca, pathSecret }: { readonly port: number; readonly ca: string; readonly pathSecret?: string },
): Promise<() => Promise<void>> {
  const made = shippedConfigurations().map(({ kind, webhooks, ...rest }) => {
    const collection = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`
    const metadata = { name: `test-${namespace}` }
    const shippedPath = webhooks[0]?.clientConfig.service.path
    const route = pathSecret === undefined ? shippedPath : `${shippedPath}/${pathSecret}`
    const askingAt = (asked: number, more: object = {}) =>
      ofNamespaces(webhooks).map((webhook) => ({
        ...webhook,
        ...more,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        clientConfig: { url: `https://127.0.0.1:${asked}${route}`, caBundle: Buffer.from(ca).toString('base64') },
      }))
    const manifest = { ...rest, kind, metadata, webhooks: askingAt(NOBODY, { failurePolicy: 'Fail' }) }
    return { collection, path: `${collection}/${metadata.name}`, route, manifest, webhooks: askingAt(port) }
  })
  // Another webhook of ours may be called too, with the same answers. Only a failed call proves that this one is
  // called: at first no server listens on its port. Mutating webhooks are called before validating ones.
  for (const { collection, manifest } of made) await plane.api.create(collection, manifest)
  for (const { path, route, webhooks } of made) {
    await eventually(`the API server to ask in vain for ${route}`, DEADLINE_MS, async () =>
      expect(await answerIn(plane, namespace)).to.contain(`https://127.0.0.1:${NOBODY}${route}?`),
    )
    await plane.api.patch(path, { webhooks })
  }
  await eventually('the API server to be answered', DEADLINE_MS, async () =>
    expect(await answerIn(plane, namespace)).to.equal('created'),
  )
  return async () => {
    for (const { path } of made) await plane.api.delete(path)
  }
}

/** The result of a dry run of a valid experiment. */
function answerIn({ api }: ControlPlane, namespace: string): Promise<string> {
  const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
  const spec = { sourceRef: { kind: 'Deployment', name: 'none' }, overrideSpec: {} }
  const manifest = { apiVersion, kind, metadata: { name: 'asked' }, spec }
  return api.create(`${resourcePath(EXPERIMENT_DEPLOYMENT, { namespace })}?dryRun=All`, manifest).then(
    () => 'created',
    (error: unknown) => String(error),
  )
}
