import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at, listOr } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { aligned } from '../aligned.ts'
import { imageOverride } from '../builders.ts'
import { explainedIfFailed } from '../explained.ts'
import { aRollout } from '../integration/argo.ts'
import { aSource, DEADLINE_MS, forkOf, hasEndpoints } from '../integration/product.ts'
import { usesAllKinds } from './gated-forks.ts'

const SIZES = [1, 3, 4, 10]
const WEIGHTS = [5, 10, 20, 33, 50]
const PAUSE_SECONDS = 3
type Step = { setWeight: number } | { pause: { duration: number } }
const STEPS = WEIGHTS.flatMap((setWeight): Step[] => [{ setWeight }, { pause: { duration: PAUSE_SECONDS } }])
/** At each of these indices of `STEPS` is a pause. */
const PAUSES = WEIGHTS.map((_, index) => 2 * index + 1)

/** One pause, as it was seen from outside. */
interface SeenPause {
  readonly step: number
  /** the wall time when it began, when it was seen last, and when it was first seen to be over */
  readonly fromMs: number
  readonly untilMs: number
  readonly overMs: number
  /** the ready endpoints of the Service when it was seen last */
  readonly newPods: number
  readonly oldPods: number
}

/** A canary at one moment. */
interface Sight {
  /** the index of the step at which it is paused; undefined while it is not */
  readonly pausedAt: number | undefined
  /** Argo counts a pause from a time in whole seconds */
  readonly pausedSince?: string | undefined
  /** whether it has left its last pause */
  readonly isDone: boolean
  /** how the names of the pods of the new version begin */
  readonly newPods: string
}

type RolloutStatus = {
  readonly currentStepIndex?: number
  readonly currentPodHash?: string
  readonly pauseConditions?: readonly { readonly startTime: string }[]
}

function sightOfArgo({ metadata: { name }, ...rollout }: KubeObject): Sight {
  const { currentStepIndex: step = 0, currentPodHash, pauseConditions = [] } = rollout.status as RolloutStatus
  return {
    pausedAt: pauseConditions.length > 0 ? step : undefined,
    pausedSince: pauseConditions[0]?.startTime,
    isDone: step >= STEPS.length,
    newPods: `${name}-${currentPodHash}-`,
  }
}

function sightOfOurs(experiment: ExperimentDeployment): Sight {
  const { strategy, experimentResourceRef } = experiment.status ?? {}
  const step = strategy?.stepIndex ?? 0
  return {
    pausedAt: strategy?.phase === 'Paused' && step < STEPS.length ? step : undefined,
    pausedSince: strategy?.since,
    isDone: step >= STEPS.length,
    newPods: experimentResourceRef ? `${forkOf(experiment)}-` : 'none yet',
  }
}

/** What was seen in one look, which began at `sinceMs`. */
interface Look {
  readonly sinceMs: number
  readonly sight: Sight
  /** the ready pods of its Service */
  readonly ready: readonly string[]
}

/** `pauses` with what is seen now. */
function withLook(pauses: readonly SeenPause[], { sinceMs, sight, ready }: Look): readonly SeenPause[] {
  const { pausedAt, pausedSince = '', newPods } = sight
  const last = pauses.at(-1)
  const isSame = last !== undefined && last.step === pausedAt
  const others = isSame
    ? pauses.slice(0, -1)
    : pauses.map((pause) => ({ ...pause, overMs: Math.min(pause.overMs, Date.now()) }))
  if (pausedAt === undefined) return others
  const count = ready.filter((pod) => pod.startsWith(newPods)).length
  const seen: SeenPause = {
    step: pausedAt,
    fromMs: isSame ? last.fromMs : Date.parse(pausedSince),
    untilMs: sinceMs,
    overMs: Number.POSITIVE_INFINITY,
    newPods: count,
    oldPods: ready.length - count,
  }
  return [...others, seen]
}

/** The least and the most milliseconds that a pause took. Its end was between two looks. */
const lengthOf = ({ fromMs, untilMs, overMs }: SeenPause) => ({ leastMs: untilMs - fromMs, mostMs: overMs - fromMs })

describe('a canary and the same canary of Argo Rollouts, on the real control plane', () => {
  const place = usesAllKinds(WITH_PROMOTION)
  const argoOf = (size: number): string => `argo-${size}`
  const oursOf = (size: number): string => `ours-${size}`
  const traces = new Map<string, readonly SeenPause[]>()
  const pausesOf = (name: string): readonly SeenPause[] => traces.get(name) ?? []

  /** The names of the ready pods of each Service. */
  async function readyPods(): Promise<(service: string) => readonly string[]> {
    const slices = await place().api.list(resourcePath(RESOURCES.EndpointSlice, { namespace: place().namespace }))
    return (service) =>
      slices
        .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service)
        .flatMap((slice) => listOr(slice.endpoints))
        .filter((endpoint) => at(endpoint, 'conditions', 'ready') === true)
        .map((endpoint) => String(at(endpoint, 'targetRef', 'name')))
  }

  /** Looks at all canaries, once. Returns whether all are done. */
  async function look(): Promise<boolean> {
    const sinceMs = Date.now()
    const ready = await readyPods() // first, so that they are not newer than the pause that they are counted for
    const [rollouts, experiments] = await Promise.all([
      place().api.list(place().path('rollouts')),
      place().api.list<ExperimentDeployment>(place().path('experiments')),
    ])
    const sights = [
      ...rollouts.map((each) => [each.metadata.name, sightOfArgo(each)] as const),
      ...experiments.map((each) => [each.metadata.name, sightOfOurs(each)] as const),
    ]
    for (const [name, sight] of sights)
      traces.set(name, withLook(pausesOf(name), { sinceMs, sight, ready: ready(name) }))
    return sights.length === 2 * SIZES.length && sights.every(([, { isDone }]) => isDone)
  }

  before('all canaries have passed all their steps', async function () {
    this.timeout(4 * DEADLINE_MS)
    const { api, path, experiment } = place()
    const canary = { steps: STEPS }
    await Promise.all(
      SIZES.map(async (size) => {
        const [argo, ours] = [argoOf(size), oursOf(size)]
        const service = { metadata: { name: argo }, spec: { selector: { app: argo }, ports: [{ port: 80 }] } }
        await api.create(path('services'), service)
        await aRollout(place(), argo, { replicas: size, strategy: { canary } })
        await aSource(place(), ours, { replicas: size })
        await Promise.all([argo, ours].map((name) => hasEndpoints(place(), name, size)))
      }),
    )
    const image = 'registry.example/cart:2'
    const jsonPatch = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image }]
    await Promise.all(
      SIZES.flatMap((size) => [
        api.patch(path('rollouts', argoOf(size)), jsonPatch, 'json'),
        experiment(oursOf(size), { source: oursOf(size), overrideSpec: imageOverride(image), strategy: { canary } }),
      ]),
    )
    await eventually('all canaries to be at their last step', 3 * DEADLINE_MS, async () => {
      if (!(await look())) throw new Error(JSON.stringify([...traces]))
    })
  })

  explainedIfFailed(() => {
    const pods = ({ newPods, oldPods }: SeenPause) => `${newPods}+${oldPods}`
    const seconds = (pause: SeenPause) => `${((pause.untilMs - pause.fromMs) / 1_000).toFixed(1)} s`
    const rows = SIZES.flatMap((size) =>
      WEIGHTS.map((weight, index) => {
        const cells = [argoOf(size), oursOf(size)].flatMap((name) => {
          const pause = pausesOf(name)[index]
          return pause ? [pods(pause), share(pause), seconds(pause)] : ['', '', '']
        })
        return [`${size}`, `${weight}%`, ...cells]
      }),
    )
    const head = ['source', 'weight', 'Argo new+old', 'share', 'pause', 'ours new+old', 'share', 'pause']
    return ['', ...aligned([head, ...rows])].join('\n')
  })

  const share = ({ newPods, oldPods }: SeenPause): string => `${Math.round((100 * newPods) / (newPods + oldPods))}%`

  for (const size of SIZES) {
    it(`${size} pods: both pause after each weight, in the same order`, () => {
      for (const name of [argoOf(size), oursOf(size)])
        expect(
          pausesOf(name).map(({ step }) => step),
          name,
        ).to.deep.equal(PAUSES)
    })

    WEIGHTS.forEach((weight, index) => {
      it(`${size} pods, ${weight}%: the share of the new version is within one pod of Argo's`, () => {
        const [argo, ours] = [pausesOf(argoOf(size))[index], pausesOf(oursOf(size))[index]]
        if (!argo || !ours) throw new Error('there was no pause')
        const total = ours.newPods + ours.oldPods
        const asArgo = (total * argo.newPods) / (argo.newPods + argo.oldPods)
        expect(ours.newPods).to.be.closeTo(asArgo, 1)
        expect(ours.newPods).to.be.at.least(1)
        expect(ours.oldPods, 'the source keeps its pods').to.equal(size)
      })

      it(`${size} pods, ${weight}%: the pause is as long as Argo's, within a second`, () => {
        const [argo, ours] = [pausesOf(argoOf(size))[index], pausesOf(oursOf(size))[index]]
        if (!argo || !ours) throw new Error('there was no pause')
        const [theirs, own] = [lengthOf(argo), lengthOf(ours)]
        expect(own.leastMs, 'longer than that of Argo').to.be.at.most(theirs.mostMs + 1_000)
        expect(own.mostMs, 'shorter than that of Argo').to.be.at.least(theirs.leastMs - 1_000)
      })
    })
  }
})
