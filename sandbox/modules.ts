import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cacheFolder, GO_ENV, installedGo } from './go.ts'
import { MODULE_FOLDER } from './pins.ts'
import { run } from './run.ts'

/** Where the module lies that go.mod pins; Go downloads it if need be, and checks it against go.sum. */
async function moduleFolder(module: string): Promise<string> {
  const { code, stdout, stderr } = await run('go', ['mod', 'download', '-json', module], {
    cwd: MODULE_FOLDER,
    env: GO_ENV,
  })
  const said: { readonly Dir?: string; readonly Error?: string } = stdout ? JSON.parse(stdout) : {}
  if (code !== 0 || !said.Dir)
    throw new Error(
      `could not download the Go module ${module}: ${said.Error ?? stderr.trim()}; is a module proxy within reach (GOPROXY)?`,
    )
  return said.Dir
}

/**
 * The path of a copy, in our cache, of the files right in `folder` of the module that sandbox/go.mod pins.
 * @throws Error that says how to get Go, or why the download failed.
 */
export async function moduleFiles(module: string, folder: string): Promise<string> {
  const target = join(cacheFolder(await installedGo()), 'files', module, folder)
  if (await readdir(target).catch(() => undefined)) return target
  const source = join(await moduleFolder(module), folder)
  const unfinished = join(dirname(target), `${basename(target)}.${randomUUID()}.unfinished`)
  await mkdir(unfinished, { recursive: true })
  const files = (await readdir(source, { withFileTypes: true })).filter((entry) => entry.isFile())
  await Promise.all(files.map(({ name }) => copyFile(join(source, name), join(unfinished, name))))
  try {
    await rename(unfinished, target)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!(await readdir(target).catch(() => undefined))) throw error // otherwise someone else was faster: same content
  }
  return target
}

/** `{{.AgnhostImage}}` → registry.example/agnhost:1.0.0. No pod of the sandbox ever pulls it. */
const fillIn = (manifest: string): string =>
  manifest.replaceAll(
    /\{\{\s*\.(\w+)Image\s*\}\}/g,
    (_, name: string) => `registry.example/${name.toLowerCase()}:1.0.0`,
  )

/** The manifests, one text per file, of the guestbook that Kubernetes tests itself with: Deployments and their Services. */
export async function guestbook(): Promise<readonly string[]> {
  const folder = await moduleFiles('k8s.io/kubernetes', 'test/e2e/testing-manifests/guestbook')
  const files = (await readdir(folder)).filter((file) => /\.yaml(\.in)?$/.test(file)).sort()
  return Promise.all(files.map(async (file) => fillIn(await readFile(join(folder, file), 'utf8'))))
}
