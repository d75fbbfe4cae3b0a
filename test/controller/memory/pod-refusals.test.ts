import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { ABSENT, known } from '../../../common/api/known.ts'
import { type KubeObject, UNREAD } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { PodRefusals } from '../../../controller/memory/pod-refusals.ts'
import { aStatefulSet, FORK } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'

const fork: KubeObject = { ...aStatefulSet(), metadata: { name: FORK, namespace: 'shop', uid: 'uid-of-fork' } }
const refused = (note: string, at: string): JsonObject => ({
  reason: 'FailedCreate',
  note,
  eventTime: null,
  deprecatedLastTimestamp: at,
})
const created = (at: string): JsonObject => ({ ...refused('created', at), reason: 'SuccessfulCreate' })

/** What is read of Events about the fork, or of an API server that fails. */
function reading(found: readonly JsonObject[] | KubeErrorKind) {
  const requests: KubeRequest[] = []
  const time = new VirtualTime()
  const client = {
    request: async (request: KubeRequest) => {
      requests.push(request)
      if (typeof found === 'string') throw new KubeError({ kind: found, message: found })
      return { items: found }
    },
  }
  const refusals = new PodRefusals(client, time)
  return { requests, time, of: () => refusals.of(fork) }
}

describe('the refusals of pods', () => {
  it('N29: are unknown where an Event is too large to be read', async () => {
    const large = { metadata: { name: 'large' }, [UNREAD]: 'it is longer than 1.5 MiB' }
    const { of } = reading([refused('exceeded quota', '2026-11-21T10:00:00Z'), large])
    expect(await of()).to.have.property('is', 'unknown')
  })

  it('N29: are unknown where the note of the latest Event is longer than honest ones', async () => {
    const { of } = reading([refused('x'.repeat(16_385), '2026-11-21T10:00:00Z')])
    expect(await of()).to.have.property('is', 'unknown')
  })

  it('are read from a few Events about the one fork', async () => {
    const { of, requests } = reading([])
    await of()
    expect(requests).to.deep.equal([
      {
        verb: 'list',
        path: '/apis/events.k8s.io/v1/namespaces/shop/events',
        query: { fieldSelector: 'regarding.uid=uid-of-fork', limit: 50 },
        deadlineMs: 5_000,
      },
    ])
  })

  const [early, late] = ['2026-11-21T10:00:00Z', '2026-11-21T10:05:00Z']
  const series = { count: 2, lastObservedTime: '2026-11-21T10:05:00.123456Z' }
  const cases: Record<string, readonly [readonly JsonObject[], string | undefined]> = {
    'are absent without Events': [[], undefined],
    'are those of the last attempt': [[refused('quota', late), created(early)], 'quota'],
    'are absent if a pod was created since': [[created(late), refused('quota', early)], undefined],
    'are told in their order if they are of one second': [[created(early), refused('quota', early)], 'quota'],
    'are those of the latest cause': [[refused('security', late), refused('quota', early)], 'security'],
    'are those of a series that was repeated last': [
      [{ reason: 'FailedCreate', note: 'again', eventTime: '2026-11-21T09:00:00.000000Z', series }, created(early)],
      'again',
    ],
    'are no other Events, and no junk': [
      [refused('quota', early), { ...refused('image', late), reason: 'FailedUpdate' }, null as unknown as JsonObject],
      'quota',
    ],
  }
  for (const [sentence, [events, note]] of Object.entries(cases))
    it(sentence, async () =>
      expect(await reading(events).of()).to.deep.equal(note === undefined ? ABSENT : known(note)),
    )

  it('are unknown while Events cannot be read', async () => {
    for (const kind of ['unreachable', 'forbidden'] as const) expect((await reading(kind).of()).is).to.equal('unknown')
  })

  it('are read at most twice a minute, however often they are asked for, also if that fails', async () => {
    for (const found of [[], 'server'] as const) {
      const { of, time, requests } = reading(found)
      for (let seconds = 0; seconds < 60; seconds += 1) {
        await of()
        await time.pass(1_000)
      }
      expect(requests).to.have.length(2)
    }
  })
})
