import type { KubeObject } from '../common/api/object.ts'
import { at, isObject, type JsonObject, listOr } from '../common/json/json.ts'
import type { KubeClient } from '../common/kube/client/client.ts'
import { KubeError } from '../common/kube/client/errors.ts'
import { resourcePath } from '../common/kube/client/resources.ts'
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
  /** the Secret that the pods mount, with the secrets in the path of a call: `current`, and for a time `next` */
  readonly pathSecret: string
}

/** What is in the cluster. A Secret that does not exist is undefined. */
export interface ClusterState {
  /** those of the two that exist */
  readonly configurations: readonly KubeObject[]
  readonly ca: KubeObject | undefined
  readonly leaf: KubeObject | undefined
  readonly path: KubeObject | undefined
}

/** What the script reads and writes in the cluster. Every method throws KubeError. */
export interface Cluster {
  readonly objectNames: ObjectNames
  /** the API server checks every write and stores none */
  readonly isDryRun: boolean
  readonly read: () => Promise<ClusterState>
  /**
   * Creates or updates a Secret.
   * @throws KubeError `conflict` or `alreadyExists` if it was written since it was read
   */
  readonly writeSecret: (name: string, found: KubeObject | undefined, content: Content) => Promise<void>
  /** Makes the API server trust `bundle` (PEM) when it calls the webhooks of `configuration`. */
  readonly publish: (configuration: KubeObject, bundle: string) => Promise<void>
  /**
   * Creates or updates the Secret with the secrets in the path. Returns it.
   * @throws KubeError `conflict` or `alreadyExists` if it was written since it was read
   */
  readonly writePathSecrets: (found: KubeObject | undefined, secrets: PathSecretPair) => Promise<KubeObject>
  /** Makes the API server call the webhooks of `configuration` at a path with this secret. */
  readonly publishPath: (configuration: KubeObject, secret: string) => Promise<void>
}

/** The secrets in the path that the webhook accepts: the one in use, and the one that follows it. */
export interface PathSecretPair {
  readonly current: string
  readonly next?: string
}

/** What a Secret holds: a certificate with its key, and the certificate of the authority that signed it. */
export interface Content extends CertificatePair {
  readonly ca?: string
}

/** The cluster that `kube` connects to. */
export function clusterOf(kube: KubeClient, objectNames: ObjectNames, isDryRun: boolean): Cluster {
  const { namespace, configuration, caSecret, leafSecret, pathSecret } = objectNames
  const query = { dryRun: isDryRun ? 'All' : undefined, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' }
  const found = (path: string): Promise<KubeObject | undefined> =>
    kube.request({ verb: 'get', path }).then(
      (object) => object as KubeObject,
      (error: unknown) => {
        if (error instanceof KubeError && error.kind === 'notFound') return undefined
        throw error
      },
    )
  /** Writes a Secret. The body has the resourceVersion, so that one of two concurrent runs gets a conflict. */
  const write = (before: KubeObject | undefined, { name, type, data }: SecretBody): Promise<unknown> => {
    const { apiVersion, kind } = SECRET
    if (before) {
      const path = resourcePath(SECRET, { namespace, name })
      return kube.request({ verb: 'update', path, query, body: { ...before, apiVersion, kind, data } })
    }
    const body = { apiVersion, kind, metadata: { name, namespace }, type, data }
    return kube.request({ verb: 'create', path: resourcePath(SECRET, { namespace }), query, body })
  }
  /** Sets `clientConfig` of each webhook by `fieldManager`, which keeps what others set. */
  const configure = async (object: KubeObject, fieldManager: string, configOf: (webhook: unknown) => JsonObject) => {
    const { kind, apiVersion, metadata, webhooks } = object
    const { name, uid } = metadata
    const resource = CONFIGURATIONS.find((known) => known.kind === kind)
    if (!resource) throw new RangeError(`${kind} is not a webhook configuration`)
    // with the uid: otherwise an apply would create the configuration again if it was just deleted
    const body = {
      apiVersion,
      kind,
      metadata: { name, uid },
      webhooks: listOr(webhooks).map((webhook) => ({ name: at(webhook, 'name'), clientConfig: configOf(webhook) })),
    }
    const path = resourcePath(resource, { name })
    await kube.request({ verb: 'apply', path, query: { ...query, fieldManager, force: true }, body })
  }
  return {
    objectNames,
    isDryRun,
    async read() {
      const [ca, leaf, path, ...configurations] = await Promise.all([
        ...[caSecret, leafSecret, pathSecret].map((name) => found(resourcePath(SECRET, { namespace, name }))),
        ...CONFIGURATIONS.map((resource) => found(resourcePath(resource, { name: configuration }))),
      ])
      return { ca, leaf, path, configurations: configurations.filter((object) => object !== undefined) }
    },
    async writeSecret(name, before, { cert, key, ca }) {
      const data = {
        'tls.crt': base64(cert),
        'tls.key': base64(key),
        ...(ca !== undefined && { 'ca.crt': base64(ca) }),
      }
      await write(before, { name, type: 'kubernetes.io/tls', data })
    },
    async writePathSecrets(before, secrets) {
      const data = Object.fromEntries(Object.entries(secrets).map(([key, secret]) => [key, base64(secret)]))
      return (await write(before, { name: pathSecret, type: 'Opaque', data })) as KubeObject
    },
    publish: (object, bundle) => configure(object, FIELD_MANAGER, () => ({ caBundle: base64(bundle) })),
    publishPath: (object, secret) =>
      // a field manager of its own, because an apply removes what the same one has set and does not repeat
      configure(object, `${FIELD_MANAGER}-path`, (webhook) => {
        const url = at(webhook, 'clientConfig', 'url')
        const path = pathWith(object, secret)
        return typeof url === 'string' ? { url: new URL(path, url).href } : { service: { path } }
      }),
  }
}

interface SecretBody {
  readonly name: string
  readonly type: string
  readonly data: Readonly<Record<string, string>>
}

/** The path of a webhook with its secret: `/validate/SECRET`. */
const pathWith = ({ kind }: KubeObject, secret: string): string =>
  `/${kind.startsWith('Mutating') ? 'mutate' : 'validate'}/${secret}`

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
