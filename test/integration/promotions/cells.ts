/** The table of promotions: of which source, by which override and word, and from where they are undone. */
import type { Amount } from '../../../common/api/amount.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import type { JsonObject } from '../../../common/json/json.ts'

/** The pods of every source. */
export const REPLICAS = 4

interface Source {
  readonly kind: 'Deployment' | 'StatefulSet' | 'Rollout'
  readonly resource: 'deployments' | 'statefulSets' | 'rollouts'
  /** beside replicas, selector and template */
  readonly spec: JsonObject
  /** how many of its pods its own rollout takes down at once */
  readonly takesDown: number
}

const deploymentBy = (maxUnavailable: string, takesDown: number): Source => ({
  kind: 'Deployment',
  resource: 'deployments',
  spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } } },
  takesDown,
})

const rolloutBy = (strategy: JsonObject, takesDown: number): Source => ({
  kind: 'Rollout',
  resource: 'rollouts',
  spec: { strategy },
  takesDown,
})

/** The Service to which Argo sends the requests of a blue-green Rollout. */
export const ACTIVE = 'active'

export const SOURCES = {
  'a Deployment by 25%': deploymentBy('25%', 1),
  'a Deployment by 50%': deploymentBy('50%', 2),
  'a Deployment by Recreate': {
    kind: 'Deployment',
    resource: 'deployments',
    spec: { strategy: { type: 'Recreate' } },
    takesDown: REPLICAS,
  },
  'a StatefulSet': { kind: 'StatefulSet', resource: 'statefulSets', spec: { serviceName: 'cart' }, takesDown: 1 },
  'a canary of Argo': rolloutBy({ canary: { steps: [{ setWeight: 50 }, { pause: { duration: 1 } }] } }, 1),
  'a canary of Argo by 50%': rolloutBy({ canary: { maxUnavailable: '50%', maxSurge: 0 } }, 2),
  // its old pods are kept for a second only, so that they do not hide a gap
  'a blue-green of Argo': rolloutBy({ blueGreen: { activeService: ACTIVE, scaleDownDelaySeconds: 1 } }, 0),
} satisfies Record<string, Source>

/** What begins the promotion: the command, the end of the steps, or the approval of the revision in the spec. */
export const WORDS = ['the command', 'Automatic', 'approvedRevision'] as const

/** From where a promotion is undone: while the fork is kept, or when it is gone. */
export const UNDONE = ['in the drain', 'after the end'] as const

/** One promotion. */
export interface Cell {
  readonly source: keyof typeof SOURCES
  readonly overrideType: OverrideType
  readonly by: (typeof WORDS)[number]
  /** absent: it stays */
  readonly undone?: (typeof UNDONE)[number]
  /** of the canary */
  readonly maxUnavailable?: Amount
  /** of `REPLICAS`, as a number */
  readonly mayCost?: number
  /** what the override also changes: how the source itself replaces its pods */
  readonly replacing?: JsonObject
}

/** The title of its test. */
export const titleOf = ({ source, overrideType, by, undone, maxUnavailable, replacing }: Cell): string =>
  [
    `${source}, ${overrideType}, by ${by}`,
    ...(maxUnavailable === undefined ? [] : [`with maxUnavailable ${maxUnavailable}`]),
    ...(replacing === undefined ? [] : [`with ${JSON.stringify(replacing)}`]),
    undone === undefined ? 'not undone' : `undone ${undone}`,
  ].join(', ')

/** Each source, override type, word and way back at least once. */
export const FEW: readonly Cell[] = [
  { source: 'a Deployment by 25%', overrideType: 'Strategic', by: 'the command', undone: 'after the end' },
  { source: 'a Deployment by 50%', overrideType: 'Merge', by: 'Automatic', undone: 'in the drain' },
  { source: 'a Deployment by Recreate', overrideType: 'Strategic', by: 'approvedRevision', undone: 'in the drain' },
  { source: 'a StatefulSet', overrideType: 'Merge', by: 'the command', undone: 'in the drain' },
  { source: 'a canary of Argo', overrideType: 'Strategic', by: 'Automatic', undone: 'after the end' },
  { source: 'a blue-green of Argo', overrideType: 'Merge', by: 'approvedRevision', undone: 'in the drain' },
]

/** Promotions that may cost pods. The last amount is rounded down to none. */
const COSTLY: readonly Cell[] = (
  [
    ['a Deployment by Recreate', 1, 1],
    ['a Deployment by Recreate', '50%', 2],
    ['a Deployment by 50%', '25%', 1],
    ['a StatefulSet', '24%', 0],
  ] as const
).map(([source, maxUnavailable, mayCost]) => ({
  source,
  overrideType: 'Strategic',
  by: 'the command',
  maxUnavailable,
  mayCost,
}))

/** Promotions of another size, which need not be seen with every override and word. */
const SIZED: readonly Cell[] = UNDONE.map((undone) => ({
  source: 'a canary of Argo by 50%',
  overrideType: 'Strategic',
  by: 'the command',
  undone,
}))

/** Promotions that also change how many pods the source takes down at once. */
const REPLACING: readonly Cell[] = [
  {
    source: 'a Deployment by 25%',
    overrideType: 'Strategic',
    by: 'the command',
    undone: 'in the drain',
    replacing: { strategy: { type: 'Recreate' } },
  },
  {
    source: 'a Deployment by Recreate',
    overrideType: 'Strategic',
    by: 'the command',
    undone: 'in the drain',
    replacing: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
  },
]

/** The whole table. */
export const ALL: readonly Cell[] = [
  ...[...new Set(FEW.map(({ source }) => source))].flatMap((source) =>
    (['Merge', 'Strategic'] as const).flatMap((overrideType) =>
      WORDS.flatMap((by) => UNDONE.map((undone): Cell => ({ source, overrideType, by, undone }))),
    ),
  ),
  ...SIZED,
  ...COSTLY,
  ...REPLACING,
]
