/** A generator of random choices that can be repeated from its seed. */
export interface Dice {
  /** a whole number below `limit` */
  readonly below: (limit: number) => number
  /** true in `percent` of all throws */
  readonly percent: (percent: number) => boolean
  /** one of `items` */
  readonly pick: <T>(items: readonly T[]) => T
}

/** The same `seed` always gives the same choices. The algorithm is mulberry32. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(random() * limit)
  return {
    below,
    percent: (percent) => below(100) < percent,
    pick: (items) => {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to choose from')
      return item
    },
  }
}
