import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Say } from './binaries.ts'
import { cacheOf, GO_ENV } from './go.ts'
import { mayUse, NEEDS, type Need } from './needs.ts'
import { patiently } from './patiently.ts'
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

const TESTING_MANIFESTS = 'test/e2e/testing-manifests'

/** The folders of Go modules that are used. `by` is the folder whose go.mod pins the module. */
const FILES = {
  kubernetesFiles: {
    module: 'k8s.io/kubernetes',
    by: MODULES.controlPlane,
    folders: [`${TESTING_MANIFESTS}/guestbook`, `${TESTING_MANIFESTS}/statefulset`],
  },
  argoFiles: {
    module: 'github.com/argoproj/argo-rollouts',
    by: MODULES.argo,
    folders: ['examples', 'manifests/crds', 'test/e2e'],
  },
  certManagerFiles: {
    module: 'github.com/cert-manager/cert-manager',
    by: MODULES.certManager,
    folders: ['deploy/crds'],
  },
  prometheusFiles: {
    module: 'github.com/prometheus-operator/prometheus-operator',
    by: MODULES.prometheusOperator,
    folders: ['example/prometheus-operator-crd'],
  },
} as const satisfies Partial<Record<Need, object>>

/** Files of one Go module. */
type Files = keyof typeof FILES
/** A folder of a Go module of which files are used. */
type Folder<Of extends Files> = (typeof FILES)[Of]['folders'][number]

/** Whether a need are files of a Go module. */
export const isFiles = (need: Need): need is Files => Object.hasOwn(FILES, need)

const isThere = async (folder: string): Promise<boolean> =>
  readdir(folder).then(
    () => true,
    () => false,
  )

const placeOf = async (files: Files, folder: string): Promise<string> =>
  join(await cacheOf(FILES[files].by), 'files', FILES[files].module, folder)

/** Downloads the files that are not in the cache, and says so. @throws Error that says why that failed */
export async function fetchFiles(files: Files, say: Say): Promise<void> {
  const { module, folders } = FILES[files]
  const places = await Promise.all(folders.map((folder) => placeOf(files, folder)))
  if ((await Promise.all(places.map(isThere))).every(Boolean)) return
  say(`downloading ${NEEDS[files]}`)
  const startedAt = performance.now()
  const all = async () => {
    for (const folder of folders) await copied(files, folder)
  }
  await patiently(`downloading the Go module ${module}`, say, all())
  say(`downloaded ${NEEDS[files]} in ${Math.round((performance.now() - startedAt) / 1000)} s`)
}

/**
 * Copies the files of a folder and those below it into the cache, if they are not there. Returns their folder there.
 * @throws Error that says how to get Go, or why the download failed
 */
async function copied(files: Files, folder: string): Promise<string> {
  const target = await placeOf(files, folder)
  if (await isThere(target)) return target
  const { module, by } = FILES[files]
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
    if (!(await isThere(target))) throw error
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

/** The YAML files in a folder of a module and below it, or those with other names, with placeholders filled in. */
async function manifests<Of extends Files>(
  files: Of,
  folder: Folder<Of>,
  names = /\.ya?ml(\.in)?$/,
): Promise<readonly ManifestFile[]> {
  mayUse(files)
  const from = await copied(files, folder)
  const paths = (await filesBelow(from)).filter((path) => names.test(path))
  return Promise.all(
    paths.map(async (path) => ({
      path: join(folder, path),
      text: fillIn(await readFile(join(from, path), 'utf8')),
    })),
  )
}

/** `{{.AgnhostImage}}` becomes registry.example/agnhost:1.0.0. No pod of the sandbox ever pulls an image. */
const fillIn = (manifest: string): string =>
  manifest.replaceAll(
    /\{\{\s*\.(\w+)Image\s*\}\}/g,
    (_, name: string) => `registry.example/${name.toLowerCase()}:1.0.0`,
  )

/** The guestbook of Kubernetes' own tests, Deployments with their Services: one text for each file. */
export async function guestbook(): Promise<readonly string[]> {
  const folder = `${TESTING_MANIFESTS}/guestbook` as const
  const files = await manifests('kubernetesFiles', folder)
  // an older guestbook is in a folder below
  return files.filter(({ path }) => dirname(path) === folder).map(({ text }) => text)
}

/**
 * The applications of Kubernetes' own tests of StatefulSets, by name: zookeeper, etcd, cockroachdb, mysql-galera,
 * mysql-upgrade, cassandra. Two of them have a StatefulSet named `mysql`, so each needs its own namespace.
 */
export async function statefulSets(): Promise<Readonly<Record<string, readonly ManifestFile[]>>> {
  const files = await manifests('kubernetesFiles', `${TESTING_MANIFESTS}/statefulset`)
  return Object.groupBy(files, ({ path }) => basename(dirname(path))) as Record<string, readonly ManifestFile[]>
}

/** The files with a Rollout in the examples and the end-to-end tests of Argo Rollouts. */
export async function argoManifests(): Promise<readonly ManifestFile[]> {
  const files = [...(await manifests('argoFiles', 'examples')), ...(await manifests('argoFiles', 'test/e2e'))]
  return files.filter(({ text }) => /^kind: Rollout$/m.test(text))
}

/** The programs of the end-to-end tests of Argo Rollouts, which have manifests in them. */
export const argoTests = (): Promise<readonly ManifestFile[]> => manifests('argoFiles', 'test/e2e', /_test\.go$/)

/** The templates of the chart with a blue-green in the examples of Argo Rollouts. */
export async function argoChart(): Promise<readonly ManifestFile[]> {
  const files = await manifests('argoFiles', 'examples')
  return files.filter(({ path }) => path.startsWith('examples/helm-blue-green/templates/'))
}

/** The CustomResourceDefinitions of Argo Rollouts. */
export async function argoCrds(): Promise<readonly string[]> {
  const files = await manifests('argoFiles', 'manifests/crds')
  return files.map(({ text }) => text).filter((text) => /^kind: CustomResourceDefinition$/m.test(text))
}

/** The CustomResourceDefinitions of cert-manager, which check its Issuers and Certificates. */
export async function certManagerCrds(): Promise<readonly string[]> {
  const files = await manifests('certManagerFiles', 'deploy/crds')
  return files.map(({ text }) => text)
}

/** The kinds of the Prometheus Operator that an application creates. The others are for those who run Prometheus. */
const MONITORING_CRDS = /_(podmonitors|servicemonitors|prometheusrules)\.yaml$/

/** The CustomResourceDefinitions of the Prometheus Operator for the monitoring of an application. */
export async function prometheusCrds(): Promise<readonly string[]> {
  const files = await manifests('prometheusFiles', 'example/prometheus-operator-crd')
  return files.filter(({ path }) => MONITORING_CRDS.test(path)).map(({ text }) => text)
}
