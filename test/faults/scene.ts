/** Stories about faults, each in namespaces and with a controller of its own. */
import type { Place } from '../integration/product.ts'
import { aShop } from './proxied.ts'
import { type Freeze, freeze, type Rule } from './rules.ts'
import { startScoped } from './scoped.ts'

/** A namespace with a source, and the faults of the only controller that sees it. */
export interface Scene {
  readonly place: Place
  /** of the forks, with a source: the same namespace, or another one */
  readonly shop: Place
  readonly faults: Faults
}

/** The faults of one controller. */
interface Faults {
  readonly add: (rule: Rule) => void
  /** Until it is released, which ends all faults. */
  readonly freeze: (...of: Parameters<typeof freeze>) => Freeze
  readonly end: () => void
  readonly restart: () => Promise<void>
}

interface Setting {
  /** the source is in another namespace; default: false */
  readonly isApart?: boolean
  /** variables of the controller; default: none */
  readonly env?: Readonly<Record<string, string>>
}

/** Plays a story with a controller of its own. */
export async function inScene(
  story: (scene: Scene) => Promise<void>,
  { isApart = false, env }: Setting = {},
): Promise<void> {
  const place = await aShop()
  const shop = isApart ? await aShop() : place
  const { rules, restart, stop } = await startScoped({ own: place.namespace, forks: shop.namespace }, env)
  const ends: (() => void)[] = []
  const frozen: Freeze[] = []
  const end = () => {
    for (const each of ends.splice(0)) each()
  }
  const freezeUntilReleased: Faults['freeze'] = (...of) => {
    const frost = freeze(...of)
    ends.push(rules.add(frost.rule))
    frozen.push(frost)
    const release = () => {
      end()
      frost.release()
    }
    return { ...frost, release }
  }
  const add = (rule: Rule) => void ends.push(rules.add(rule))
  try {
    await story({ place, shop, faults: { add, freeze: freezeUntilReleased, end, restart } })
  } finally {
    end()
    for (const { release } of frozen) release()
    await stop()
  }
}
