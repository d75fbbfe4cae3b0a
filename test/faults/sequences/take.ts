/** What each operation of a plan does. */
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { at, isObject, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { type Dice, diceOf } from '../../fuzz/admission/dice.ts'
import { mistaken } from '../../fuzz/admission/mistakes.ts'
import { anOverride } from '../../fuzz/admission/overrides.ts'
import { anEdit, aSourceEdit, NEVER, OWN_CLAIMS, type Subject } from './edits.ts'
import type { Spec } from './experiment.ts'
import { type Ground, Sequence } from './sequence.ts'
import type { Plan, Step } from './steps.ts'
import { TAMPERINGS } from './tampering.ts'

/** What the CRD refuses, of the fields of an experiment. */
const MALFORMED: readonly object[] = [
  { replicas: -1 },
  { replicas: 1.5 },
  { replicas: 'two' },
  { overrideType: 'Json' },
  { overrideSpec: null },
  { overrideSpec: 'x' },
  { onSourceChange: 'Maybe' },
  { ttlSeconds: 0 },
  { sourceRef: { name: 'other' } },
  { sourceRef: { kind: 'DaemonSet' } },
  { sourceRef: { namespace: 'kube-system' } },
]

/** A law that a step broke. */
export class BrokenLaw extends Error {
  /** the plan up to this step */
  readonly plan: Plan

  constructor({ plan, spec, status }: Broken, { cause }: { readonly cause: unknown }) {
    const { operation = 'the beginning' } = plan.steps.at(-1) ?? {}
    const message = cause instanceof Error ? cause.message : String(cause)
    const seen = `of ${JSON.stringify(spec)}\n      whose status is ${JSON.stringify(status)}`
    super(`step ${plan.steps.length}, ${operation}: ${message}\n      ${seen}`, { cause })
    this.plan = plan
  }
}

interface Broken {
  readonly plan: Plan
  /** of the experiment when the law was broken */
  readonly spec: unknown
  readonly status: unknown
}

/** Takes all steps of a plan. @throws BrokenLaw */
export async function follow(ground: Ground, plan: Plan, place: { readonly namespace: string; readonly name: string }) {
  const sequence = new Sequence(ground, { ...place, shape: plan.shape })
  let taken = 0
  try {
    await sequence.begin()
    for (const step of plan.steps) {
      taken += 1
      await take(ground, sequence, step)
    }
    await sequence.settles()
    await sequence.rival()
    await sequence.end()
  } catch (error) {
    const { spec, status } = await sequence.experiment.read().catch(() => ({ spec: 'none', status: undefined }))
    const steps = plan.steps.slice(0, taken)
    throw new BrokenLaw({ plan: { ...plan, steps }, spec, status }, { cause: error })
  }
}

async function take(ground: Ground, sequence: Sequence, { operation, seed }: Step): Promise<void> {
  const dice = diceOf(seed)
  switch (operation) {
    case 'override':
      return override(ground, sequence, dice, (valid) => valid)
    case 'mistake':
      return override(ground, sequence, dice, (valid) => mistaken(valid, dice))
    case 'never':
      return never(ground, sequence, dice)
    case 'malformed': {
      const spec = dice.pick(MALFORMED)
      if (await sequence.experiment.patch({ spec })) throw new Error(`${JSON.stringify(spec)} was taken`)
      return ground.count('refused')
    }
    case 'type': {
      const overrideType = (await sequence.experiment.read()).spec.overrideType === 'Strategic' ? 'Merge' : 'Strategic'
      return settled(sequence, await counted(ground, sequence.experiment.patch({ spec: { overrideType } })))
    }
    case 'scale': {
      const replicas = dice.below(3)
      const { experiment } = sequence
      const taken = await (dice.percent(50) ? experiment.patch({ spec: { replicas } }) : experiment.scale(replicas))
      if (!taken) throw new Error(`${replicas} replicas were refused`)
      return settled(sequence, true)
    }
    case 'note':
      return note(sequence, dice)
    case 'source':
      return edited(sequence, seed)
    case 'break':
      return breaks(sequence)
    case 'vanish':
      return sequence.vanishes()
    case 'toggle':
      return sequence.toggle()
    case 'again':
      return sequence.again(sequence.source.kind === 'StatefulSet' && dice.percent(40) ? OWN_CLAIMS : {})
    case 'fork':
      await tampered(ground, sequence, dice)
      return settled(sequence, true)
    case 'rival':
      return sequence.rival()
    case 'restart':
      await ground.restart(dice.percent(50) ? 'SIGKILL' : 'SIGTERM')
      return settled(sequence, true)
  }
}

/** The last good experiment heals what is held. */
async function settled(sequence: Sequence, taken: boolean): Promise<void> {
  if (taken && (await sequence.settles()) === 'held') await sequence.heal()
}

async function subjectOf(sequence: Sequence, overrideType: 'Merge' | 'Strategic'): Promise<Subject> {
  const { template } = await sequence.source.read()
  return { kind: sequence.source.kind, overrideType, pod: objectOr(template.spec) as JsonObject }
}

/** Claim templates are immutable, so every later override has to repeat them. */
const claimsOf = ({ overrideSpec }: Spec): JsonObject =>
  overrideSpec.volumeClaimTemplates ? { volumeClaimTemplates: overrideSpec.volumeClaimTemplates } : {}

async function override(
  ground: Ground,
  sequence: Sequence,
  dice: Dice,
  change: (valid: JsonObject) => JsonObject,
): Promise<void> {
  const overrideType = dice.percent(50) ? 'Merge' : 'Strategic'
  const { spec } = await sequence.experiment.read()
  const valid = dice.percent(50)
    ? anOverride(ground.opened.grammars[sequence.source.kind], dice, overrideType)
    : anEdit(await subjectOf(sequence, overrideType), dice)
  const changed = change(valid)
  const overrideSpec = { ...claimsOf(spec), ...changed }
  const isTaken = await counted(ground, writes(sequence, dice, { ...spec, overrideType, overrideSpec } as Spec))
  if (!isTaken && changed === valid) ground.count('refused, though meant to be valid')
  return settled(sequence, isTaken)
}

async function counted({ count }: Ground, write: Promise<boolean>): Promise<boolean> {
  const isTaken = await write
  if (!isTaken) count('refused')
  return isTaken
}

/** By an apply, by the whole object, or by a patch of the two fields. */
const writes = (sequence: Sequence, dice: Dice, spec: Spec): Promise<boolean> =>
  dice.percent(20) ? sequence.experiment.apply(spec) : replaces(sequence, dice, spec)

const replaces = ({ experiment }: Sequence, dice: Dice, spec: Spec): Promise<boolean> =>
  dice.percent(50)
    ? experiment.put(spec)
    : experiment.patch(
        [
          { op: 'add', path: '/spec/overrideType', value: spec.overrideType },
          { op: 'add', path: '/spec/overrideSpec', value: spec.overrideSpec },
        ],
        'json',
      )

/** Not by an apply, of which the API server drops a null before anybody sees it. */
async function never(ground: Ground, sequence: Sequence, dice: Dice): Promise<void> {
  const overrideType = dice.percent(50) ? 'Merge' : 'Strategic'
  const overrideSpec = dice.pick(NEVER)(await subjectOf(sequence, overrideType))
  const { spec } = await sequence.experiment.read()
  if (await counted(ground, replaces(sequence, dice, { ...spec, overrideType, overrideSpec } as Spec)))
    throw new Error(`${overrideType} ${JSON.stringify(overrideSpec)} was taken`)
}

/** What says nothing about the fork must not change it. */
async function note(sequence: Sequence, dice: Dice): Promise<void> {
  const { experiment } = sequence
  const before = await experiment.fork(await experiment.read())
  const value = `${dice.below(99)}`
  const body = dice.pick([
    { metadata: { labels: { team: value }, annotations: { 'example.com/why': value } } },
    { spec: { ttlSeconds: 86_400 + Number(value) } },
  ])
  if (!(await sequence.experiment.patch(body))) throw new Error(`${JSON.stringify(body)} was refused`)
  await settled(sequence, true)
  const { metadata } = await experiment.fork(await experiment.read())
  if (metadata.generation !== before.metadata.generation) throw new Error('a note has changed the fork')
}

/** If the changed source and the override do not go together, the source as it was must heal all. */
async function edited(sequence: Sequence, seed: number): Promise<void> {
  const { template, source } = await sequence.source.read()
  const minReadySeconds = at(source, 'spec', 'minReadySeconds') as number | undefined
  await sequence.source.change((present, spec) => aSourceEdit(present, spec, diceOf(seed)))
  if ((await sequence.settles()) === 'merged') return
  await sequence.source.change(() => ({ template, spec: { minReadySeconds: minReadySeconds ?? null } }))
  if ((await sequence.settles()) !== 'merged') throw new Error('the source as it was does not heal it')
}

/** The override adds a variable to a container, which its owner then takes out of the source. */
async function breaks(sequence: Sequence): Promise<void> {
  const { spec }: ExperimentDeployment = await sequence.experiment.read()
  const overrideSpec = {
    ...claimsOf(spec),
    template: { spec: { containers: [{ name: 'proxy', env: [{ name: 'B' }] }] } },
  }
  const taken = await sequence.experiment.put({ ...spec, overrideType: 'Strategic', overrideSpec } as unknown as Spec)
  if (!taken) throw new Error('a variable more was refused')
  await settled(sequence, true)
  const { template } = await sequence.source.read()
  await sequence.source.change((present) => ({ template: withoutProxy(present) }))
  const outcome = await sequence.settles()
  if (outcome !== (sequence.isPinned ? 'merged' : 'held')) throw new Error(`a container without image was ${outcome}`)
  await sequence.source.change(() => ({ template }))
  if ((await sequence.settles()) !== 'merged') throw new Error('the source as it was does not heal it')
}

function withoutProxy(template: JsonObject): JsonObject {
  const containers = listOr(at(template, 'spec', 'containers')).filter(
    (each) => isObject(each) && each.name !== 'proxy',
  )
  return { ...template, spec: { ...objectOr(template.spec), containers } as unknown as JsonObject }
}

async function tampered({ api }: Ground, sequence: Sequence, dice: Dice): Promise<void> {
  const path = sequence.experiment.forkPath(await sequence.experiment.read())
  await dice.pick(TAMPERINGS)(api, path, await api.get(path))
}
