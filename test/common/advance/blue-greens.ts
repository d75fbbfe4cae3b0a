/** Runs of a blue-green in memory. */
import type { KubeObject } from '../../../common/api/object.ts'
import type { BlueGreenStrategy } from '../../../common/api/strategy.ts'
import type { Write } from '../../../common/conclusion/write.ts'
import { objectOr } from '../../../common/json/json.ts'
import { FORK } from '../../builders.ts'
import { aService, pinOf } from '../plan/simulated-services.ts'
import { aRun, aRunExperiment, type RunOf, type RunWorld } from '../plan/some-run.ts'

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
