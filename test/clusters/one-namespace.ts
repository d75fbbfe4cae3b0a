/** Workloads for the installation for one namespace, and what the audit log has about its accounts. */
import { EXPERIMENT_ID, SCALED, SCALED_BY } from '../../common/api/names.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { sizeLabel } from '../../common/scaling/record.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { type AuditEvent, auditEvents } from '../../sandbox/audit.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { UID } from '../builders.ts'
import { collect } from '../collect.ts'

/** The beginning of the names of both accounts. */
export const ACCOUNT = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-`

/** A source. */
export const cart = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'cart' },
  spec: {
    selector: { matchLabels: { app: 'cart' } },
    template: {
      metadata: { labels: { app: 'cart' } },
      spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
    },
  },
}
/** Its Service. */
export const service = { metadata: { name: 'cart' }, spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] } }

/** Creates a fork in the namespace "default", without its experiment. Waits until its pod runs. */
export async function createFork({ api, kubectl }: ControlPlane, name: string, labels: JsonObject): Promise<void> {
  const selector = { matchLabels: { [EXPERIMENT_ID]: name.slice(-10) } }
  const spec = { containers: [{ name: 'cart', image: 'registry.example/cart:2' }] }
  const template = { metadata: { labels: selector.matchLabels }, spec }
  const path = resourcePath(deployment, { namespace: 'default' })
  await api.create(path, { metadata: { name, labels }, spec: { selector, template } })
  const { code, stderr } = await kubectl(['wait', '--for=condition=Available', `deployment/${name}`])
  if (code !== 0) throw new Error(stderr)
}

/** Creates a source in the namespace "default", as a canary leaves it that has made it smaller. */
export async function createSmallSource({ api, kubectl }: ControlPlane, name: string, { size, now: written }: Sizes) {
  const labels = { [SCALED]: sizeLabel({ experiment: UID, size, written }) }
  const annotations = { [SCALED_BY]: `default/next-${name}` }
  const selector = { matchLabels: { app: name } }
  const spec = { containers: [{ name, image: `registry.example/${name}:1` }] }
  await api.create(resourcePath(deployment, { namespace: 'default' }), {
    metadata: { name, labels, annotations },
    spec: { replicas: written, selector, template: { metadata: { labels: selector.matchLabels }, spec } },
  })
  const { code, stderr } = await kubectl(['wait', '--for=condition=Available', `deployment/${name}`])
  if (code !== 0) throw new Error(stderr)
}

interface Sizes {
  readonly size: number
  /** `spec.replicas` */
  readonly now: number
}

/** Creates the Service in the namespace "default". Waits until the account of the controller may read it. */
export async function readableService({ api, kubectl }: ControlPlane): Promise<void> {
  await api.create('/api/v1/namespaces/default/services', service)
  await eventually('the permission', 20_000, async () => {
    const asked = ['auth', 'can-i', 'get', 'services', '--namespace=default', `--as=${ACCOUNT}controller`]
    const { code, stdout } = await kubectl(asked)
    if (code !== 0) throw new Error(stdout)
  })
}

/** Every request of the programs. `kubectl auth can-i` asks in the name of their accounts, too. */
export async function ownRequests({ auditLog }: ControlPlane): Promise<readonly AuditEvent[]> {
  const events = await collect(auditEvents(auditLog, ACCOUNT))
  return events.filter(
    ({ user, userAgent = '' }) => user.username.startsWith(ACCOUNT) && userAgent.startsWith('experiment-'),
  )
}

/** The paths of what the programs wrote in the namespace since then, but for Events. */
export async function writtenSince(plane: ControlPlane, sinceMs: number): Promise<readonly string[]> {
  const written = (await ownRequests(plane)).filter(
    ({ verb, requestURI, requestReceivedTimestamp }) =>
      ['create', 'update', 'patch', 'delete'].includes(verb) &&
      Date.parse(requestReceivedTimestamp) > sinceMs &&
      requestURI.includes('/namespaces/shop/') &&
      !requestURI.includes('/events'),
  )
  return written.map(({ requestURI }) => requestURI)
}

/** Waits until the programs have written nothing in the namespace for `quietMs`. */
export const rests = (plane: ControlPlane, quietMs: number): Promise<void> =>
  eventually(
    `${quietMs} ms without writes`,
    5 * quietMs,
    async () => {
      const written = await writtenSince(plane, Date.now() - quietMs)
      if (written.length > 0) throw new Error(written.join())
    },
    { pauseMs: 500 },
  )
