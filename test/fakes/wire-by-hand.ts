import type { KubeErrorKind } from '../../common/api/failure.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest, KubeStream } from '../../common/kube/client/request.ts'
import { turn } from '../virtual-time.ts'

/** A request that waits for the response that the test gives. */
export interface Asked<Request, Answer> {
  readonly request: Request
  answer(value: Answer): void
  fail(error: Error): void
}

/** The server's end of a watch, held by the test. */
export interface Wire {
  send(...lines: readonly (string | object)[]): void
  end(): void
  break(error: Error): void
  readonly isCut: boolean
}

/** An API server that answers only as the test says. */
export class ScriptedClient implements KubeClient {
  readonly #lists: Asked<KubeRequest, unknown>[] = []
  readonly #watches: Asked<KubeStream, AsyncIterable<string>>[] = []
  /** every request so far: `list` or `watch 12` (the version) */
  readonly diary: string[] = []

  request(request: KubeRequest): Promise<unknown> {
    this.diary.push(request.verb)
    return asked(request, this.#lists)
  }

  stream(stream: KubeStream): Promise<AsyncIterable<string>> {
    this.diary.push(`watch ${stream.query?.resourceVersion}`)
    return asked(stream, this.#watches)
  }

  async close(): Promise<void> {}

  /** The list that is waiting. */
  async list(): Promise<Asked<KubeRequest, unknown>> {
    await turn()
    return this.#lists.shift() ?? this.#fail('list')
  }

  async watch(): Promise<Asked<KubeStream, AsyncIterable<string>>> {
    await turn()
    return this.#watches.shift() ?? this.#fail('watch')
  }

  /** Opens the watch that is waiting. */
  async open(): Promise<Wire> {
    const { request, answer } = await this.watch()
    const { wire, lines } = wireOf(request.signal)
    answer(lines)
    await turn()
    return wire
  }

  #fail(what: string): never {
    throw new Error(`no ${what} is waiting; so far: ${this.diary.join(', ')}`)
  }
}

function asked<Request extends { readonly signal?: AbortSignal }, Answer>(
  request: Request,
  line: Asked<Request, Answer>[],
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  line.push({ request, answer: resolve, fail: reject })
  request.signal?.addEventListener('abort', () => reject(kubeError('unreachable')))
  return promise
}

function wireOf(signal: AbortSignal): { wire: Wire; lines: AsyncIterable<string> } {
  const sent: (() => IteratorResult<string>)[] = []
  let wake = () => {}
  const say = (what: () => IteratorResult<string>) => {
    sent.push(what)
    wake()
  }
  const breakWith = (error: Error) =>
    say(() => {
      throw error
    })
  signal.addEventListener('abort', () => breakWith(new Error('cut', { cause: signal.reason })))
  const next = async (): Promise<IteratorResult<string>> => {
    while (sent.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    return sent.shift()?.() ?? { done: true, value: undefined }
  }
  const wire: Wire = {
    send: (...lines) => {
      for (const line of lines)
        say(() => ({ done: false, value: typeof line === 'string' ? line : JSON.stringify(line) }))
    },
    end: () => say(() => ({ done: true, value: undefined })),
    break: breakWith,
    get isCut() {
      return signal.aborted
    },
  }
  return { wire, lines: { [Symbol.asyncIterator]: () => ({ next }) } }
}

export const kubeError = (kind: KubeErrorKind, more: { readonly retryAfterMs?: number } = {}): KubeError =>
  new KubeError({ kind, message: kind, ...more })

interface Cart {
  readonly name?: string
  readonly uid?: string
  readonly version: number
  readonly more?: object
}

/** A Deployment `shop/cart`, or of another name. */
export const cart = ({ name = 'cart', uid = 'u1', version, more = {} }: Cart) => ({
  metadata: { namespace: 'shop', name, uid, resourceVersion: `${version}`, ...more },
})

export const deploymentList = (version: number, items: readonly object[], more: object = {}) => ({
  kind: 'DeploymentList',
  metadata: { resourceVersion: `${version}`, ...more },
  items,
})

export const added = (object: object) => ({ type: 'ADDED', object })
export const modified = (object: object) => ({ type: 'MODIFIED', object })
export const deleted = (object: object) => ({ type: 'DELETED', object })
export const bookmark = (version: number) => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: `${version}` } },
})
export const errorEvent = (code: number, more: object = {}) => ({
  type: 'ERROR',
  object: { kind: 'Status', code, ...more },
})
