import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments, stringify } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { Semaphore } from '../../common/program/semaphore.ts'

const MANIFESTS = join(import.meta.dirname, '..')

/** The namespace that the manifests name, which another installation replaces by its own. */
export const SYSTEM_NAMESPACE = 'experiment-controller-system'

/** The namespace that an installation for one namespace serves, until the chart puts its value there. */
export const WATCHED = 'watched-namespace'

/** Whose experiments an installation serves. */
export type Scope = 'cluster' | 'namespace'

/** What kustomize shall build. */
export interface Variant {
  readonly scope: Scope
  readonly certificates: 'certManager' | 'script'
  /** folders of components, in their order */
  readonly components: readonly string[]
}

/** The objects that kustomize builds from folders of manifests/. @throws Error with what kustomize says */
export type Kustomize = (lists: {
  readonly resources: readonly string[]
  readonly components: readonly string[]
}) => Promise<readonly KubeObject[]>

/** As many processors as two builds can use. */
const BUILDS_AT_ONCE = 2

/** `Kustomize` by the program `kubectl`. */
export function kustomizeBy(kubectl: string): Kustomize {
  const builds = new Semaphore(BUILDS_AT_ONCE)
  return (lists) => builds.run(() => built(kubectl, lists), undefined)
}

async function built(kubectl: string, { resources, components }: Parameters<Kustomize>[0]) {
  const folder = await mkdtemp(join(tmpdir(), 'experiment-chart-'))
  const from = (name: string) => relative(folder, join(MANIFESTS, name))
  try {
    await writeFile(join(folder, 'watch.yaml'), stringify(WATCH))
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [...resources.map(from), ...(components.includes('namespaced') ? ['watch.yaml'] : [])],
      components: components.map(from),
    }
    await writeFile(join(folder, 'kustomization.yaml'), stringify(kustomization))
    const { stdout } = await promisify(execFile)(kubectl, ['kustomize', folder], { maxBuffer: MAX_OUTPUT })
    return parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
  } finally {
    await rm(folder, { recursive: true })
  }
}

const MAX_OUTPUT = 64 * 1024 * 1024

const WATCH = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'experiment-watch', annotations: { 'config.kubernetes.io/local-config': 'true' } },
  data: { namespace: WATCHED },
}

/** The objects of an installation. */
export const installationOf = (kustomize: Kustomize, { scope, certificates, components }: Variant) =>
  kustomize({
    resources: [certificates === 'script' ? 'script-certs' : 'base'],
    components: [
      ...(certificates === 'certManager' ? ['cert-manager'] : []),
      ...(scope === 'namespace' ? ['namespaced'] : []),
      ...components,
    ],
  })
