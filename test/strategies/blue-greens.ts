/** Blue-greens of tests, and the Services that they switch. */
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { BlueGreenStrategy } from '../../common/api/strategy.ts'
import { at, objectOr } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { DEADLINE_MS, type Place } from '../integration/product.ts'
import type { Kind } from './gated-forks.ts'

export const IMAGE = 'registry.example/cart:2'
export const previewOf = (name: string) => `${name}-preview`

/** Functions for the blue-greens in a place. */
export function blueGreensIn(place: () => Place) {
  const blueGreen = (name: string, kind: Kind, of: Partial<BlueGreenStrategy> = {}, others: object = {}) =>
    place().experiment(name, {
      source: name,
      kind,
      overrideSpec: imageOverride(IMAGE),
      strategy: {
        blueGreen: {
          activeService: name,
          previewService: previewOf(name),
          previewReplicaCount: 1,
          scaleDownDelaySeconds: 3600,
          abortScaleDownDelaySeconds: 1,
          ...of,
        },
      },
      ...others,
    })

  const service = (name: string): Promise<KubeObject> => place().api.get(place().path('services', name))
  const selectorOf = async (name: string) => objectOr(at((await service(name)).spec, 'selector'))
  const isPinned = async (name: string, id: string) => (await selectorOf(name))[EXPERIMENT_ID] === id
  const comesBack = (name: string) =>
    eventually(`service ${name} to send to its source`, DEADLINE_MS, async () => {
      const selector = await selectorOf(name)
      if (EXPERIMENT_ID in selector) throw new Error(JSON.stringify(selector))
    })

  const refusalOf = (request: Promise<unknown>): Promise<string> =>
    request.then(
      () => 'it was accepted',
      (error: unknown) => String(error),
    )

  return { blueGreen, service, selectorOf, isPinned, comesBack, refusalOf }
}
