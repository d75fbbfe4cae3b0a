import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { cacheOf, GO_ENV } from './go.ts'
import { MODULES, type ModuleFolder } from './pins.ts'
import { run } from './run.ts'

/** The folder of the module that `by` pins. Go downloads it if needed, and checks it against go.sum. */
async function downloaded(module: string, by: ModuleFolder): Promise<string> {
  const { code, stdout, stderr } = await run('go', ['mod', 'download', '-json', module], {
    cwd: by,
    env: GO_ENV,
  })
  const said: { readonly Dir?: string; readonly Error?: string } = stdout ? JSON.parse(stdout) : {}
  if (code !== 0 || !said.Dir)
    throw new Error(
      `could not download the Go module ${module}: ${said.Error ?? stderr.trim()}; can a module proxy be reached (GOPROXY)?`,
    )
  return said.Dir
}

/** Files of a Go module, in `folder` or below it. `by` is the folder whose go.mod pins the module. */
interface Wanted {
  readonly module: string
  readonly folder: string
  readonly by: ModuleFolder
}

/**
 * Copies the wanted files into the cache, if they are not there, and returns the folder.
 * @throws Error that says how to get Go, or why the download failed
 */
async function moduleFiles({ module, folder, by }: Wanted): Promise<string> {
  const target = join(await cacheOf(by), 'files', module, folder)
  if (await readdir(target).catch(() => undefined)) return target
  const source = join(await downloaded(module, by), folder)
  const unfinished = join(dirname(target), `${basename(target)}.${randomUUID()}.unfinished`)
  for (const path of await filesBelow(source)) {
    await mkdir(dirname(join(unfinished, path)), { recursive: true })
    await copyFile(join(source, path), join(unfinished, path))
  }
  try {
    await rename(unfinished, target)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // otherwise another process was faster, and the content is the same
    if (!(await readdir(target).catch(() => undefined))) throw error
  }
  return target
}

/** The paths of all files below `folder`, relative to it, sorted. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

/** A YAML file with any number of manifests. */
export interface ManifestFile {
  /** Relative to the root of the module: `examples/rollout-canary.yaml`. */
  readonly path: string
  readonly text: string
}

/** The YAML files among the wanted files, or those with other names, with placeholders filled in. */
async function manifests(wanted: Wanted, names = /\.ya?ml(\.in)?$/): Promise<readonly ManifestFile[]> {
  const folder = await moduleFiles(wanted)
  const files = (await filesBelow(folder)).filter((path) => names.test(path))
  return Promise.all(
    files.map(async (path) => ({
      path: join(wanted.folder, path),
      text: fillIn(await readFile(join(folder, path), 'utf8')),
    })),
  )
}

/** `{{.AgnhostImage}}` becomes registry.example/agnhost:1.0.0. No pod of the sandbox ever pulls an image. */
const fillIn = (manifest: string): string =>
  manifest.replaceAll(
    /\{\{\s*\.(\w+)Image\s*\}\}/g,
    (_, name: string) => `registry.example/${name.toLowerCase()}:1.0.0`,
  )

const TESTING_MANIFESTS = 'test/e2e/testing-manifests'
const ofKubernetes = (folder: string): Wanted => ({ module: 'k8s.io/kubernetes', folder, by: MODULES.controlPlane })
const ofArgo = (folder: string): Wanted => ({
  module: 'github.com/argoproj/argo-rollouts',
  folder,
  by: MODULES.argo,
})

/** The guestbook of Kubernetes' own tests, Deployments with their Services: one text for each file. */
export async function guestbook(): Promise<readonly string[]> {
  const folder = `${TESTING_MANIFESTS}/guestbook`
  const files = await manifests(ofKubernetes(folder))
  // an older guestbook is in a folder below
  return files.filter(({ path }) => dirname(path) === folder).map(({ text }) => text)
}

/**
 * The applications of Kubernetes' own tests of StatefulSets, by name: zookeeper, etcd, cockroachdb, mysql-galera,
 * mysql-upgrade, cassandra. Two of them have a StatefulSet named `mysql`, so each needs its own namespace.
 */
export async function statefulSets(): Promise<Readonly<Record<string, readonly ManifestFile[]>>> {
  const files = await manifests(ofKubernetes(`${TESTING_MANIFESTS}/statefulset`))
  return Object.groupBy(files, ({ path }) => basename(dirname(path))) as Record<string, readonly ManifestFile[]>
}

/** The files with a Rollout in the examples and the end-to-end tests of Argo Rollouts. */
export async function argoManifests(): Promise<readonly ManifestFile[]> {
  const files = [...(await manifests(ofArgo('examples'))), ...(await manifests(ofArgo('test/e2e')))]
  return files.filter(({ text }) => /^kind: Rollout$/m.test(text))
}

/** The programs of the end-to-end tests of Argo Rollouts, which have manifests in them. */
export const argoTests = (): Promise<readonly ManifestFile[]> => manifests(ofArgo('test/e2e'), /_test\.go$/)

/** The templates of the chart with a blue-green in the examples of Argo Rollouts. */
export const argoChart = (): Promise<readonly ManifestFile[]> => manifests(ofArgo('examples/helm-blue-green/templates'))

/** The CustomResourceDefinitions of Argo Rollouts. */
export async function argoCrds(): Promise<readonly string[]> {
  const files = await manifests(ofArgo('manifests/crds'))
  return files.map(({ text }) => text).filter((text) => /^kind: CustomResourceDefinition$/m.test(text))
}

/** The CustomResourceDefinitions of cert-manager, which check its Issuers and Certificates. */
export async function certManagerCrds(): Promise<readonly string[]> {
  const module = 'github.com/cert-manager/cert-manager'
  const files = await manifests({ module, folder: 'deploy/crds', by: MODULES.certManager })
  return files.map(({ text }) => text)
}

/** The kinds of the Prometheus Operator that an application creates. The others are for those who run Prometheus. */
const MONITORING_CRDS = /_(podmonitors|servicemonitors|prometheusrules)\.yaml$/

/** The CustomResourceDefinitions of the Prometheus Operator for the monitoring of an application. */
export async function prometheusCrds(): Promise<readonly string[]> {
  const module = 'github.com/prometheus-operator/prometheus-operator'
  const files = await manifests({ module, folder: 'example/prometheus-operator-crd', by: MODULES.prometheusOperator })
  return files.filter(({ path }) => MONITORING_CRDS.test(path)).map(({ text }) => text)
}
