import { expect } from 'chai'
import { FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import {
  mayHaveTrouble,
  type PodWarning,
  podTroubleIn,
  podWarning,
  withPodTrouble,
} from '../../../common/fork/pod-trouble.ts'
import type { Health } from '../../../common/workload/kind.ts'
import { WORKLOAD_KINDS } from '../../../common/workload/registry.ts'
import { FORK } from '../../builders.ts'

const APPLIED = '2026-11-21T10:00:00Z'
const applied = (seconds: number): Date => new Date(Date.parse(APPLIED) + 1_000 * seconds)

/** A fork with one pod, which is not ready. */
const aFork = (of: { kind?: string; status?: object; generation?: number } = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: of.kind ?? 'Deployment',
  metadata: {
    name: FORK,
    namespace: 'shop',
    uid: 'uid-of-fork',
    generation: of.generation ?? 1,
    managedFields: [{ manager: FIELD_MANAGER, operation: 'Apply', time: APPLIED }],
  },
  spec: { replicas: 1 },
  status: of.status ?? { observedGeneration: 1, replicas: 1, updatedReplicas: 1 },
})

const PODS = { watched: [], isListed: () => false }
const event = (note: string, seconds: number, { pod = `${FORK}-aaaaa-1`, reason = 'Failed' } = {}) =>
  podWarning({ regarding: { name: pod }, reason, note, deprecatedLastTimestamp: applied(seconds).toISOString() })
const told = (warnings: readonly (PodWarning | undefined)[], of: object = PODS) =>
  podTroubleIn(
    aFork(),
    warnings.flatMap((each) => each ?? []),
    { ...PODS, ...of },
  )

describe('what is kept of an Event about a pod', () => {
  it('is nothing of a pod that belongs to no fork', () => {
    expect(podWarning({ regarding: { name: 'cart-5d8f-abcde' }, note: 'x' })).to.equal(undefined)
    for (const junk of [undefined, null, 'x', {}, { regarding: 7 }]) expect(podWarning(junk)).to.equal(undefined)
  })

  it('is one line of at most 300 characters of the note, without invisible ones', () => {
    const hostile = `<b>no\n\n  such\timage</b>\u202e\u0000\u001b[31m ${'x'.repeat(1_024)}`
    const { text = '' } = event(hostile, 1) ?? {}
    expect(text).to.match(/^Failed: <b>no such image<\/b>\\u202e\\u0000\\u001b\[31m x+\.\.\.$/)
    expect(text.length).to.equal('Failed: '.length + 300)
  })

  it('is the time of its last repetition', () => {
    const series = { lastObservedTime: applied(5).toISOString() }
    const of = { regarding: { name: `${FORK}-a` }, eventTime: applied(1).toISOString() }
    expect(podWarning({ ...of, series })?.atMs).to.equal(applied(5).getTime())
    expect(podWarning(of)?.atMs).to.equal(applied(1).getTime())
    expect(podWarning({ regarding: of.regarding })?.atMs).to.equal(0)
  })
})

describe('why pods of a fork are not ready', () => {
  it('is told by the newest Event that tells a cause, not by the echo of a kubelet', () => {
    const pull = event('Failed to pull image "cart:9": not found', 2)
    const echoes = [event('Error: ErrImagePull', 2), event('Error: ImagePullBackOff', 60)]
    const cause = `pod/${FORK}-aaaaa-1: Failed: Failed to pull image "cart:9": not found`
    expect(told([pull, ...echoes])).to.equal(cause)
    expect(told([...echoes.toReversed(), pull])).to.equal(cause)
    expect(told([event('0/3 nodes', 1, { reason: 'FailedScheduling' }), pull])).to.equal(cause)
    expect(told(echoes)).to.match(/Error: ImagePullBackOff$/)
  })

  it('is told of the first pod by name that is not ready', () => {
    const [first, second] = ['1', '2'].map((each) => event(`of ${each}`, 9, { pod: `${FORK}-aaaaa-${each}` }))
    expect(told([second, first])).to.match(/of 1$/)
    expect(told([second, first], { isListed: (pod: string) => pod.endsWith('-1') })).to.match(/of 2$/)
    const watched = [{ name: `${FORK}-aaaaa-2`, hasReadyContainers: false, isBeingDeleted: false }]
    expect(told([second, first], { watched })).to.match(/of 2$/)
    expect(told([second, first], { watched: watched.map((pod) => ({ ...pod, isBeingDeleted: true })) })).to.equal(
      undefined,
    )
  })

  it('is not told by what is older than the last apply', () => {
    expect(told([event('of a former template', -1)])).to.equal(undefined)
    expect(told([])).to.equal(undefined)
  })
})

describe('a fork that lacks ready pods', () => {
  const asks = (fork: KubeObject, seconds: number, pods: readonly object[] = []) => {
    const kind = WORKLOAD_KINDS[fork.kind as keyof typeof WORKLOAD_KINDS]
    return mayHaveTrouble(kind, fork, { now: applied(seconds), pods: pods as never })
  }

  it('is asked about after ten seconds, of each kind, and past its deadline', () => {
    for (const kind of Object.keys(WORKLOAD_KINDS)) {
      const fork = aFork({ kind, status: { observedGeneration: kind === 'Rollout' ? '1' : 1, replicas: 1 } })
      expect([asks(fork, 9), asks(fork, 10)], kind).to.deep.equal([false, true])
    }
    const overdue = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }
    const late = aFork({ status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, conditions: [overdue] } })
    expect(asks(late, 700)).to.equal(true)
  })

  it('is asked about while a former pod is still ready beside the new one', () => {
    const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
    expect(asks(aFork({ status }), 10)).to.equal(true)
  })

  it('is not asked about while it is ready, has no pods, is not seen yet, or is only shut', () => {
    const ready = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
    expect(asks(aFork({ status: ready }), 60)).to.equal(false)
    expect(asks({ ...aFork(), spec: { replicas: 0 } }, 60)).to.equal(false)
    expect(asks(aFork({ generation: 2 }), 60)).to.equal(false)
    const shut = { hasReadyContainers: true, isBeingDeleted: false }
    expect(asks(aFork(), 60, [shut])).to.equal(false)
    expect(asks(aFork(), 60, [{ ...shut, hasReadyContainers: false }])).to.equal(true)
  })
})

describe('the health of a fork', () => {
  const progressing: Health = { is: 'progressing', reason: 'PodsNotReady', message: '0 of 1 pods available' }
  const ref = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: FORK,
    namespace: 'shop',
    uid: 'uid-of-fork',
    generation: 1,
  }
  const message = '0 of 1 pods available; pod/a: Failed: no image'
  const lastTold = { message, experimentResourceRef: ref }
  const nothingTold = { message: undefined, experimentResourceRef: undefined }
  const of = (health: Health, trouble: string | undefined, told: typeof lastTold | typeof nothingTold = nothingTold) =>
    withPodTrouble(health, aFork(), { trouble, told })

  it('says why, with the same reason, and is then looked at like every other', () =>
    expect(of(progressing, 'pod/a: Failed: no image')).to.deep.equal({ ...progressing, message }))

  it('is looked at again after 30 s while nothing says why', () => {
    expect(of(progressing, undefined)).to.deep.equal({ ...progressing, recheckAfterMs: 30_000 })
    expect(of({ ...progressing, recheckAfterMs: 4_000 }, undefined)).to.deep.include({ recheckAfterMs: 4_000 })
  })

  it('keeps what was told while the pods are as they were', () => {
    expect(of(progressing, undefined, lastTold).message).to.equal(message)
    const others = { ...progressing, message: '1 of 2 pods available' }
    expect(of(others, undefined, lastTold).message).to.equal(others.message)
    for (const changed of [{ generation: 2 }, { uid: 'another' }])
      expect(of(progressing, undefined, { message, experimentResourceRef: { ...ref, ...changed } }).message).to.equal(
        progressing.message,
      )
    expect(of(progressing, undefined, { ...lastTold, message: '0 of 1 pods available; no policy' }).message).to.equal(
      progressing.message,
    )
  })

  it('says it past the deadline too, and of nothing else', () => {
    const overdue: Health = {
      is: 'stalled',
      isOverdue: true,
      reason: 'ProgressDeadlineExceeded',
      message: 'timed out.',
    }
    expect(of(overdue, 'pod/a: Failed: b').message).to.equal('timed out; pod/a: Failed: b')
    const ready: Health = { is: 'ready', reason: 'Available', message: '1 of 1 pods available' }
    expect(of(ready, 'pod/a: Failed: b')).to.equal(ready)
    const unseen: Health = { ...progressing, isUnseen: true }
    expect(of(unseen, 'pod/a: Failed: b')).to.equal(unseen)
  })
})
