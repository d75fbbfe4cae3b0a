/** A webhook whose certificate the script creates: its configurations in the API server, and the pod that serves it. */
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { type Cluster, clusterOf, textIn } from '../../certs/cluster.ts'
import { certificatesOf } from '../../certs/trust.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { kubeClient } from '../../common/kube/library/client.ts'
import { realTimers } from '../../common/program/clock.ts'
import { close, listen } from '../../common/program/listen.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { type Ran, run } from '../../sandbox/run.ts'
import { shippedConfigurations } from './admission-webhook.ts'

const CONFIGURATIONS = ['mutating', 'validating'].map(
  (kind) => `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`,
)

interface Configuration extends KubeObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly caBundle?: string } }[]
}

/** Admits every call whose path has one of the secrets, or every call while there is no secret. */
const admitsAll =
  (secrets: ReadonlySet<string>, called: (path: string) => void): RequestListener =>
  (request, response) =>
    void text(request).then((body) => {
      const { pathname } = new URL(request.url ?? '', 'https://pod')
      called(pathname)
      response.statusCode = secrets.size === 0 || secrets.has(pathname.split('/')[2] ?? '') ? 200 : 404
      const answer = { uid: JSON.parse(body).request.uid, allowed: true }
      response.setHeader('connection', 'close') // each call makes a new TLS handshake
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
    })

/** The webhook of one namespace. */
export class Certified {
  readonly #plane: ControlPlane
  readonly #namespace: string
  readonly #pod: Server
  readonly #kube: KubeClient
  readonly #secrets = new Set<string>()
  /** the last path that each webhook was called at, by its first segment */
  readonly called = new Map<string, string>()
  readonly configuration: string

  constructor(plane: ControlPlane, namespace: string) {
    this.#plane = plane
    this.#namespace = namespace
    this.configuration = `certs-${namespace}`
    const called = (path: string) => void this.called.set(path.split('/')[1] ?? '', path)
    this.#pod = createServer(admitsAll(this.#secrets, called))
    const { kubeconfig } = plane
    this.#kube = kubeClient({ kubeconfig, userAgent: 'test-certs', timers: realTimers(), random: Math.random })
  }

  /** Runs the script as a user does. */
  certs(args: readonly string[] = [], kubeconfig = this.#plane.kubeconfig): Promise<Ran> {
    const where = ['--namespace', this.#namespace, '--configuration', this.configuration]
    const env = { ...process.env, KUBECONFIG: kubeconfig }
    return run(process.execPath, ['certs/main.ts', ...where, ...args], { env })
  }

  /** The cluster as the script sees it. */
  cluster(): Cluster {
    const [namespace, configuration] = [this.#namespace, this.configuration]
    const secrets = {
      leafSecret: 'experiment-webhook-tls',
      caSecret: 'experiment-webhook-ca',
      pathSecret: 'experiment-webhook-path',
    }
    return clusterOf(this.#kube, { namespace, configuration, ...secrets }, false)
  }

  /** The shipped configurations, for this namespace and without a CA bundle: every call fails until there is one. */
  async install(): Promise<void> {
    const port = await listen(this.#pod, 0, '127.0.0.1')
    for (const [index, { kind, webhooks, ...rest }] of shippedConfigurations().entries())
      await this.#plane.api.create(CONFIGURATIONS[index] ?? '', {
        ...rest,
        kind,
        metadata: { name: this.configuration },
        webhooks: webhooks.map((webhook) => ({
          ...webhook,
          failurePolicy: 'Fail',
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': this.#namespace } },
          clientConfig: { url: `https://127.0.0.1:${port}${webhook.clientConfig.service.path}` },
        })),
      })
  }

  async remove(): Promise<void> {
    for (const path of CONFIGURATIONS) await this.#plane.api.delete(`${path}/${this.configuration}`)
    if (this.#pod.listening) await close(this.#pod)
    await this.#kube.close()
  }

  secrets(): Promise<readonly KubeObject[]> {
    return this.#plane.api.list(`/api/v1/namespaces/${this.#namespace}/secrets`)
  }

  /** The contents of a Secret, as PEM. */
  async pair(name: 'experiment-webhook-ca' | 'experiment-webhook-tls') {
    const found = await this.#plane.api.get(`/api/v1/namespaces/${this.#namespace}/secrets/${name}`)
    return { cert: textIn(found, 'tls.crt'), key: textIn(found, 'tls.key') }
  }

  /** The fingerprints in the CA bundles of the two configurations. */
  async roots(): Promise<readonly (readonly string[])[]> {
    const paths = CONFIGURATIONS.map((path) => `${path}/${this.configuration}`)
    const found = await Promise.all(paths.map((path) => this.#plane.api.get<Configuration>(path)))
    return found.map(({ webhooks: [webhook] }) => {
      const bundle = Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString()
      return certificatesOf(bundle).map(({ fingerprint256 }) => fingerprint256)
    })
  }

  /** The secrets in the path that pods accept. */
  async pathSecrets(): Promise<readonly string[]> {
    const secrets = await this.secrets()
    const found = secrets.find(({ metadata }) => metadata.name === 'experiment-webhook-path')
    return ['current', 'next'].map((key) => textIn(found, key)).filter((secret) => secret !== '')
  }

  /** Loads both Secrets, as a pod does some time after they changed. */
  async podReloads(): Promise<void> {
    this.#pod.setSecureContext(await this.pair('experiment-webhook-tls'))
    const secrets = await this.pathSecrets()
    this.#secrets.clear()
    for (const secret of secrets) this.#secrets.add(secret)
  }

  /** One call of the API server to the pod. @throws ApiError when it fails */
  async call(): Promise<void> {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    await this.#plane.api.create(`${resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: this.#namespace })}?dryRun=All`, {
      apiVersion,
      kind,
      metadata: { generateName: 'call-' },
      spec: { sourceRef: { kind: 'Deployment', name: 'none' }, overrideSpec: {} },
    })
  }

  /** Calls continuously while `work` runs, and at least once after it. @throws ApiError when a call fails */
  async underLoad(work: () => Promise<void>): Promise<void> {
    let isDone = false
    let calls = 0
    const lane = async (): Promise<void> => {
      for (let isLast = false; !isLast; calls += 1) {
        isLast = isDone
        await this.call()
      }
    }
    const lanes = Promise.all([lane(), lane()])
    const working = work().finally(() => {
      isDone = true
    })
    await Promise.all([lanes, working])
    expect(calls).to.be.greaterThan(2)
  }
}
