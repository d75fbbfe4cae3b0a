import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { bundle } from '../../build/bundle.ts'
import { issue } from '../../certs/issue.ts'
import { kubeClient } from '../../common/kube/client/client.ts'
import { realTimers } from '../../common/program/clock.ts'
import { schemaSource } from '../../common/schema/catalog.ts'
import { startControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { argoCrds } from '../../sandbox/modules.ts'
import { shippedCommand } from '../manifests/shipped.ts'
import { type Bench, type Figure, ratioFigure } from './figure.ts'
import { blocks, threeParses } from './webhook-block.ts'
import { keepDocuments } from './webhook-documents.ts'
import { otherNodes } from './webhook-nodes.ts'
import { installPepr, PEPR_PATHS, peprSurroundings, startPepr } from './webhook-pepr.ts'
import { printed, program } from './webhook-program.ts'
import { type Result, type Runner, race } from './webhook-race.ts'
import { REVIEW } from './webhook-review.ts'
import type { Compiling } from './webhook-schemas.ts'
import { type Pin, pinning, startSide } from './webhook-side.ts'

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
  const plane = await startControlPlane({ say: tell, crds: await argoCrds() })
  const { kubeconfig } = plane
  const kube = kubeClient({ kubeconfig, userAgent: 'bench', timers: realTimers(), random: Math.random })
  try {
    // the schemas of a new CRD are published with a delay
    await eventually('the schemas of all kinds', 30_000, () => keepDocuments(folder, schemaSource(kube)))
  } finally {
    await kube.close()
    await plane.stop() // before anything is measured
  }
  const { cert, key } = await issue({ names: ['127.0.0.1'], clock: () => new Date() })
  await Promise.all([writeFile(join(folder, 'tls.crt'), cert), writeFile(join(folder, 'tls.key'), key)])
}

async function tellOfCompiling({ pin, folder, tell }: Stand): Promise<void> {
  const command = pin('server', [execPath, '--expose-gc', program('webhook-schemas'), folder])
  const { ms, heapBytes, residentBytes } = await printed<Compiling>(command)
  const [kept, grown] = [heapBytes, residentBytes].map((bytes) => (bytes / MIB).toFixed(0))
  tell(`all schemas: compiled in ${ms.toFixed(0)} ms, ${kept} MiB kept, the process ${grown} MiB larger`)
}

/** Our webhook and pepr on this Node, and the other figures of our webhook. */
async function measured(stand: Stand): Promise<readonly Figure[]> {
  await tellOfCompiling(stand)
  const { pin, tell, folder, pepr } = stand
  await bundle({ 'webhook-server': program('webhook-server') }, folder) // bundled as it is shipped
  const server = join(folder, 'webhook-server.mjs')
  const { flags, env } = shippedCommand('webhook')
  const side = await startSide(pin, { args: [...flags, server, folder], env })
  try {
    const theirs = await startPepr({ pin, folder, ...pepr })
    const runners = [
      { name: 'ours', side, paths: OUR_PATHS },
      { name: 'pepr', side: theirs, paths: PEPR_PATHS },
    ]
    const [we, they] = await race(pin, tell, runners).finally(theirs.stop)
    if (!we || !they) throw new Error('a side has no result')
    for (const of of await tellOfOthers(stand)) tell(`ours beside it: ${versus(we, of)}`)
    return [...figuresOf(we, they), await blockFigure(side, tell)]
  } finally {
    await side.stop()
  }
}

const figuresOf = (we: Result, they: Result): readonly Figure[] => [
  ratioFigure({
    name: 'webhook throughput',
    value: we.pairsPerSecond,
    unit: 'pairs/s',
    against: they.pairsPerSecond,
    atLeast: 2,
  }),
  ratioFigure({
    name: 'webhook CPU a pair',
    value: we.cpuMsPerPair,
    unit: 'ms',
    against: they.cpuMsPerPair,
    atMost: 0.5,
  }),
  ratioFigure({
    name: 'webhook memory',
    value: we.residentBytes / MIB,
    unit: 'MiB',
    against: they.residentBytes / MIB,
    atMost: 0.5,
  }),
  ratioFigure({ name: 'webhook p99', value: we.p99Ms, unit: 'ms', against: they.p99Ms, atMost: 1 }),
]

const versus = (we: Result, they: Result): string =>
  [
    `${(we.pairsPerSecond / they.pairsPerSecond).toFixed(2)} times the throughput`,
    `${(we.cpuMsPerPair / they.cpuMsPerPair).toFixed(2)} times the CPU a pair`,
    `${(we.residentBytes / they.residentBytes).toFixed(2)} times the memory`,
    `${(we.p99Ms / they.p99Ms).toFixed(2)} times the p99`,
  ].join(', ')

/** pepr on every other Node of this machine, because it may be faster there. */
async function tellOfOthers({ pin, tell, folder, pepr }: Stand): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const { path, version } of await otherNodes()) {
    const side = await startPepr({ pin, folder, ...pepr, node: path })
    const runner: Runner = { name: `pepr on ${version}`, side, paths: PEPR_PATHS }
    results.push(...(await race(pin, tell, [runner]).finally(side.stop)))
  }
  return results
}

async function blockFigure(side: Runner['side'], tell: Stand['tell']): Promise<Figure> {
  const found = await blocks(side)
  for (const { body, ms } of found) tell(`the ${body} body blocks the event loop for ${ms.toFixed(1)} ms`)
  const value = Math.max(...found.map(({ ms }) => ms))
  return ratioFigure({ name: 'webhook block', value, unit: 'ms', against: await threeParses(side), atMost: 1 })
}

/** Compares our pair of calls, which checks everything, with that of pepr, which checks nothing. */
export const webhook: Bench = {
  name: 'webhook',
  measures: 'mutating and validating a review of 10 KB, everything checked, beside pepr 1.1 with a trivial pair',
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
