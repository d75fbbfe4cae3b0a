import type { KubeObject } from '../common/api/object.ts'
import { at, isObject, listOr } from '../common/json/json.ts'
import type { KubeClient } from '../common/kube/client/client.ts'
import { KubeError } from '../common/kube/client/errors.ts'
import { pathOf } from '../common/kube/client/resources.ts'
import type { CertificatePair } from './authority.ts'

const SECRET = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' }
const ADMISSION = 'admissionregistration.k8s.io/v1'
const CONFIGURATIONS = [
  { apiVersion: ADMISSION, kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations' },
  { apiVersion: ADMISSION, kind: 'ValidatingWebhookConfiguration', plural: 'validatingwebhookconfigurations' },
]
const FIELD_MANAGER = 'experiment-certs'

/** The names of the objects of an installation that hold certificates. */
export interface ObjectNames {
  /** the namespace of both Secrets */
  readonly namespace: string
  /** the name of both webhook configurations */
  readonly configuration: string
  /** the Secret that the pods mount, with `tls.crt`, `tls.key` and `ca.crt` */
  readonly leafSecret: string
  /** the Secret of the authority, with its key */
  readonly caSecret: string
}

/** What is in the cluster. A Secret that does not exist is undefined. */
export interface Found {
  /** those of the two that exist */
  readonly configurations: readonly KubeObject[]
  readonly ca: KubeObject | undefined
  readonly leaf: KubeObject | undefined
}

/** What the script reads and writes in the cluster. Every method throws KubeError. */
export interface Cluster {
  readonly objectNames: ObjectNames
  /** the API server checks every write and stores none */
  readonly isDryRun: boolean
  readonly read: () => Promise<Found>
  /**
   * Creates or updates a Secret.
   * @throws KubeError `conflict` or `alreadyExists` if it was written since it was read
   */
  readonly writeSecret: (name: string, found: KubeObject | undefined, content: Content) => Promise<void>
  /** Makes the API server trust `bundle` (PEM) when it calls the webhooks of `configuration`. */
  readonly publish: (configuration: KubeObject, bundle: string) => Promise<void>
}

export interface Content extends CertificatePair {
  readonly ca?: string
}

/** The cluster that `kube` connects to. */
export function clusterOf(kube: KubeClient, objectNames: ObjectNames, isDryRun: boolean): Cluster {
  const { namespace, configuration, caSecret, leafSecret } = objectNames
  const query = { dryRun: isDryRun ? 'All' : undefined, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' }
  const found = (path: string): Promise<KubeObject | undefined> =>
    kube.request({ verb: 'get', path }).then(
      (object) => object as KubeObject,
      (error: unknown) => {
        if (error instanceof KubeError && error.kind === 'notFound') return undefined
        throw error
      },
    )
  return {
    objectNames,
    isDryRun,
    async read() {
      const [ca, leaf, ...configurations] = await Promise.all([
        ...[caSecret, leafSecret].map((name) => found(pathOf(SECRET, { namespace, name }))),
        ...CONFIGURATIONS.map((resource) => found(pathOf(resource, { name: configuration }))),
      ])
      return { ca, leaf, configurations: configurations.filter((object) => object !== undefined) }
    },
    async writeSecret(name, before, { cert, key, ca }) {
      const data = {
        'tls.crt': base64(cert),
        'tls.key': base64(key),
        ...(ca !== undefined && { 'ca.crt': base64(ca) }),
      }
      const { apiVersion, kind } = SECRET
      // the body has the resourceVersion, so that one of two concurrent runs gets a conflict
      if (before) {
        const path = pathOf(SECRET, { namespace, name })
        await kube.request({ verb: 'update', path, query, body: { ...before, apiVersion, kind, data } })
      } else {
        const body = { apiVersion, kind, metadata: { name, namespace }, type: 'kubernetes.io/tls', data }
        await kube.request({ verb: 'create', path: pathOf(SECRET, { namespace }), query, body })
      }
    },
    async publish({ kind, apiVersion, metadata: { name, uid }, webhooks }, bundle) {
      const resource = CONFIGURATIONS.find((known) => known.kind === kind)
      if (!resource) throw new RangeError(`${kind} is not a webhook configuration`)
      const clientConfig = { caBundle: base64(bundle) }
      // with the uid: otherwise an apply would create the configuration again if it was just deleted
      const body = {
        apiVersion,
        kind,
        metadata: { name, uid },
        webhooks: listOr(webhooks).map((webhook) => ({ name: at(webhook, 'name'), clientConfig })),
      }
      await kube.request({ verb: 'apply', path: pathOf(resource, { name }), query: { ...query, force: true }, body })
    },
  }
}

/** The decoded text under `key` of a Secret. Empty if there is none. */
export const textIn = (secret: KubeObject | undefined, key: string): string => {
  const data = at(secret, 'data')
  const value = isObject(data) ? data[key] : undefined
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : ''
}

/** The certificates (PEM) that the API server trusts when it calls the webhooks of `configuration`. */
export const bundleIn = ({ webhooks }: KubeObject): string =>
  listOr(webhooks)
    .map((webhook) => at(webhook, 'clientConfig', 'caBundle'))
    .filter((bundle) => typeof bundle === 'string')
    .map((bundle) => Buffer.from(bundle, 'base64').toString())
    .join('\n')

/** The host names by which the API server calls the webhooks of `configuration`: those of a Service, or of a URL. */
export const namesIn = ({ webhooks }: KubeObject): readonly string[] =>
  listOr(webhooks).flatMap((webhook) => {
    const url = at(webhook, 'clientConfig', 'url')
    if (typeof url === 'string') return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
    const service = ['name', 'namespace'].map((member) => at(webhook, 'clientConfig', 'service', member)).join('.')
    return [`${service}.svc`, `${service}.svc.cluster.local`]
  })

const base64 = (text: string): string => Buffer.from(text).toString('base64')
