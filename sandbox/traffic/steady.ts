import { setTimeout as pause } from 'node:timers/promises'
import { EXPERIMENT_DEPLOYMENT, SERVICE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { ApiError } from '../api.ts'
import type { ControlPlane } from '../control-plane.ts'
import { SYSTEM_NAMESPACE } from '../installation.ts'
import type { ServiceName, Traffic } from './traffic.ts'

/** The annotation of a Service with the number of requests that it gets in a second. */
export const RATE = 'sandbox.experiment-controller.example.com/requests'
/** How many requests a Service without the annotation gets in a second. */
export const USUAL_RATE = 50
/** The most that it may say. A client has ports for 400 a second, because each is free again after a minute. */
export const HIGHEST_RATE = 200

/** The paths that are asked, one in each second. The examples of the guides name both. */
const PATHS = ['/', '/checkout']
const SECOND_MS = 1_000

/** A Service that gets requests, or why it gets none although it should. */
export interface Asked extends ServiceName {
  readonly rate: number
  readonly mistake?: string
}

/**
 * Which Services get requests that nobody sends by hand: those that choose pods and have an address, but not the
 * previews of blue-greens, because users do not know them.
 */
export function askedServices(services: readonly KubeObject[], experiments: readonly KubeObject[]): readonly Asked[] {
  const previews = new Set(experiments.map(previewOf))
  return services.flatMap((service) => {
    const { namespace = '', name, annotations } = service.metadata
    const [address, selector] = [at(service.spec, 'clusterIP'), at(service.spec, 'selector')]
    const hasAddress = typeof address === 'string' && address !== '' && address !== 'None'
    if (!hasAddress || selector === undefined || namespace === SYSTEM_NAMESPACE) return []
    const wanted = annotations?.[RATE]
    if (wanted === undefined && previews.has(`${namespace}/${name}`)) return []
    const rate = wanted === undefined ? USUAL_RATE : /^\d+$/.test(wanted) ? Number(wanted) : Number.NaN
    if (rate <= HIGHEST_RATE) return rate === 0 ? [] : [{ namespace, service: name, rate }]
    const mistake = `the annotation ${RATE} must be a number from 0 to ${HIGHEST_RATE}, found "${wanted}"`
    return [{ namespace, service: name, rate: 0, mistake }]
  })
}

function previewOf({ metadata, spec }: KubeObject): string {
  const namespace = at(spec, 'sourceRef', 'namespace') ?? metadata.namespace
  return `${namespace}/${at(spec, 'strategy', 'blueGreen', 'previewService')}`
}

interface SteadyOptions {
  readonly plane: ControlPlane
  readonly traffic: Traffic
  /** Prints why a Service gets no requests, once. */
  readonly say: (line: string) => void
}

/** Sends requests to all Services that should have them, until `signal` is aborted. Never rejects. */
export async function steadyRequests({ plane, traffic, say }: SteadyOptions, signal: AbortSignal): Promise<void> {
  const said = new Set<string>()
  const sayOnce = (line: string): void => {
    if (!said.has(line) && !signal.aborted) say(line)
    said.add(line)
  }
  const busy = new Set<string>()

  async function ask({ rate, mistake, ...asked }: Asked, path: string): Promise<void> {
    const name = `service/${asked.service} in ${asked.namespace}`
    if (mistake !== undefined) return sayOnce(`${name} gets no requests: ${mistake}`)
    if (busy.has(name)) return // the last ones take longer than a second
    busy.add(name)
    await traffic.requests(rate, asked, path).catch((error: unknown) => {
      const isGone = error instanceof ApiError && error.status === 404
      if (!isGone) sayOnce(`requests to ${name} failed: ${error}`)
    })
    busy.delete(name)
  }

  for (let second = 0; !signal.aborted; second++) {
    const path = PATHS[second % PATHS.length] ?? '/'
    const next = pause(SECOND_MS, undefined, { signal }).catch(() => undefined)
    try {
      const [services, experiments] = await Promise.all([
        plane.api.list<KubeObject>(resourcePath(SERVICE)),
        plane.api.list<KubeObject>(resourcePath(EXPERIMENT_DEPLOYMENT)).catch(withoutProduct),
      ])
      for (const asked of askedServices(services, experiments)) void ask(asked, path)
    } catch (error) {
      sayOnce(`the Services could not be read: ${error}`)
    }
    await next
  }
}

function withoutProduct(error: unknown): readonly KubeObject[] {
  if (error instanceof ApiError && error.status === 404) return []
  throw error
}
