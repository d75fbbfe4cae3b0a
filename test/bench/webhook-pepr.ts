import { createHash } from 'node:crypto'
import { access, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { close, listen } from '../../common/program/listen.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { cacheHome } from '../../sandbox/go.ts'
import { run } from '../../sandbox/run.ts'
import { call } from './webhook-call.ts'
import { REVIEW } from './webhook-review.ts'
import { type Pin, type Side, startSide } from './webhook-side.ts'

const HERE = join(import.meta.dirname, 'pepr')
const FILES = ['package.json', 'package-lock.json']
const TOKEN = 'bench'
const NAMESPACE = 'pepr-system'
const READY_MS = 30_000

/** The paths of pepr: it requires a token in the path. */
export const PEPR_PATHS = [`/mutate/${TOKEN}`, `/validate/${TOKEN}`] as const

/**
 * The folder in which pepr is installed. It is in the cache of the user, because pepr is not one of our dependencies.
 * Installs it if it is missing. @throws Error with the output of npm
 */
export async function installPepr(tell: (line: string) => void): Promise<string> {
  const lock = await readFile(join(HERE, 'package-lock.json'))
  const folder = join(cacheHome(), `pepr-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`)
  const isThere = await access(folder).then(
    () => true,
    () => false,
  )
  if (isThere) return folder
  tell('installing pepr, once (165 MB)')
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  for (const file of FILES) await cp(join(HERE, file), join(unfinished, file))
  // its peer dependencies build and test modules; it needs none at run time
  const args = ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund']
  const { code, stderr } = await run('npm', args, { cwd: unfinished })
  if (code !== 0) throw new Error(`pepr could not be installed: ${stderr.trim()}`)
  await rename(unfinished, folder)
  return folder
}

/** The API server as far as pepr needs it: it has an empty store of any name, which never changes. */
const stores: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
  response.setHeader('content-type', 'application/json')
  if (searchParams.has('watch')) {
    response.flushHeaders()
    return
  }
  const one = /\/peprstores\/(.+)$/.exec(pathname)?.[1]
  const name = one ?? searchParams.get('fieldSelector')?.split('=')[1] ?? ''
  const metadata = { name, namespace: NAMESPACE, uid: name, resourceVersion: '1' }
  const store = { apiVersion: 'pepr.dev/v1', kind: 'PeprStore', metadata, data: { __pepr_do_not_delete__: 'x' } }
  const list = { kind: 'PeprStoreList', metadata: { resourceVersion: '1' }, items: [store] }
  response.end(JSON.stringify(one === undefined ? list : store))
}

/** The API server for pepr. It serves plain HTTP. */
export async function peprSurroundings(folder: string) {
  const server = createServer(stores)
  const port = await listen(server, 0, '127.0.0.1')
  const cluster = { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } // otherwise it refuses plain HTTP
  const kubeconfig = join(folder, 'pepr.kubeconfig')
  const contents = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster }],
    users: [{ name: 'bench', user: { token: 'none' } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  }
  await writeFile(kubeconfig, JSON.stringify(contents))
  const stop = () => {
    server.closeAllConnections() // its watches never end
    return close(server)
  }
  return { kubeconfig, stop }
}

interface Pepr {
  readonly pin: Pin
  /** where it is installed */
  readonly installed: string
  /** holds tls.crt and tls.key */
  readonly folder: string
  readonly kubeconfig: string
  readonly node?: string
}

/**
 * Starts pepr with two trivial handlers, and waits until it answers: it serves no review before it has read its store.
 */
export async function startPepr({ pin, installed, folder, kubeconfig, ...of }: Pepr): Promise<Side> {
  const side = await startSide(pin, {
    ...of,
    args: [join(HERE, 'server.mjs'), installed],
    env: {
      KUBECONFIG: kubeconfig,
      NODE_ENV: 'production',
      PEPR_API_PATH: TOKEN,
      SSL_CERT_PATH: join(folder, 'tls.crt'),
      SSL_KEY_PATH: join(folder, 'tls.key'),
    },
  })
  try {
    await eventually('pepr to serve reviews', READY_MS, async () => {
      for (const path of PEPR_PATHS) await call(side.port, path, REVIEW)
    })
    return side
  } catch (error) {
    await side.stop()
    throw error
  }
}
