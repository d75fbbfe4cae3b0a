import { type Figure, type Goal, limitFigure, plainFigure, ratioFigure } from './figure.ts'
import type { Result } from './webhook-race.ts'

/** pepr on one Node. */
export interface Peer extends Result {
  /** `v20.20.2` */
  readonly node: string
}

const MB = 1_000_000
const LIMIT_MB = 130

/** What is compared: a name for the table, the member of a result, and how many of it are one `unit`. */
interface Compared {
  readonly name: string
  readonly of: keyof Result
  readonly unit: string
  readonly per?: number
}

/** The one of `peers` that is best where `goal` holds for us: with the least value, or with the greatest. */
function bestOf(peers: readonly Peer[], of: keyof Result, goal: Goal): Peer {
  const ascending = peers.toSorted((a, b) => a[of] - b[of])
  const best = ascending.at('atMost' in goal ? 0 : -1)
  if (!best) throw new Error('pepr has no result')
  return best
}

/**
 * Our webhook beside pepr, in each figure beside the Node on which pepr is best in just that. Tells which one it is.
 */
export function webhookFigures(we: Result, peers: readonly Peer[], tell: (line: string) => void): readonly Figure[] {
  const beside = ({ name, of, unit, per = 1 }: Compared, goal: Goal): Figure => {
    const best = bestOf(peers, of, goal)
    const [value, against] = [we[of] / per, best[of] / per]
    tell(`${name}: pepr is best on Node ${best.node}, with ${against.toFixed(2)} ${unit}; ours ${value.toFixed(2)}`)
    return ratioFigure({ name, value, unit, against, ...goal })
  }
  const memory = beside({ name: 'webhook memory', of: 'residentBytes', unit: 'MB', per: MB }, { atMost: 1 })
  return [
    beside({ name: 'webhook throughput', of: 'pairsPerSecond', unit: 'pairs/s' }, { atLeast: 1 }),
    beside({ name: 'webhook CPU a pair', of: 'cpuMsPerPair', unit: 'ms' }, { atMost: 1 }),
    limitFigure({ ...memory, atMost: LIMIT_MB }),
    plainFigure(beside({ name: 'webhook p99', of: 'p99Ms', unit: 'ms' }, { atMost: 1 })),
  ]
}
