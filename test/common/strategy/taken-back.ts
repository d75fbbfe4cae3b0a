import type { JsonObject } from '../../../common/json/json.ts'
import { NO_SHAPE, type Shape, unionsOf } from '../../../common/override/shape.ts'
import { differencesOf } from '../../../common/strategy/recorded-changes.ts'
import { takenBack } from '../../../common/strategy/take-back.ts'
import { POD } from '../../builders.ts'

/** The shape of a pod, with the unions of a probe and of a variable. */
export const SHAPE: Shape = {
  ...POD,
  member: (key) => {
    if (key === 'limits') return { ...NO_SHAPE, form: 'map' }
    const shape = POD.member(key)
    const unions = key === 'readinessProbe' ? unionsOf(['exec', 'httpGet', 'tcpSocket']) : []
    const items = () => ({ ...SHAPE, unions: key === 'env' ? unionsOf(['value', 'valueFrom']) : [] })
    return { ...SHAPE, keys: shape.keys, items, unions }
  },
}

export const podWith = (...containers: readonly JsonObject[]): JsonObject => ({ template: { spec: { containers } } })
export const CART: JsonObject = { name: 'cart', image: 'cart:1' }
export const cart = (of: JsonObject): JsonObject => podWith({ ...CART, ...of })

export interface Story {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly now: JsonObject
}

/** What becomes of `now`, when the change from `before` to `after` is taken back. */
export const undone = ({ before, after, now }: Story) => {
  const { after: spec, ...others } = takenBack(differencesOf({ before, after }, SHAPE), { spec: now, shape: SHAPE })
  return { spec, ...others }
}
