/** The plugin, with objects that are in memory instead of a cluster. */
import jsonPatch from 'fast-json-patch'
import type { Io } from '../../cli/process/io.ts'
import { runProgram } from '../../cli/run.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../common/kube/client/request.ts'
import { realTimers } from '../../common/program/clock.ts'
import { aDeployment } from '../builders.ts'
import { ObjectStore } from '../fakes/object-store.ts'
import { aSteered, NOW } from './some-experiments.ts'

const SHOP = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments'
/** Where `faster-cart` is stored. */
export const FASTER_CART = `${SHOP}/faster-cart`
export const CART = '/apis/apps/v1/namespaces/shop/deployments/cart'

/** An API server that also takes JSON patches, dry runs, and warns. */
export class PluginStore extends ObjectStore {
  /** what it answers with each write */
  warnings: readonly string[] = []
  /** the bodies of all writes, with `dry run` before one */
  readonly writes: (readonly [string, unknown])[] = []
  /** thrown instead of the next write */
  refusal: KubeError | undefined
  /** called before each write, as another client that is faster */
  beforeWrite: () => void = () => {}

  override async request(request: KubeRequest): Promise<unknown> {
    const { verb, path, body, query, onWarning } = request
    if (verb === 'get' || verb === 'list') return super.request(request)
    this.beforeWrite()
    this.writes.push([`${query?.dryRun === undefined ? '' : 'dry run '}${verb} ${path}`, body])
    if (this.refusal) throw this.refusal
    for (const warning of this.warnings) onWarning?.(warning)
    if (verb === 'patch' && Array.isArray(body)) return this.#jsonPatch(path, body, query?.dryRun !== undefined)
    const made = `${path}/${(body as KubeObject).metadata.name}`
    if (verb === 'create' && this.at(made))
      throw new KubeError({ kind: 'alreadyExists', status: 409, message: 'it already exists' })
    return query?.dryRun === undefined ? super.request(request) : body
  }

  #jsonPatch(path: string, body: Parameters<typeof jsonPatch.applyPatch>[1], isDryRun: boolean): KubeObject {
    const before = this.at(path)
    if (!before) throw new KubeError({ kind: 'notFound', status: 404, message: `no ${path}` })
    try {
      const after: KubeObject = jsonPatch.applyPatch(structuredClone(before), body, true).newDocument
      return isDryRun ? after : this.put(path, after)
    } catch (error) {
      throw new KubeError(
        { kind: 'conflict', status: 422, message: 'the server rejected our request' },
        { cause: error },
      )
    }
  }
}

interface Of {
  readonly objects?: Readonly<Record<string, KubeObject>>
  readonly io?: Partial<Io>
  /** why no connection can be made; default: one can */
  readonly broken?: Error
}

/** The plugin in the namespace `shop`, where `faster-cart` is paused at step 2. */
export function aPlugin({
  objects = { [FASTER_CART]: aSteered({ run: {} }), [CART]: aDeployment() },
  io = {},
  broken,
}: Of = {}) {
  const cluster = new PluginStore(objects)
  const connected: object[] = []
  return {
    cluster,
    /** the flags of each connection */
    connected,
    /** Runs it with these words, and resolves to its exit code and all that it has printed. */
    run: async (...words: readonly string[]) => {
      let [out, err] = ['', '']
      const own: Io = {
        out: (text) => {
          out += text
        },
        err: (text) => {
          err += text
        },
        ...{ vars: { LANG: 'C.UTF-8' }, clock: () => NOW, timers: realTimers(), random: () => 0.5 },
        signal: new AbortController().signal,
        ...io,
      }
      const code = await runProgram(words, {
        io: own,
        connect: async (flags) => {
          if (broken) throw broken
          connected.push(flags)
          return { client: cluster, namespace: flags.namespace ?? 'shop' }
        },
      })
      return { code, out, err }
    },
  }
}
