import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from 'node:process'
import { request } from 'undici'
import { eventually } from '../eventually.ts'
import type { ProcessSpec } from '../messages.ts'
import { freePorts } from '../ports.ts'
import { describeExit, type SupervisedProcess } from '../processes.ts'
import { type Ran, run } from '../run.ts'
import type { NetworkNamespace } from '../traffic/traffic.ts'
import { remoteWrite, type WrittenSeries } from './remote-write.ts'

/** A running Prometheus. */
export interface Prometheus {
  /** `http://127.0.0.1:20001` */
  readonly address: string
  /** Gives it exactly these values. @throws Error with its words if it refuses any of them */
  readonly write: (series: readonly WrittenSeries[]) => Promise<void>
  /** Resolves when it has ended. What it stored stays until its folder is removed. */
  readonly stop: () => Promise<void>
}

/** Why there is no Prometheus here, and what to do about it. */
export interface NoPrometheus {
  readonly unavailable: string
}

export interface PrometheusOptions {
  /** Starts its process, and stops it in the end. */
  readonly supervise: (spec: ProcessSpec) => Promise<SupervisedProcess>
  /** an existing folder for its configuration and its data */
  readonly folder: string
  /** where it runs; default: outside of any network namespace */
  readonly namespace?: NetworkNamespace
  /** default: 29090 in a network namespace, where every port but those of simulated pods is free; else a free one */
  readonly port?: number
  /** `scrape_configs` of its configuration; default: it has what is written to it and nothing else */
  readonly scrapes?: readonly unknown[]
  /** where the program is; default: in the PATH */
  readonly path?: string
}

const DEADLINE_MS = 30_000
const PORT_INSIDE = 29_090

/** Why Prometheus cannot be started; undefined if it can. */
export async function whyNoPrometheus(path = 'prometheus'): Promise<string | undefined> {
  const remedy = 'install it (apt-get install prometheus), at least version 2.40'
  const asked = await run(path, ['--version']).catch((error: unknown) => `${error}`)
  if (typeof asked === 'string') return `\`${path}\` was not found: ${remedy}`
  return asked.code === 0 ? undefined : `\`${path} --version\` failed: ${lastLine(asked)}; ${remedy}`
}

const lastLine = ({ stderr }: Ran): string => stderr.trim().split('\n').at(-1) ?? ''

/**
 * Starts Prometheus on a port of the loopback interface, or of that of a network namespace. It accepts native
 * histograms, and values that are up to an hour older than its newest ones.
 * @throws Error that says how it ended, or that it is not ready after 30 s
 */
export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus | NoPrometheus> {
  const { supervise, folder, namespace, port: wanted, scrapes = [], path = 'prometheus' } = options
  const unavailable = await whyNoPrometheus(path)
  if (unavailable) return { unavailable }
  const [free = PORT_INSIDE] = namespace ? [] : await freePorts(1)
  const port = wanted ?? free
  const config = join(folder, 'prometheus.json') // JSON is YAML, too
  const storage = { tsdb: { out_of_order_time_window: '1h' } }
  await writeFile(config, JSON.stringify({ scrape_configs: scrapes, storage }))
  const commandLine = [
    path,
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-remote-write-receiver',
    '--enable-feature=native-histograms',
    '--log.level=warn',
  ]
  const [command = path, ...args] = namespace?.commandIn(commandLine) ?? commandLine
  const server = await supervise({ name: 'prometheus', command, args, env: { PATH: env.PATH } })
  const died = new AbortController()
  void server.exited.then((exit) => died.abort(new Error(describeExit('prometheus', exit))))
  const address = await (namespace?.reach(port) ?? `http://127.0.0.1:${port}`)
  await eventually('Prometheus to be ready', DEADLINE_MS, () => isReady(address), { signal: died.signal })
  return {
    address,
    write: (series) => remoteWrite(address, series),
    stop: async () => void (await server.stop()),
  }
}

/** Resolves if it answers queries. @throws Error until then */
async function isReady(address: string): Promise<void> {
  const { statusCode, body } = await request(`${address}/-/ready`)
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${statusCode} ${text.trim()}`)
}
