/** Updates of forks that take several requests: the spec is replaced before or after an apply. */
import { expect } from 'chai'
import { decodeExperiment } from '../../../common/api/decode.ts'
import { DERIVED_HASH, FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { baseOf } from '../../../common/fork/base.ts'
import { derive, shortForkHash, wholeForkHash } from '../../../common/fork/derive.ts'
import { at, isObject, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { NO_SHAPE } from '../../../common/override/shape.ts'
import { WORKLOAD_KINDS } from '../../../common/workload/registry.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { imageOverride } from '../../builders.ts'
import { aRollout } from '../../integration/argo.ts'
import { condition, DEADLINE_MS, forkOf, imagesOf } from '../../integration/product.ts'
import { isAvailable, isUpdated, PATIENT, type Scenario, type Scene, updated } from './scenarios.ts'

type Kind = 'Deployment' | 'Rollout'
const PATHS = { Deployment: 'deployments', Rollout: 'rollouts' } as const

const until = (what: string, holds: () => Promise<void>): Promise<void> => eventually(what, DEADLINE_MS, holds, PATIENT)

/** The experiment `try` with its fork. */
async function forked({ own, forks }: Scene, kind: Kind) {
  const experiment = await own.experimentAt('try')
  const path = forks.path(PATHS[kind], forkOf(experiment))
  return { experiment, path, fork: await forks.api.get<KubeObject>(path) }
}

/** A fork with the hash of another derivation, or with fields that no later apply can remove. */
const problemsOf =
  (kind: Kind) =>
  async (scene: Scene): Promise<readonly string[]> => {
    const { experiment, fork } = await forked(scene, kind)
    const source = await scene.forks.api.get<KubeObject>(scene.forks.path(PATHS[kind], 'cart'))
    const decoded = decodeExperiment({ ...experiment }, scene.own.namespace)
    const based = baseOf(WORKLOAD_KINDS[kind], { source, referents: [], shape: NO_SHAPE })
    if (decoded.is !== 'experiment' || based.is !== 'base') throw new Error('no experiment, or no base')
    const of = { kind: WORKLOAD_KINDS[kind], experiment: decoded.experiment, base: based.base }
    const derived = derive({ ...of, schema: undefined, replicas: 1 })
    const wanted = derived.is === 'fork' ? shortForkHash(wholeForkHash(derived.fork)) : derived.reason
    const hash = fork.metadata.annotations?.[DERIVED_HASH]
    const left = (fork.metadata.managedFields ?? []).filter(
      ({ manager, operation, fieldsV1 }) =>
        manager === FIELD_MANAGER && operation === 'Update' && at(fieldsV1, 'f:spec', 'f:template') !== undefined,
    )
    return [
      ...(hash === wanted ? [] : [`the fork has the hash ${hash} instead of ${wanted}`]),
      ...(kind === 'Deployment' && left.length > 0 ? ['the controller owns fields by a replacement'] : []),
    ]
  }

/** Says that the fork is as Argo Rollouts leaves it, which does not run: each field has a second owner. */
async function rolledOut(scene: Scene): Promise<void> {
  await until('try to have a fork', async () => void (await forked(scene, 'Rollout')))
  const { path, fork } = await forked(scene, 'Rollout')
  const { apiVersion, kind, spec } = fork
  await scene.forks.api.apply(path, { apiVersion, kind, spec }, 'rollouts-controller')
  const status = { phase: 'Healthy', observedGeneration: '99', replicas: 1, updatedReplicas: 1, availableReplicas: 1 }
  await scene.forks.api.patch(`${path}/status`, { status })
}

/** @throws Error unless the fork has `image` and `minReadySeconds`, and the experiment is Ready */
async function shows(scene: Scene, image: string, minReadySeconds: number | undefined): Promise<void> {
  const { experiment, fork } = await forked(scene, 'Rollout')
  expect(experiment.status?.observedGeneration).to.equal(experiment.metadata.generation)
  expect(condition(experiment, 'Ready')?.reason).to.equal('Available')
  expect(imagesOf(fork)).to.deep.equal([image])
  expect(at(fork, 'spec', 'minReadySeconds')).to.equal(minReadySeconds)
}

const ofRollout: Scenario = {
  name: 'update of a Rollout',
  source: ({ forks }) => aRollout(forks, 'cart', { replicas: 1 }),
  before: async (scene) => {
    const overrideSpec = { ...imageOverride('registry.example/cart:2'), minReadySeconds: 1 }
    await scene.own.experiment('try', { source: 'cart', kind: 'Rollout', overrideSpec })
    await rolledOut(scene)
    await until('try to be available', () => shows(scene, 'registry.example/cart:2', 1))
  },
  change: async ({ own }) => {
    const overrideSpec = { ...imageOverride('registry.example/cart:3'), minReadySeconds: null }
    await own.api.patch(own.path('experiments', 'try'), { spec: { overrideSpec } })
  },
  isDone: (scene) => shows(scene, 'registry.example/cart:3', undefined),
  problems: problemsOf('Rollout'),
}

const VARIABLE = 'POD'
const FROM_FIELD = { name: VARIABLE, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }
const BY_HTTP = { httpGet: { path: '/health', port: 80 } }
const BY_COMMAND = { exec: { command: ['true'] }, httpGet: null }

/** Changes the image, and adds the variable and what else a container has. */
const withVariable = (image: string, others: JsonObject = {}): JsonObject => ({
  template: { spec: { containers: [{ name: 'cart', image, env: [FROM_FIELD], ...others }] } },
})

const containerOf = (fork: KubeObject) => objectOr(listOr(at(fork, 'spec', 'template', 'spec', 'containers'))[0])

/** @throws Error unless the fork has this variable, or none */
async function hasVariable(scene: Scene, wanted: JsonObject | undefined): Promise<void> {
  const { fork } = await forked(scene, 'Deployment')
  const found = listOr(containerOf(fork).env).find((each) => isObject(each) && each.name === VARIABLE)
  expect(found).to.deep.equal(wanted)
}

/** Sets the variable in the fork, as `kubectl set env` does, and what else of the container is given. */
async function setByHand(scene: Scene, others: JsonObject = {}): Promise<void> {
  const { path } = await forked(scene, 'Deployment')
  const env = [{ name: VARIABLE, value: 'mine', valueFrom: null }]
  const spec = { template: { spec: { containers: [{ name: 'cart', env, ...others }] } } }
  await scene.forks.api.patch(path, { spec }, 'strategic')
}

/** @throws Error unless the status is about the present state of the fork */
async function isSeen(scene: Scene): Promise<void> {
  const { experiment, fork } = await forked(scene, 'Deployment')
  expect(objectOr(experiment.status?.experimentResourceRef).generation).to.equal(fork.metadata.generation)
}

const createdWith = ({ own }: Scene, overrideSpec: JsonObject) =>
  own.experiment('try', { source: 'cart', overrideSpec })

const ofExcludedField: Scenario = {
  name: 'repair of an excluded field and an update',
  // If the update comes before the end of the repair, the apply leaves the probe, and another replacement removes it.
  mayDiffer:
    /^\/(experiments\/0\/status\/experimentResourceRef|workloads\/1\/.*)\/(generation|observedGeneration|revision)$/,
  before: async (scene) => {
    await createdWith(scene, withVariable('registry.example/cart:2', { livenessProbe: BY_HTTP }))
    await until('try to be available', () => isAvailable(scene))
  },
  change: async (scene) => {
    await setByHand(scene, { livenessProbe: BY_COMMAND })
    await until('the variable to be put back', () => hasVariable(scene, FROM_FIELD))
    await updated(scene) // without the variable and the probe
  },
  isDone: async (scene) => {
    await isUpdated(scene)
    expect(containerOf((await forked(scene, 'Deployment')).fork)).not.to.have.any.keys('env', 'livenessProbe')
  },
  problems: problemsOf('Deployment'),
}

const toExcludedField: Scenario = {
  name: 'update that a field of another client excludes',
  before: async (scene) => {
    await createdWith(scene, imageOverride('registry.example/cart:2'))
    await until('try to be available', () => isAvailable(scene))
    await setByHand(scene)
    await until('the variable to be seen', () => isSeen(scene))
    await until('try to be available', () => isAvailable(scene))
    await hasVariable(scene, { name: VARIABLE, value: 'mine' })
  },
  change: async ({ own }) => {
    const overrideSpec = withVariable('registry.example/cart:3')
    await own.api.patch(own.path('experiments', 'try'), { spec: { overrideSpec } })
  },
  isDone: async (scene) => {
    await isUpdated(scene)
    await hasVariable(scene, FROM_FIELD)
  },
  problems: problemsOf('Deployment'),
}

/** They need the CRDs of Argo Rollouts. */
export const REWRITES: readonly Scenario[] = [ofRollout, ofExcludedField, toExcludedField]
