/** Plays one promotion of the table, and compares what becomes of its source with what shall become of it. */
import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { at, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { type AuditEvent, AuditTail } from '../../../sandbox/audit.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { isOfSource } from '../../../sandbox/source-writes.ts'
import { says } from '../canaries.ts'
import { DEADLINE_MS, hasEndpoints, type Place } from '../product.ts'
import { ACTIVE, type Cell, REPLICAS, SOURCES } from './cells.ts'
import type { Serving } from './serving.ts'

const [SOURCE, EXPERIMENT] = ['cart', 'next']
const [FORMER, PROMOTED] = ['registry.example/cart:1', 'registry.example/cart:2']
const COLOUR = (value: string) => ({ name: 'COLOUR', value })
const SIZE = { name: 'SIZE', value: 'small' }
/** So that a gap between an old pod and its successor lasts. */
const SLOW = {
  'sandbox.experiment-controller.example.com/behavior': 'slow',
  'sandbox.experiment-controller.example.com/after': '1s',
}
const LABELS = { app: SOURCE }
const TEMPLATE = {
  metadata: { labels: LABELS, annotations: SLOW },
  spec: { containers: [{ name: 'cart', image: FORMER, env: [COLOUR('blue'), SIZE] }] },
}

/** What each type of override changes in the first container. A list of `Merge` is replaced whole. */
const CHANGES = {
  Merge: {
    override: { name: 'cart', image: PROMOTED },
    changed: ({ env: _replaced, ...container }: JsonObject) => ({ ...container, image: PROMOTED }),
  },
  Strategic: {
    override: { name: 'cart', image: PROMOTED, env: [COLOUR('red')] },
    changed: (container: JsonObject) => ({ ...container, image: PROMOTED, env: [COLOUR('red'), SIZE] }),
  },
}
const TIER = { tier: 'new' }
/** In the end the fork has no pods, so that the promotion itself must bring all that it needs. */
const STEPS = [{ setWeight: 20 }, { setWeight: 0 }]

/** Where a promotion is played. */
export interface Stage {
  /** a namespace for this promotion only */
  readonly place: Place
  readonly serving: Serving
  /** the requests of our account */
  readonly audit: AuditTail
}

/** The requests of the controller that wrote something, from now on. */
export const ourRequests = (auditLog: string): AuditTail => new AuditTail(auditLog, ':experiment-controller"')

/** Promotes, and undoes it. @throws AssertionError that names what is not as it shall be */
export async function play(cell: Cell, stage: Stage): Promise<void> {
  const { place } = stage
  await aSourceOf(cell, place)
  const before = await settled(cell, place)
  const from = await allServe(cell, stage)
  await begun(cell, stage)
  // without an undo in it, the drain takes a second only
  await isAt(place, 'the drain or the end', ({ status }) => /^(drain|none)/.test(status?.strategy?.stepName ?? ''))
  expect(await settled(cell, place)).to.deep.equal(promoted(cell, before))
  expect(await writesOfSource(stage), 'writes of a promotion').to.equal(1)
  const floor = REPLICAS - (cell.mayCost ?? 0)
  if (cell.undone === 'in the drain') {
    await undone(cell, stage, before)
    return servedBy(cell, stage, { from, floor })
  }
  await isAt(place, 'its end', ({ status }) => status?.strategy?.phase === 'Promoted')
  await hasNoFork(cell, place)
  await servedBy(cell, stage, { from, floor })
  if (cell.undone === undefined) return
  const later = await allServe(cell, stage)
  await undone(cell, stage, before)
  await servedBy(cell, stage, { from: later, floor })
}

async function aSourceOf({ source }: Cell, { api, path }: Place): Promise<void> {
  const { kind, resource, spec } = SOURCES[source]
  for (const name of servicesOf(source))
    await api.create(path('services'), { metadata: { name }, spec: { selector: LABELS, ports: [{ port: 80 }] } })
  const apiVersion = kind === 'Rollout' ? 'argoproj.io/v1alpha1' : 'apps/v1'
  await api.create(path(resource), {
    apiVersion,
    kind,
    metadata: { name: SOURCE },
    spec: { replicas: REPLICAS, selector: { matchLabels: LABELS }, template: TEMPLATE, ...spec },
  })
}

const servicesOf = (source: Cell['source']): readonly string[] => [
  SOURCE,
  ...(JSON.stringify(SOURCES[source].spec).includes('activeService') ? [ACTIVE] : []),
]

/** Waits until all pods of the source are of its present template and serve. Resolves to its `spec`. */
const settled = ({ source }: Cell, { api, path }: Place): Promise<JsonObject> =>
  eventually(`${source} to be settled`, DEADLINE_MS, async () => {
    const found = await api.get(path(SOURCES[source].resource, SOURCE))
    const status = objectOr(found.status)
    expect(status, JSON.stringify(status)).to.include({ replicas: REPLICAS, availableReplicas: REPLICAS })
    expect(status.updatedReplicas).to.equal(REPLICAS)
    expect(Number(status.observedGeneration)).to.equal(found.metadata.generation)
    if (SOURCES[source].kind === 'Rollout') expect(status.phase).to.equal('Healthy')
    return objectOr(found.spec) as JsonObject
  })

/** Waits until each Service lists all pods of the source, and only these. Resolves to that moment. */
async function allServe({ source }: Cell, { place, serving }: Stage): Promise<number> {
  for (const name of servicesOf(source)) await hasEndpoints(place, name, REPLICAS)
  return serving.now(place.namespace)
}

/** Creates the experiment, and lets it promote. Until somebody says so, the source is not written. */
async function begun(cell: Cell, stage: Stage): Promise<void> {
  const { overrideType, by, undone, maxUnavailable, replacing = {} } = cell
  const { place } = stage
  const container = CHANGES[overrideType].override
  await place.experiment(EXPERIMENT, {
    source: SOURCE,
    kind: SOURCES[cell.source].kind,
    overrideType,
    overrideSpec: { ...replacing, template: { metadata: { annotations: TIER }, spec: { containers: [container] } } },
    strategy: {
      canary: {
        steps: STEPS,
        scaleDownDelaySeconds: undone === 'in the drain' ? 3_600 : 1,
        ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
      },
    },
    promotion: { mode: by === 'Automatic' ? 'Automatic' : 'Manual' },
  })
  if (by === 'Automatic') {
    // apart from the wait for the new pods of the source: on a busy machine each takes half a minute
    const isPromoting = /^(promote|drain|none)/
    await isAt(place, 'its promotion', (found) => isPromoting.test(found.status?.strategy?.stepName ?? ''))
    return
  }
  const { status } = await isAt(place, 'its last step', (found) => found.status?.strategy?.stepName === 'await')
  expect(await writesOfSource(stage), 'writes before somebody says so').to.equal(0)
  if (by === 'the command') return says(place, EXPERIMENT, 'promote')
  const approvedRevision = status?.strategy?.wholeRevision
  await place.api.patch(place.path('experiments', EXPERIMENT), { spec: { promotion: { approvedRevision } } })
}

const isAt = ({ shows }: Place, what: string, holds: (of: ExperimentDeployment) => boolean) =>
  shows(EXPERIMENT, what, holds)

async function undone(cell: Cell, stage: Stage, before: JsonObject): Promise<void> {
  const { api, path } = stage.place
  await says(stage.place, EXPERIMENT, 'undo')
  // apart from the wait for the pods of the source, as for an automatic promotion: the fork may have to come first
  await eventually('the source to be written back', DEADLINE_MS, async () => {
    const { spec } = await api.get(path(SOURCES[cell.source].resource, SOURCE))
    expect(objectOr(spec).template).to.deep.equal(before.template)
  })
  await isAt(stage.place, 'its former values', ({ status }) => status?.strategy?.phase === 'Undone')
  expect(await settled(cell, stage.place)).to.deep.equal(before)
  expect(await writesOfSource(stage), 'writes of a promotion and its undo').to.equal(2)
}

/** `before` with what the override says, and nothing else. */
function promoted({ overrideType, replacing }: Cell, before: JsonObject): unknown {
  const [container] = listOr(at(before, 'template', 'spec', 'containers'))
  const { metadata, spec, ...template } = objectOr(before.template)
  return {
    ...before,
    ...replacing,
    template: {
      ...template,
      metadata: { ...objectOr(metadata), annotations: { ...SLOW, ...TIER } },
      spec: { ...objectOr(spec), containers: [CHANGES[overrideType].changed(objectOr(container) as JsonObject)] },
    },
  }
}

const WRITES = new Set(['create', 'update', 'patch', 'delete'])

/** How often our account wrote the `spec` of the source. A conflict writes nothing. */
export async function writesOfSource({ place, audit }: Pick<Stage, 'place' | 'audit'>): Promise<number> {
  const isWrite = ({ user, verb, responseStatus }: AuditEvent) =>
    user.username.endsWith(':experiment-controller') && WRITES.has(verb) && (responseStatus?.code ?? 500) < 300
  const own = (await audit.events()).filter(({ objectRef }) => objectRef?.namespace === place.namespace)
  const ofSpec = own.filter((event) => isOfSource(event) && event.objectRef?.subresource === undefined)
  return ofSpec.filter(isWrite).length
}

const hasNoFork = ({ source }: Cell, { api, path }: Place): Promise<void> =>
  eventually('the fork to be gone', DEADLINE_MS, async () => {
    const found = await api.list(path(SOURCES[source].resource))
    expect(found.map(nameOf)).to.deep.equal([SOURCE])
    const pods = await api.list(path('pods'))
    expect(pods, 'pods').to.have.length(REPLICAS)
  })

const nameOf = ({ metadata: { name } }: KubeObject): string => name

interface Served {
  readonly from: number
  /** the fewest that may serve */
  readonly floor: number
}

/** @throws AssertionError if at any moment since `from` fewer pods served */
async function servedBy({ source }: Cell, { place, serving }: Stage, { from, floor }: Served): Promise<void> {
  const fewest = serving.fewest(place.namespace, from, await serving.now(place.namespace))
  expect(Object.keys(fewest)).to.have.members(['pods', ...servicesOf(source)])
  for (const [what, count] of Object.entries(fewest))
    expect(count, `the fewest ${what} of ${source}`).to.be.least(floor)
}
