import { expect } from 'chai'
import { IS_EXPERIMENT, SCALE_MANAGER, SCALED, SCALED_BY } from '../../../common/api/names.ts'
import type { KubeObject, ObjectMeta } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { Components } from '../../../common/facts/facts.ts'
import { isObject } from '../../../common/json/json.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { sizeLabel } from '../../../common/scaling/record.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { SourceSizeWrite } from '../../../common/writes/source-size-writes.ts'
import { OrphanedSources } from '../../../controller/orphans/orphaned-sources.ts'
import { aDeployment, anExperiment, installing, UID } from '../../builders.ts'
import { resized } from '../../common/plan/simulated-writes.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'

const label = (size: number, written: number) => sizeLabel({ experiment: UID, size, written })
const OURS = { manager: SCALE_MANAGER, operation: 'Update' }

interface SourceOf {
  readonly replicas?: number
  readonly label?: string | undefined
  readonly available?: number
  readonly metadata?: Partial<ObjectMeta>
  readonly spec?: object
}

/** A source of five pods, which a canary has made smaller. */
function aSource({ replicas = 1, available = replicas, ...of }: SourceOf = {}): KubeObject {
  const value = 'label' in of ? of.label : label(5, 1)
  const found = aDeployment({
    labels: value === undefined ? {} : { [SCALED]: value },
    metadata: { annotations: { [SCALED_BY]: 'shop/faster-cart' }, managedFields: [OURS], resourceVersion: '7' },
    spec: { replicas, ...of.spec },
  })
  const status = { observedGeneration: 99, availableReplicas: available }
  return { ...found, metadata: { ...found.metadata, ...of.metadata }, status }
}

interface Given {
  /** in the API server, and in the cache; undefined: it is gone */
  readonly source?: KubeObject | undefined
  /** what the API server answers instead */
  readonly live?: () => KubeObject | undefined
  /** those of the cache */
  readonly cached?: readonly ExperimentDeployment[]
  readonly uids?: () => Promise<ReadonlySet<string>>
  readonly isServed?: (namespace: string) => boolean
  readonly installed?: Components
  readonly refusal?: KubeError
  /** whether the pods of a source that gets larger do not start */
  readonly arePodsMissing?: boolean
}

/** What a write changes. */
function wordsOf({ operations }: SourceSizeWrite): string {
  const at = operations.filter(({ op }) => op !== 'test')
  return at
    .map(
      ({ op, path, value }) =>
        `${op} ${String(path).split('/').slice(2, 4).join(' ')}${value === undefined ? '' : ` ${value}`}`,
    )
    .map((each) => each.replaceAll(/ experiment-controller.example.com~1/g, ' ').replaceAll(UID, 'UID'))
    .join(', ')
}

function world(given: Given = {}) {
  const { cached = [], uids = async () => new Set<string>(), refusal, arePodsMissing } = given
  const state = { source: 'source' in given ? given.source : aSource() }
  const timers = new VirtualTime()
  const log = diaryLog()
  const [diary, events, reads]: [string[], string[], string[]] = [[], [], []]
  const seconds = () => timers.now() / 1_000
  const sources = new OrphanedSources({
    workloads: [
      {
        kind: deployment,
        forks: { list: () => [] },
        others: { list: () => (state.source ? [state.source] : []), isAbsent: false },
      },
    ],
    ofUid: (uid) => cached.find(({ metadata }) => metadata.uid === uid),
    isServed: given.isServed ?? (() => true),
    installed: given.installed ?? installing('promotion'),
    live: {
      source: async () => {
        reads.push(`source at ${seconds()}`)
        return given.live ? given.live() : state.source
      },
      experimentUids: () => uids(),
    },
    write: async (write) => {
      if (refusal) throw refusal
      if (write.verb !== 'jsonPatch') throw new Error('nothing else is written')
      diary.push(`${seconds()}: ${wordsOf(write)}`)
      const stored = resized(write)
      const availableReplicas = arePodsMissing ? 1 : stored.spec && isObject(stored.spec) ? stored.spec.replicas : 0
      state.source = { ...stored, status: { ...(stored.status ?? {}), availableReplicas } }
      return state.source
    },
    recorder: { record: ({ reason, regarding, note }) => events.push(`${reason} ${regarding.kind} ${note}`) },
    ended: (outcome) => diary.push(outcome),
    timers,
    log,
  })
  return { sources, timers, log, diary, events, reads, state }
}

/** What is done within `seconds`. */
async function doneIn(seconds: number, given: Given) {
  const made = world(given)
  made.sources.start()
  await made.timers.pass(seconds * 1_000)
  await made.sources.stop()
  return made
}

const RETURNED =
  'Returned Deployment gets 5 pods again instead of 1, because the experiment that made it smaller is gone'
const UNLABELLED = ['remove managedFields 0', 'remove labels scaled, remove annotations scaled-by']

describe('a source that is smaller although its experiment does not exist', () => {
  it('N52: gets its pods back by the second read of the API server, half a minute later, with an Event', async () => {
    const { sources, timers, diary, events, log } = world()
    sources.start()
    await timers.pass(29_000)
    expect([diary, events, sources.count, sources.smaller]).to.deep.equal([[], [], 1, 1])
    await timers.pass(1_000)
    expect(diary).to.deep.equal(['30: replace replicas 5, add labels scaled UID.5.5', 'returned'])
    expect(events).to.deep.equal([RETURNED])
    expect(log.lines.map(({ text }) => text)).to.deep.equal([
      'warn a source gets its pods back, because its experiment is gone',
    ])
    await sources.stop()
  })

  it('N52: keeps the label until its pods were available for half a minute', async () => {
    const { diary, events, sources, state } = await doneIn(300, {})
    expect(diary.slice(2)).to.deep.equal(UNLABELLED.map((words) => `90: ${words}`))
    expect(events).to.deep.equal([RETURNED])
    expect(state.source?.metadata).to.deep.include({ labels: { app: 'cart' }, annotations: {}, managedFields: [] })
    expect([sources.count, sources.smaller, sources.entryCount]).to.deep.equal([0, 0, 0])
  })

  it('N52: keeps the label for half a minute after its last pod came, for the nodes that follow its Services', async () => {
    const { sources, timers, diary, state } = world({ arePodsMissing: true })
    sources.start()
    await timers.pass(95_000)
    state.source = state.source && { ...state.source, status: { observedGeneration: 99, availableReplicas: 5 } }
    await timers.pass(54_000)
    expect(diary).to.have.length(2)
    await timers.pass(1_000)
    expect(diary.slice(2)).to.deep.equal(UNLABELLED.map((words) => `150: ${words}`))
    await sources.stop()
  })

  it('N52: loses the label after the deadline of its rollouts, if its pods do not come', async () => {
    const source = aSource({ spec: { progressDeadlineSeconds: 120 } })
    const { diary, events } = await doneIn(600, { source, arePodsMissing: true })
    expect(diary.slice(2)).to.deep.equal(UNLABELLED.map((words) => `180: ${words}`))
    expect(events.slice(1)).to.deep.equal([
      'Orphaned Deployment has 1 of 5 pods after the time that its own rollouts have; the experiment that made it ' +
        'smaller is gone, so the fork of that is deleted now',
    ])
  })

  it('N52: keeps the number that somebody else has set, and loses the label when it has these pods', async () => {
    const { diary, events } = await doneIn(300, { source: aSource({ replicas: 3 }) })
    expect(diary).to.deep.equal([...UNLABELLED.map((words) => `30: ${words}`), 'kept'])
    expect(events).to.deep.equal([
      'SourceScaled Deployment keeps 3 pods; the label that said 1 of 5 pods is of an experiment that is gone, and ' +
        'somebody has changed the size since, so it was removed',
    ])
    expect((await doneIn(300, { source: aSource({ replicas: 3, available: 2 }) })).diary).to.deep.equal([])
  })

  it('N52: never gets smaller because of a label', async () => {
    const { diary, events } = await doneIn(300, { source: aSource({ label: label(1, 3), replicas: 3 }) })
    expect(diary).to.deep.equal([...UNLABELLED.map((words) => `30: ${words}`), 'kept'])
    expect(events[0]).to.include(
      'keeps 3 pods; the label that said 3 of 1 pod is of an experiment that is gone, and asks for fewer',
    )
  })

  it('N52: keeps its number where the label is that of an experiment of another source: it is a copy', async () => {
    const other = anExperiment({ sourceRef: { kind: 'Deployment', name: 'other' } })
    const source = aSource({ available: 0, metadata: { managedFields: [] } })
    const { diary, events } = await doneIn(300, { source, cached: [other], uids: async () => new Set([UID]) })
    expect(diary).to.deep.equal(['30: remove labels scaled, remove annotations scaled-by', 'kept'])
    expect(events).to.deep.equal([
      'SourceScaled Deployment keeps 1 pod; the label that said 1 of 5 pods is of an experiment of another source, so ' +
        'it was removed',
    ])
  })

  const untouched: Record<string, Given> = {
    'the cache has its experiment': { cached: [anExperiment()] },
    'its experiment is in another namespace': {
      cached: [
        anExperiment({
          metadata: { namespace: 'lab' },
          sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'shop' },
        }),
      ],
    },
    'the API server has its experiment, and the cache does not have it yet': { uids: async () => new Set([UID]) },
    'its namespace is not served, or excluded': { isServed: () => false },
    'its label is gone': { live: () => aSource({ label: undefined }) },
    'its label is not ours': { source: aSource({ label: 'rubbish' }) },
    'it is a fork': {
      source: aSource({
        metadata: { labels: { [SCALED]: label(5, 1), [IS_EXPERIMENT]: 'true' } },
      }),
    },
    'it is gone': { live: () => undefined },
    'it is being deleted': { source: aSource({ metadata: { deletionTimestamp: '2026-11-21T10:00:00Z' } }) },
    'the API server does not answer': {
      uids: () => Promise.reject(new KubeError({ kind: 'unreachable', message: 'refused' })),
    },
  }
  for (const [sentence, given] of Object.entries(untouched))
    it(`N52: is not touched where ${sentence}`, async () => expect((await doneIn(200, given)).diary).to.deep.equal([]))

  it('N52: is looked at from the beginning if it has another label, or is another source, at the second read', async () => {
    let reads = 0
    const changing = (of: (nth: number) => SourceOf) => () => {
      reads += 1
      return aSource(of(reads))
    }
    expect((await doneIn(200, { live: changing((nth) => ({ label: label(5 + nth, 1) })) })).diary).to.deep.equal([])
    const uid = (nth: number) => ({ metadata: { uid: `source-${nth}` } })
    expect((await doneIn(200, { live: changing(uid) })).diary).to.deep.equal([])
  })

  it('N52: is told once, with the command for a person, and is not read again without the component', async () => {
    const { diary, events, reads, sources } = await doneIn(600, { installed: installing() })
    expect(diary).to.deep.equal([])
    const patch =
      '{"metadata":{"labels":{"experiment-controller.example.com/scaled":null},"annotations":' +
      '{"experiment-controller.example.com/scaled-by":null}},"spec":{"replicas":5}}'
    expect(events).to.deep.equal([
      'Orphaned Deployment has 1 of 5 pods, and the experiment that made it smaller is gone; this installation has no ' +
        'component "promotion", so the label stays, and so does the fork; give the pods back: ' +
        `kubectl patch deployment/cart --namespace=shop --type=merge --patch='${patch}'`,
    ])
    expect([sources.count, reads]).to.deep.equal([1, ['source at 0', 'source at 30']])
  })

  it('N52: without the component, only the label is to be removed from a copy, or after a change by somebody', async () => {
    const other = anExperiment({ sourceRef: { kind: 'Deployment', name: 'other' } })
    const command = 'kubectl label deployment/cart --namespace=shop experiment-controller.example.com/scaled-'
    const noted = async (given: Given) => (await doneIn(60, { installed: installing(), ...given })).events
    const note = (whose: string) =>
      `Orphaned Deployment has the label of ${whose}; this installation has no component "promotion", so the label ` +
      `stays; remove it: ${command}`
    expect(await noted({ source: aSource({ replicas: 3 }) })).to.deep.equal([note('an experiment that is gone')])
    expect(await noted({ cached: [other], uids: async () => new Set([UID]) })).to.deep.equal([
      note('an experiment of another source'),
    ])
  })

  it('N52: is tried again at the pace of retries where the API server refuses the write', async () => {
    const refusal = new KubeError({ kind: 'forbidden', message: 'denied', status: 403 })
    const { reads, log, events } = await doneIn(250, { refusal })
    expect(reads).to.deep.equal([0, 30, 60, 120, 180, 240].map((second) => `source at ${second}`))
    expect(log.lines.map(({ facts }) => facts.failures)).to.deep.equal([1, 2, 4])
    expect(events).to.deep.equal([])
  })

  it('N52: is forgotten when it is gone', async () => {
    const { sources, state } = world()
    await sources.sweep()
    state.source = undefined
    await sources.sweep()
    expect([sources.count, sources.entryCount]).to.deep.equal([0, 0])
  })
})
