import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { bundle } from '../../build/bundle.ts'
import { issue } from '../../certs/issue.ts'
import { shippedCommand } from '../manifests/shipped.ts'
import { type Bench, type Figure, ratioFigure } from './figure.ts'
import { blocks, threeParses } from './webhook-block.ts'
import { keepClusterDocuments } from './webhook-documents.ts'
import { type Peer, webhookFigures } from './webhook-figures.ts'
import { nodes } from './webhook-nodes.ts'
import { installPepr, PEPR_PATHS, peprSurroundings, startPepr } from './webhook-pepr.ts'
import { printed, program } from './webhook-program.ts'
import { type Runner, race } from './webhook-race.ts'
import { REVIEW } from './webhook-review.ts'
import type { Compiling } from './webhook-schemas.ts'
import { type Pin, pinning, type Side, startSide } from './webhook-side.ts'

const OUR_PATHS = ['/mutate', '/validate']
const MIB = 1024 * 1024

/** What all parts of this benchmark share. */
interface Stand {
  readonly pin: Pin
  readonly tell: (line: string) => void
  /** holds schemas, certificate and key; deleted at the end */
  readonly folder: string
  readonly pepr: { readonly installed: string; readonly kubeconfig: string }
}

/** The OpenAPI documents of a real cluster, Argo's included, and a certificate for the loopback interface. */
async function furnish(folder: string, tell: Stand['tell']): Promise<void> {
  await keepClusterDocuments(folder, tell)
  const { cert, key } = await issue({ names: ['127.0.0.1'], clock: () => new Date() })
  await Promise.all([writeFile(join(folder, 'tls.crt'), cert), writeFile(join(folder, 'tls.key'), key)])
}

async function tellOfCompiling({ pin, folder, tell }: Stand): Promise<void> {
  const command = pin('server', [execPath, '--expose-gc', program('webhook-schemas'), folder])
  const { ms, heapBytes, residentBytes } = await printed<Compiling>(command)
  const [kept, grown] = [heapBytes, residentBytes].map((bytes) => (bytes / MIB).toFixed(0))
  tell(`all schemas: compiled in ${ms.toFixed(0)} ms, ${kept} MiB kept, the process ${grown} MiB larger`)
}

/** Our webhook beside pepr on every Node, and the other figures of our webhook. */
async function measured(stand: Stand): Promise<readonly Figure[]> {
  await tellOfCompiling(stand)
  const { pin, tell, folder } = stand
  await bundle({ 'webhook-server': program('webhook-server') }, folder) // bundled as it is shipped
  const server = join(folder, 'webhook-server.mjs')
  const { flags, env } = shippedCommand('webhook')
  const side = await startSide(pin, { args: [...flags, server, folder], env })
  try {
    const { we, peers } = await raced(stand, side)
    return [...webhookFigures(we, peers, tell), await blockFigure(side, tell)]
  } finally {
    await side.stop()
  }
}

/** Races our webhook with pepr on every Node of this machine, because it may be faster on another one than ours. */
async function raced({ pin, tell, folder, pepr }: Stand, ours: Side) {
  const theirs: (Runner & { readonly node: string })[] = []
  try {
    for (const { path, version } of await nodes()) {
      const side = await startPepr({ pin, folder, ...pepr, node: path })
      theirs.push({ name: `pepr on ${version}`, side, paths: PEPR_PATHS, node: version })
    }
    const [we, ...results] = await race(pin, tell, [{ name: 'ours', side: ours, paths: OUR_PATHS }, ...theirs])
    if (!we) throw new Error('our webhook has no result')
    const peers = results.map((result, index): Peer => ({ ...result, node: theirs[index]?.node ?? '' }))
    return { we, peers }
  } finally {
    await Promise.all(theirs.map(({ side }) => side.stop()))
  }
}

async function blockFigure(side: Side, tell: Stand['tell']): Promise<Figure> {
  const found = await blocks(side)
  for (const { body, ms } of found) tell(`the ${body} body blocks the event loop for ${ms.toFixed(1)} ms`)
  const value = Math.max(...found.map(({ ms }) => ms))
  return ratioFigure({ name: 'webhook block', value, unit: 'ms', against: await threeParses(side), atMost: 1 })
}

/** Compares our pair of calls, which checks everything, with that of pepr, which checks nothing. */
export const webhook: Bench = {
  name: 'webhook',
  measures: 'mutating and validating 10 KB, everything checked, beside a trivial pair of pepr 1.1 on its best Node',
  async run(tell) {
    const installed = await installPepr(tell)
    const folder = await mkdtemp(join(tmpdir(), 'experiment-bench-'))
    try {
      await furnish(folder, tell)
      const { kubeconfig, stop } = await peprSurroundings(folder)
      const { isPinned, pin } = await pinning()
      tell(`a review of ${REVIEW.length} characters; ${isPinned ? 'one core each' : 'no core of its own for anybody'}`)
      return await measured({ pin, tell, folder, pepr: { installed, kubeconfig } }).finally(stop)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}
