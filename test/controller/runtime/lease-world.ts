import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { at } from '../../../common/json/json.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { pause } from '../../../common/program/clock.ts'
import { Leader } from '../../../controller/runtime/leader.ts'
import { newLease } from '../../../controller/runtime/lease.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'
import { LeaseServer } from './lease-server.ts'

/** A Lease of another process. */
export const OTHER = newLease('the-lease', 'other_0', new Date(0)) as KubeObject

/** How the network treats requests. */
interface Network {
  /** of each way, in milliseconds */
  delayMs: number
  /** the request does not arrive, or the answer does not */
  loses: 'requests' | 'answers' | 'nothing'
}

/** A process that may lead, with its network and the diary of what becomes of it. */
export function world() {
  const server = new LeaseServer()
  const time = new VirtualTime()
  const diary: string[] = []
  const log = diaryLog()
  const network: Network = { delayMs: 0, loses: 'nothing' }
  const never = new AbortController().signal
  const lost = async (deadlineMs: number) => {
    await pause(time, deadlineMs, never)
    throw new KubeError({ kind: 'unreachable', message: 'no answer' })
  }
  const request = async (of: KubeRequest) => {
    const { delayMs, loses } = network
    if (loses === 'requests') return lost(of.deadlineMs ?? 0)
    if (delayMs > 0) await pause(time, delayMs, never)
    const answer = server.answer(of)
    if (loses === 'answers') return lost(of.deadlineMs ?? 0)
    if (delayMs > 0) await pause(time, delayMs, never)
    return answer
  }
  const leader = new Leader({
    client: { request },
    namespace: 'ops',
    name: 'the-lease',
    identity: 'me_1',
    onWon: () => void diary.push(`won at ${time.now()}, held ${leader.held()}`),
    onLost: () => void diary.push(`lost at ${time.now()}, held ${leader.held()}`),
    timers: time,
    clock: () => new Date(0),
    random: () => 0.5,
    log,
  })
  const holder = () => at(server.lease, 'spec', 'holderIdentity')
  return { leader, server, time, diary, network, log, holder }
}

/** A leader that has led for a minute, and the diary of the server since then. */
export async function leading() {
  const all = world()
  all.leader.start()
  await all.time.pass(60_000)
  expect(all.diary).to.deep.equal(['won at 0, held true'])
  all.server.diary.length = 0
  return all
}
