import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { issue } from '../certs/issue.ts'
import type { KubeObject } from '../common/api/object.ts'
import { RESOURCES, resourcePath } from '../common/kube/client/resources.ts'
import { COMPONENTS } from '../manifests/components.ts'
import { bundled, type Program } from './bundles.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { freePorts } from './ports.ts'
import type { SupervisedProcess } from './processes.ts'
import { reviews } from './reviews.ts'

const ROOT = join(import.meta.dirname, '..')
/** The namespace in which the manifests install the product, with its ServiceAccounts. */
export const SYSTEM_NAMESPACE = 'experiment-controller-system'

/** The folder of an installation whose controller may promote; for `InstallOptions.overlay`. */
export const WITH_PROMOTION = join(ROOT, 'sandbox/with-promotion')
/** As `WITH_PROMOTION`, with a controller that may also keep pods without requests. */
export const WITH_GATE = join(ROOT, 'sandbox/with-gate')
/** As `WITH_GATE`, with a controller that may also switch Services. */
export const WITH_CUT_OVER = join(ROOT, 'sandbox/with-cut-over')
/** The folder of an installation that may compare forks with their sources, and has no other component. */
export const WITH_ANALYSIS = join(ROOT, 'sandbox/with-analysis')
/** The folder of an installation with all components. */
const WITH_ALL = join(ROOT, 'sandbox/with-all')

/** The path of the Lease of the controllers. */
const leaseIn = (namespace: string) => resourcePath(RESOURCES.Lease, { namespace, name: 'experiment-controller' })

/** The files of manifests/base that are useful here, where processes run instead of pods. */
const MANIFESTS = [
  'namespace',
  'service-accounts',
  'controller-role',
  'controller-apart-role',
  'controller-lease-role',
  'controller-limits',
  'status-limits',
  'webhook-role',
  'people-roles',
]

const CRDS = [
  'experimentdeployments',
  'experimentpolicies',
  'experimentanalysisproviders',
  'experimentanalysisruns',
  'experimentanalysistemplates',
  'clusterexperimentanalysistemplates',
]

/** The CRDs, for `startControlPlane`. */
export const crds = (): Promise<readonly string[]> =>
  Promise.all(CRDS.map((name) => readFile(join(ROOT, 'crds', `${name}.yaml`), 'utf8')))

/** The product in a control plane, as two processes with the permissions of the manifests. */
export interface Installation {
  /** the present webhook process; `startWebhook` replaces it */
  readonly webhook: SupervisedProcess
  /** Starts another webhook after the last one has ended. */
  readonly startWebhook: () => Promise<SupervisedProcess>
  /** where each program serves /metrics, on 127.0.0.1 */
  readonly healthPorts: Readonly<Record<Program, number>>
  /** the present controller process; `startController` replaces it */
  readonly controller: () => SupervisedProcess
  /** Starts another controller after the last one has ended. */
  readonly startController: () => Promise<SupervisedProcess>
  /** Deletes the webhook configurations, as in an emergency. Resolves when the API server calls no webhook any more. */
  readonly removeWebhooks: () => Promise<void>
  /** Creates them again. Resolves when the API server calls both webhooks. */
  readonly restoreWebhooks: () => Promise<void>
}

/** How the product is installed. */
export interface InstallOptions {
  /** the arguments of Node that run a program; default: its bundle */
  readonly argsOf?: (name: Program) => readonly string[]
  /** a folder for kustomize to install instead of manifests/base; its Deployments say which namespace is served */
  readonly overlay?: string
  /** the objects of an installation that somebody else has made, such as Helm; then nothing is applied */
  readonly installed?: readonly KubeObject[]
  /** how often the programs look for a kind that is not served; default: as shipped */
  readonly kindProbeSeconds?: number
  /** more variables of the controller, such as where the credentials of providers are */
  readonly settings?: Readonly<Record<string, string>>
}

/** All components, and providers on the loopback interface. */
export const EVERYTHING: InstallOptions = { overlay: WITH_ALL, settings: { ANALYSIS_LOOPBACK: 'allow' } }

/** Installs the product. The CRDs must already be in the control plane. @throws Error that names what failed */
export async function install(plane: ControlPlane, options: InstallOptions = {}): Promise<Installation> {
  const { argsOf, installed, kindProbeSeconds, overlay, settings = {} } = options
  const shipped = overlay === undefined ? installed : await built(plane, overlay)
  if (shipped && !installed)
    await applied(plane, ['-f', '-'], textOf(shipped.filter(({ kind }) => !runsElsewhere(kind))))
  else if (!shipped)
    await applied(
      plane,
      MANIFESTS.flatMap((name) => ['-f', join(ROOT, 'manifests/base', `${name}.yaml`)]),
    )
  const watched = shipped && settingIn(shipped, 'WATCH_NAMESPACE') // undefined: all
  const namespace = shipped?.find(({ kind }) => kind === 'Deployment')?.metadata.namespace ?? SYSTEM_NAMESPACE
  const suffix = namespace === SYSTEM_NAMESPACE ? '' : `-${namespace}`
  const { ca, certFile, keyFile } = await issued(join(plane.stateDirectory, `webhook${suffix}`))
  const [port = 0, healthPort = 0, probePort = 0] = await freePorts(3)
  const program = (name: Program, env: Readonly<Record<string, string>>) => async (): Promise<SupervisedProcess> => {
    const KUBECONFIG = await plane.serviceAccountKubeconfig({ namespace, name: `experiment-${name}` })
    return plane.supervise({
      name: `${name}${suffix}`,
      command: process.execPath,
      args: argsOf?.(name) ?? [await bundled(plane, name)],
      env: {
        KUBECONFIG,
        HOSTNAME: name,
        POD_NAMESPACE: namespace,
        WATCH_NAMESPACE: watched,
        ...(shipped && componentSettings(shipped)),
        KIND_PROBE_SECONDS: kindProbeSeconds === undefined ? undefined : `${kindProbeSeconds}`,
        NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE,
        ...env,
      },
      cwd: ROOT,
    })
  }
  const newWebhook = program('webhook', {
    HOST: '127.0.0.1',
    PORT: `${port}`,
    HEALTH_PORT: `${healthPort}`,
    DRAIN_SECONDS: '0', // all its callers are stopped at the same time
    TLS_CERT_FILE: certFile,
    TLS_KEY_FILE: keyFile,
  })
  const newController = program('controller', { HOST: '127.0.0.1', PROBE_PORT: `${probePort}`, ...settings })

  const restoreWebhooks = async () => {
    const manifest = await webhookConfigurations({ url: `https://127.0.0.1:${port}`, ca, shipped })
    await applied(plane, ['-f', '-'], manifest)
    await reviews(plane.api, watched ?? 'default', 'both')
  }
  let webhook = await newWebhook()
  let controller = await newController()
  await isReady('webhook', healthPort, webhook)
  await restoreWebhooks()
  await isReady('controller', probePort, controller)
  return {
    get webhook() {
      return webhook
    },
    async startWebhook() {
      webhook = await newWebhook()
      await isReady('webhook', healthPort, webhook)
      return webhook
    },
    healthPorts: { webhook: healthPort, controller: probePort },
    controller: () => controller,
    async startController() {
      await plane.api.delete(leaseIn(namespace)) // a controller that was killed has left it to expire
      controller = await newController()
      await isReady('controller', probePort, controller)
      return controller
    },
    restoreWebhooks,
    async removeWebhooks() {
      const configurations = shipped?.filter(({ kind }) => isConfiguration(kind)).map(({ metadata }) => metadata.name)
      const [name] = configurations ?? ['experiment-deployment-controller']
      await plane.kubectl(['delete', `validatingwebhookconfiguration/${name}`, `mutatingwebhookconfiguration/${name}`])
      await reviews(plane.api, watched ?? 'default', 'neither')
    },
  }
}

/** Writes a certificate for the webhook into the files with this beginning. */
async function issued(path: string) {
  const { ca, cert, key } = await issue({ names: ['127.0.0.1'], clock: () => new Date() })
  const [certFile, keyFile] = [`${path}.crt`, `${path}.key`] as const
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key, { mode: 0o600 })])
  return { ca, certFile, keyFile }
}

async function applied(plane: ControlPlane, files: readonly string[], input?: string): Promise<void> {
  const args = ['apply', '--server-side', '--validate=strict', ...files]
  const { code, stderr } = await plane.kubectl(args, input === undefined ? {} : { input })
  if (code !== 0) throw new Error(`the API server refused the manifests: ${stderr.trim()}`)
}

/** The objects that kustomize builds from a folder. */
async function built(plane: ControlPlane, folder: string): Promise<readonly KubeObject[]> {
  const { code, stdout, stderr } = await plane.kubectl(['kustomize', folder])
  if (code !== 0) throw new Error(`kustomize cannot build ${folder}: ${stderr.trim()}`)
  return parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
}

const textOf = (objects: readonly KubeObject[]): string =>
  objects.map((object) => JSON.stringify(object)).join('\n---\n')

const isConfiguration = (kind: string): boolean => kind.endsWith('WebhookConfiguration')

/** Here the programs are processes, so their pods are not wanted, and the configurations need another address. */
const runsElsewhere = (kind: string): boolean => kind === 'Deployment' || isConfiguration(kind)

/** What the Deployments say about components; undefined for those of which they say nothing. */
const componentSettings = (objects: readonly KubeObject[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    COMPONENTS.flatMap(({ variable = [] }) => variable).map((name) => [name, settingIn(objects, name)]),
  )

/** The value of a variable of the Deployments; undefined if they do not have it. */
function settingIn(objects: readonly KubeObject[], name: string): string | undefined {
  const found = JSON.stringify(objects.filter(({ kind }) => kind === 'Deployment'))
  return new RegExp(`"name":"${name}","value":"([^"]+)"`).exec(found)?.[1]
}

interface Configured {
  readonly url: string
  readonly ca: string
  /** default: those of manifests/base */
  readonly shipped?: readonly KubeObject[] | undefined
}

/** The webhook configurations, changed for a webhook that is a process on this machine and not a Service. */
async function webhookConfigurations({ url, ca, shipped }: Configured): Promise<string> {
  const text = shipped
    ? textOf(shipped.filter(({ kind }) => isConfiguration(kind)))
    : await readFile(join(ROOT, 'manifests/base/webhooks.yaml'), 'utf8')
  const documents = parseAllDocuments(text).map((document) => {
    for (let at = 0; document.hasIn(['webhooks', at]); at++) {
      const path = document.getIn(['webhooks', at, 'clientConfig', 'service', 'path'])
      const caBundle = Buffer.from(ca).toString('base64')
      document.setIn(['webhooks', at, 'clientConfig'], { url: `${url}${path}`, caBundle })
    }
    return document.toString()
  })
  return documents.join('---\n')
}

/** Resolves when the program is ready. @throws Error if it ends, or is not ready within 30 s */
async function isReady(name: string, port: number, { exited }: SupervisedProcess): Promise<void> {
  const died = new AbortController()
  void exited.then(({ lastLines }) => died.abort(new Error(`the ${name} ended before it was ready:\n${lastLines}`)))
  const probe = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
    const body = await answer.text()
    if (!answer.ok) throw new Error(body.trim())
  }
  await eventually(`the ${name} to be ready`, 30_000, probe, { signal: died.signal })
}
