import { expect } from 'chai'
import { EXPERIMENT_ID, FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Components } from '../../../common/facts/facts.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { Write } from '../../../common/writes/write.ts'
import { OrphanedServices } from '../../../controller/orphans/orphaned-services.ts'
import { installing } from '../../builders.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'
import { FORK } from '../swept.ts'

const ID = FORK.metadata.labels?.[EXPERIMENT_ID] ?? ''
const SELECTOR = { app: 'cart', [EXPERIMENT_ID]: ID }
const aService = (selector: object = SELECTOR, manager = FIELD_MANAGER): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'cart',
    namespace: 'stock',
    uid: 'service',
    resourceVersion: '7',
    managedFields: [{ manager, operation: 'Update', fieldsV1: { 'f:spec': { 'f:selector': {} } } }],
  },
  spec: { selector },
})

interface Given {
  /** as the cache has it */
  readonly selector?: object
  readonly service?: () => KubeObject | undefined
  /** the workloads of the cache */
  readonly cached?: readonly KubeObject[]
  readonly forkIds?: () => Promise<ReadonlySet<string>>
  readonly experimentIds?: () => Promise<ReadonlySet<string>>
  readonly isServed?: (namespace: string) => boolean
  readonly installed?: Components
  readonly refusal?: KubeError
}

const none = async () => new Set<string>()

function world(given: Given = {}) {
  const { service = () => aService(), cached = [], forkIds = none, experimentIds = none, refusal } = given
  const timers = new VirtualTime()
  const log = diaryLog()
  const [writes, events, reads]: [Write[], string[], string[]] = [[], [], []]
  const services = [['stock', { name: 'cart', selector: given.selector ?? SELECTOR }] as const]
  const orphans = new OrphanedServices({
    services: () => services,
    isServed: given.isServed ?? (() => true),
    installed: given.installed ?? installing('cutOver'),
    workloads: [{ kind: deployment, forks: { list: () => cached }, others: { list: () => [], isAbsent: false } }],
    live: {
      service: async () => {
        reads.push(`service at ${timers.now() / 1_000}`)
        return service()
      },
      forkIds: () => forkIds(),
      experimentIds: () => experimentIds(),
    },
    write: async (write) => {
      if (refusal) throw refusal
      writes.push(write)
    },
    recorder: { record: ({ reason, regarding, note }) => events.push(`${reason} ${regarding.kind} ${note}`) },
    timers,
    log,
  })
  return { orphans, timers, log, writes, events, reads, services }
}

/** What is written within `seconds`. */
async function writesIn(seconds: number, given: Given): Promise<readonly Write[]> {
  const { orphans, timers, writes } = world(given)
  orphans.start()
  await timers.pass(seconds * 1_000)
  await orphans.stop()
  return writes
}

describe('a Service that is limited to a fork that does not exist', () => {
  it('N35: is returned by the second read of the API server, half a minute later, with an Event', async () => {
    const { orphans, timers, writes, events, log } = world()
    orphans.start()
    await timers.pass(29_000)
    expect([writes, events, orphans.count]).to.deep.equal([[], [], 1])
    await timers.pass(1_000)
    const patch = { metadata: { uid: 'service', resourceVersion: '7' }, spec: { selector: { [EXPERIMENT_ID]: null } } }
    expect(writes).to.have.length(1)
    expect(writes[0]).to.deep.include({ verb: 'patch', role: 'service', patch })
    expect(events).to.deep.equal([
      'Returned Service sends to the source again, because the fork to which it was limited and its experiment are gone',
    ])
    expect(log.lines.map(({ text }) => text)).to.deep.equal(['warn a Service is limited to a fork that does not exist'])
    expect(orphans.count).to.equal(0)
    await orphans.stop()
  })

  it('N35: takes back what only the controller published, too', async () => {
    const service = aService()
    const managedFields = [
      {
        manager: FIELD_MANAGER,
        operation: 'Update',
        fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:publishNotReadyAddresses': {} } },
      },
    ]
    const preview = { ...service, metadata: { ...service.metadata, managedFields } } as KubeObject
    const [write] = await writesIn(30, { service: () => preview })
    expect(write && 'patch' in write ? write.patch.spec : undefined).to.deep.equal({
      selector: { [EXPERIMENT_ID]: null },
      publishNotReadyAddresses: null,
    })
  })

  const untouched: Record<string, Given> = {
    'a cache has the fork': { cached: [FORK] },
    'the API server has the fork': { forkIds: async () => new Set([ID]) },
    'its experiment exists': { experimentIds: async () => new Set([ID]) },
    'its namespace is not served, or excluded': { isServed: () => false },
    'its key is gone': { service: () => aService({ app: 'cart' }) },
    'another fork has it now': { service: () => aService({ ...SELECTOR, [EXPERIMENT_ID]: 'another' }) },
    'it is gone': { service: () => undefined },
    'it was made for a fork alone': { selector: { [EXPERIMENT_ID]: ID } },
    'it has no key': { selector: { app: 'cart' } },
    'the API server does not answer': {
      forkIds: () => Promise.reject(new KubeError({ kind: 'unreachable', message: 'refused' })),
    },
  }
  for (const [sentence, given] of Object.entries(untouched))
    it(`N35: is not touched where ${sentence}`, async () => expect(await writesIn(200, given)).to.deep.equal([]))

  it('N35: is not touched if the fork is there again at the second read; then both reads are made again', async () => {
    const { timers } = world()
    const times: number[] = []
    const isThere = [false, true, false, false]
    const forkIds = async () => new Set(isThere[times.push(timers.now()) - 1] ? [ID] : [])
    const made = world({ forkIds })
    made.orphans.start()
    await made.timers.pass(89_000)
    expect(made.writes).to.deep.equal([])
    await made.timers.pass(1_000)
    expect(made.writes).to.have.length(1)
    await made.orphans.stop()
  })

  it('N35: is not touched if it is another Service of that name at the second read', async () => {
    let uid = 0
    const other = () => {
      uid += 1
      return { ...aService(), metadata: { ...aService().metadata, uid: `service-${uid}` } }
    }
    expect(await writesIn(200, { service: other })).to.deep.equal([])
  })

  const told: Record<string, Given> = {
    'the controller may not change Services': { installed: installing() },
    'somebody else wrote its selector last': { service: () => aService(SELECTOR, 'velero-server') },
  }
  for (const [sentence, given] of Object.entries(told))
    it(`N35: is told once, counts, and is not read again where ${sentence}`, async () => {
      const { orphans, timers, writes, events, reads } = world(given)
      orphans.start()
      await timers.pass(600_000)
      expect(writes).to.deep.equal([])
      expect(events).to.deep.equal([
        'Orphaned Service sends to nobody, because the fork to which it is limited and its experiment are gone; ' +
          `remove the key ${EXPERIMENT_ID} from its selector`,
      ])
      expect([orphans.count, reads]).to.deep.equal([1, ['service at 0', 'service at 30']])
      await orphans.stop()
    })

  it('N35: is tried again at the pace of retries where the API server refuses the write', async () => {
    const refusal = new KubeError({ kind: 'forbidden', message: 'denied', status: 403 })
    const { orphans, timers, reads, log } = world({ refusal })
    orphans.start()
    await timers.pass(250_000)
    expect(reads).to.deep.equal([
      'service at 0',
      'service at 30',
      'service at 60',
      'service at 120',
      'service at 180',
      'service at 240',
    ])
    expect(log.lines.map(({ facts }) => facts.failures)).to.deep.equal([1, 2, 4])
    await orphans.stop()
  })

  it('N35: is forgotten with its key', async () => {
    const { orphans, services } = world()
    await orphans.sweep()
    services.pop()
    await orphans.sweep()
    expect([orphans.count, orphans.entryCount]).to.deep.equal([0, 0])
  })
})
