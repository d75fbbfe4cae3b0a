/** An overlay whose webhook configurations call a process on this machine, as developers have one. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../../common/api/object.ts'
import { at, listOr, objectOr } from '../../../common/json/json.ts'
import type { ControlPlane } from '../../../sandbox/control-plane.ts'
import { type Installation, install } from '../../../sandbox/installation.ts'

const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
/** The paths of both configurations. */
export const CONFIGURATIONS = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map(
  (plural) => `${ADMISSION}/${plural}/experiment-deployment-controller`,
)

/** Both configurations, as they are stored. */
export const readConfigurations = ({ api }: ControlPlane) => Promise.all(CONFIGURATIONS.map((path) => api.get(path)))

/** Runs the programs of an overlay that was applied as processes, which both configurations then call. */
export async function installByUrl(plane: ControlPlane, overlay: string): Promise<Installation> {
  const { code, stdout, stderr } = await plane.kubectl(['kustomize', overlay])
  if (code !== 0) throw new Error(stderr)
  const objects = parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
  for (const path of CONFIGURATIONS) await plane.api.delete(path)
  return install(plane, { installed: objects.map(withPath), kindProbeSeconds: 2 })
}

/** With the script for certificates, the configurations have no path before the script has run. */
function withPath(object: KubeObject): KubeObject {
  const path = { MutatingWebhookConfiguration: '/mutate', ValidatingWebhookConfiguration: '/validate' }[object.kind]
  if (path === undefined) return object
  const webhooks = listOr(object.webhooks).map((webhook) => ({
    ...objectOr(webhook),
    clientConfig: { service: { ...objectOr(at(webhook, 'clientConfig', 'service')), path } },
  }))
  return { ...object, webhooks }
}

/** Replaces both configurations by `objects`: an object cannot have a Service and an address. */
export async function replaceConfigurations({ api }: ControlPlane, objects: readonly KubeObject[]): Promise<void> {
  for (const [index, path] of CONFIGURATIONS.entries()) {
    const object = objects[index]
    if (!object) continue
    const { name, labels = {}, annotations = {} } = object.metadata
    await api.delete(path)
    await api.create(path.slice(0, path.lastIndexOf('/')), { ...object, metadata: { name, labels, annotations } })
  }
}

/** Lets the overlay in `folder` have the addresses of the present configurations, so that it can be applied again. */
export async function keepAddresses(plane: ControlPlane, folder: string): Promise<void> {
  const file = join(folder, 'kustomization.yaml')
  const patches = (await readConfigurations(plane)).map((object) => ({
    target: { kind: object.kind, name: object.metadata.name },
    patch: JSON.stringify(
      listOr(object.webhooks).map((webhook, index) => ({
        op: 'replace',
        path: `/webhooks/${index}/clientConfig`,
        value: objectOr(at(webhook, 'clientConfig')),
      })),
    ),
  }))
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), patches }))
}
