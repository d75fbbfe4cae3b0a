/** Runs of a blue-green in memory. */
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { BlueGreenStrategy } from '../../../common/api/strategy.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import type { Write } from '../../../common/writes/write.ts'
import { FORK } from '../../builders.ts'
import { aService, pinOf } from '../plan/simulated-services.ts'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld } from '../plan/some-run.ts'

export const ID = FORK.slice(-10)
export const PREVIEWED: Partial<BlueGreenStrategy> = { previewService: 'cart-preview', previewReplicaCount: 2 }

/** 10 pods of the source behind `cart`, and a preview. */
export const aBlueGreen = (of: Partial<BlueGreenStrategy> = PREVIEWED, others: RunOf = {}) =>
  aRun(aRunExperiment({ strategy: { blueGreen: { activeService: 'cart', ...of } }, ...others }), {
    services: { active: aService('cart'), preview: aService('cart-preview') },
  })

export const pinsOf = ({ world: { services } }: RunWorld) => [pinOf(services?.active), pinOf(services?.preview)]
export const previewSpec = ({ world }: RunWorld) => objectOr(world.services?.preview?.spec)

/** `apply fork`, `apply pod`, `patch service cart`. */
export const told = (writes: readonly Write[]) =>
  writes.map((write) => {
    const name = write.role === 'service' && write.verb === 'patch' ? ` ${write.of.metadata.name}` : ''
    return `${write.verb} ${write.role}${name}`
  })
export const once = (lines: readonly string[]) => lines.filter((line, index) => line !== lines[index - 1])

export const withAvailable = (source: KubeObject | undefined, availableReplicas: number) =>
  source && { ...source, status: { ...objectOr(source.status), availableReplicas } }

/** A run whose active Service sends to the fork. */
export function aCutOver(of?: Partial<BlueGreenStrategy>, others?: RunOf): RunWorld {
  const run = aBlueGreen(of, others)
  run.rest()
  run.say('resume')
  run.rest()
  return run
}

/** What keeps each Service from being limited to the fork, by the reason that is told. */
export const OBSTACLES: Readonly<Record<string, (service: KubeObject) => KubeObject | undefined>> = {
  ServiceNotFound: () => undefined,
  ServiceIsTaken: (service) => withSpec(service, { selector: { app: 'cart', [EXPERIMENT_ID]: '0123456789' } }),
  ServiceDoesNotMatch: (service) => withSpec(service, { selector: { app: 'cart', leader: 'yes' } }),
  ServiceIsManaged: ({ metadata, ...service }) => ({
    ...service,
    metadata: { ...metadata, annotations: { 'argo-rollouts.argoproj.io/managed-by-rollouts': 'cart' } },
  }),
  PortMissing: (service) => withSpec(service, { ports: [{ port: 80, targetPort: 'http' }] }),
}

const withSpec = (service: KubeObject, spec: JsonObject): KubeObject => ({
  ...service,
  spec: { ...objectOr(service.spec), ...spec },
})

/** A blue-green whose override drops the port `http` of the source, which only the obstacle `PortMissing` minds. */
export function aPortlessBlueGreen(of: Partial<BlueGreenStrategy> = PREVIEWED, others: RunOf = {}): RunWorld {
  const run = aBlueGreen(of, others)
  const source = aSource()
  const containers = [{ name: 'cart', image: 'example/cart:1', ports: [{ name: 'http', containerPort: 8080 }] }]
  const template = { metadata: { labels: { app: 'cart' } }, spec: { containers } }
  run.world.source = { ...source, spec: { ...(source.spec as JsonObject), template } }
  return run
}

/** Another client changes one of the Services, or creates it again. */
export function change(
  { world }: RunWorld,
  which: 'active' | 'preview',
  to: (service: KubeObject) => KubeObject | undefined,
): void {
  const name = which === 'active' ? 'cart' : 'cart-preview'
  world.services = { ...world.services, [which]: to(world.services?.[which] ?? aService(name)) }
}

/** As it was created: neither the label of a fork, nor an obstacle. */
export const asCreated = ({ metadata: { name } }: KubeObject): KubeObject => aService(name)

/** Makes the containers of all but `ready` pods of the fork fail. */
export function failBut(run: RunWorld, ready: number): void {
  run.world.pods = run.world.pods.map((pod, index) => ({
    ...pod,
    hasReadyContainers: index < ready,
    isReady: index < ready,
  }))
}

/** Whether the run is on its way back. */
export const isReturned = (run: RunWorld): boolean => run.strategy()?.path === 'Abort'
