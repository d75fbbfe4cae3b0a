import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { cacheOf, GO_ENV } from './go.ts'
import { MODULES, type ModuleFolder } from './pins.ts'
import { run } from './run.ts'

/** Where the module lies that `by` pins; Go downloads it if need be, and checks it against go.sum. */
async function downloaded(module: string, by: ModuleFolder): Promise<string> {
  const { code, stdout, stderr } = await run('go', ['mod', 'download', '-json', module], {
    cwd: by,
    env: GO_ENV,
  })
  const said: { readonly Dir?: string; readonly Error?: string } = stdout ? JSON.parse(stdout) : {}
  if (code !== 0 || !said.Dir)
    throw new Error(
      `could not download the Go module ${module}: ${said.Error ?? stderr.trim()}; is a module proxy within reach (GOPROXY)?`,
    )
  return said.Dir
}

/** Files of a Go module: right in `folder` or below it. `by` is the module of ours that pins it. */
interface Wanted {
  readonly module: string
  readonly folder: string
  readonly by: ModuleFolder
}

/**
 * The path of a copy, in our cache, of what is wanted.
 * @throws Error that says how to get Go, or why the download failed.
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
    if (!(await readdir(target).catch(() => undefined))) throw error // otherwise someone else was faster: same content
  }
  return target
}

/** Paths of all files, from `folder`, sorted. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

/** A file of manifests, any number of documents. */
export interface ManifestFile {
  /** From the root of the module: `examples/rollout-canary.yaml`. */
  readonly path: string
  readonly text: string
}

/** The manifests among what is wanted, as they can be applied. */
async function manifests(wanted: Wanted): Promise<readonly ManifestFile[]> {
  const folder = await moduleFiles(wanted)
  const files = (await filesBelow(folder)).filter((path) => /\.ya?ml(\.in)?$/.test(path))
  return Promise.all(
    files.map(async (path) => ({
      path: join(wanted.folder, path),
      text: fillIn(await readFile(join(folder, path), 'utf8')),
    })),
  )
}

/** `{{.AgnhostImage}}` → registry.example/agnhost:1.0.0. No pod of the sandbox ever pulls it. */
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

/** The manifests, one text per file, of the guestbook that Kubernetes tests itself with: Deployments and their Services. */
export async function guestbook(): Promise<readonly string[]> {
  const folder = `${TESTING_MANIFESTS}/guestbook`
  const files = await manifests(ofKubernetes(folder))
  return files.filter(({ path }) => dirname(path) === folder).map(({ text }) => text) // below it lies an older one
}

/**
 * The applications that Kubernetes tests StatefulSets with, by name: zookeeper, etcd, cockroachdb, mysql-galera,
 * mysql-upgrade, cassandra. Two of them are called `mysql`: each wants a namespace of its own.
 */
export async function statefulSets(): Promise<Readonly<Record<string, readonly ManifestFile[]>>> {
  const files = await manifests(ofKubernetes(`${TESTING_MANIFESTS}/statefulset`))
  return Object.groupBy(files, ({ path }) => basename(dirname(path))) as Record<string, readonly ManifestFile[]>
}

/** Every file with a Rollout among the examples and the end-to-end tests of Argo Rollouts. */
export async function argoManifests(): Promise<readonly ManifestFile[]> {
  const files = [...(await manifests(ofArgo('examples'))), ...(await manifests(ofArgo('test/e2e')))]
  return files.filter(({ text }) => /^kind: Rollout$/m.test(text))
}

/** The CustomResourceDefinitions of Argo Rollouts. */
export async function argoCrds(): Promise<readonly string[]> {
  const files = await manifests(ofArgo('manifests/crds'))
  return files.map(({ text }) => text).filter((text) => /^kind: CustomResourceDefinition$/m.test(text))
}

/** The CustomResourceDefinitions of cert-manager: the authority on what its Issuers and Certificates may say. */
export async function certManagerCrds(): Promise<readonly string[]> {
  const module = 'github.com/cert-manager/cert-manager'
  const files = await manifests({ module, folder: 'deploy/crds', by: MODULES.certManager })
  return files.map(({ text }) => text)
}
