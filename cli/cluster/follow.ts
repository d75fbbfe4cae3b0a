import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { BadLine } from '../../common/kube/client/body.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError, LoginFailed } from '../../common/kube/client/errors.ts'
import type { Arrival, Intake } from '../../common/kube/watch/intake.ts'
import { listAll, type View, watchFrom } from '../../common/kube/watch/view.ts'
import { watchEvent } from '../../common/kube/watch/watch-event.ts'
import { pause, type Timers } from '../../common/program/clock.ts'

/** Which experiments. */
export interface Where {
  /** absent: all namespaces */
  readonly namespace?: string
  readonly labelSelector?: string
  /** only the one with this name */
  readonly name?: string
}

/** The experiments of a list, in no order, by uid. */
export type Experiments = ReadonlyMap<string, KubeObject>

const INTAKE: Intake<KubeObject> = {
  resource: EXPERIMENT_DEPLOYMENT,
  managedFields: 'none',
  project: (object) => object,
}

const viewOn = ({ name, ...where }: Where): View & Intake<KubeObject> => ({
  ...INTAKE,
  ...where,
  ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
})

/** All experiments there. @throws KubeError */
export const listExperiments = async (client: KubeClient, where: Where, signal: AbortSignal): Promise<Experiments> =>
  byUid((await listAll(client, viewOn(where), signal)).arrivals)

const byUid = (arrivals: readonly Arrival<KubeObject>[]): Experiments =>
  new Map(arrivals.flatMap(({ uid, value }) => (value === undefined ? [] : [[uid, value]])))

/** A watch ends by itself after so many seconds, and is opened again. */
const WATCH_SECONDS = 300
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 10_000

interface Following {
  readonly timers: Timers
  readonly signal: AbortSignal
}

/**
 * All experiments there at first, then again after each change, until `signal` aborts. One list and one watch; a
 * connection that breaks is opened again, and a version that is not kept any more is listed again.
 * @throws KubeError at once for what no other try mends: the first list that fails, a right that is missing, a login
 * that has ended
 */
export async function* followExperiments(client: KubeClient, where: Where, { timers, signal }: Following) {
  const view = viewOn(where)
  const ending = new AbortController()
  const until = AbortSignal.any([signal, ending.signal])
  try {
    let { version, arrivals } = await listAll(client, view, until)
    let experiments = byUid(arrivals)
    let retryMs = FIRST_RETRY_MS
    yield experiments
    while (!until.aborted) {
      try {
        const from = { version: version ?? '0', timeoutSeconds: WATCH_SECONDS, signal: until }
        for await (const line of await watchFrom(client, view, from)) {
          const event = watchEvent(line, view)
          if (event.is === 'error') throw event.error
          retryMs = FIRST_RETRY_MS
          version = event.version
          if (event.is === 'bookmark') continue
          experiments = changed(experiments, event.arrival, event.is === 'deleted')
          yield experiments
        }
      } catch (error) {
        if (until.aborted) return
        if (isFinal(error)) throw error
        await pause(timers, retryMs, until)
        retryMs = Math.min(LAST_RETRY_MS, 2 * retryMs)
        if (!mustList(error)) continue
        const again = await listAll(client, view, until).catch((failure: unknown) => {
          if (isFinal(failure) && !until.aborted) throw failure
        })
        if (again === undefined) continue
        version = again.version
        experiments = byUid(again.arrivals)
        yield experiments
      }
    }
  } finally {
    ending.abort()
  }
}

function changed(before: Experiments, { uid, value }: Arrival<KubeObject>, isDeleted: boolean): Experiments {
  const after = new Map(before)
  if (isDeleted || value === undefined) after.delete(uid)
  else after.set(uid, value)
  return after
}

const FINAL: readonly KubeError['kind'][] = ['forbidden', 'kindAbsent', 'invalid', 'terminating']

/** Whether no other try can succeed, or each would ask people to log in once more. */
const isFinal = (error: unknown): boolean =>
  error instanceof KubeError &&
  (FINAL.includes(error.kind) || error.status === UNAUTHORIZED || error.cause instanceof LoginFailed)

/** The credentials were read again, and refused again. */
const UNAUTHORIZED = 401

const mustList = (error: unknown): boolean =>
  error instanceof BadLine || (error instanceof KubeError && error.kind === 'gone')
