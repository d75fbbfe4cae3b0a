import type { KubeErrorKind } from '../../../common/api/failure.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { type KubeRequest, REQUEST_VERBS } from '../../../common/kube/client/request.ts'
import type { EventInput } from '../../../controller/events/event.ts'
import { Recorder } from '../../../controller/events/recorder.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'

const experiment: KubeObject = {
  apiVersion: 'experimentcontroller.example.com/v1alpha1',
  kind: 'ExperimentDeployment',
  metadata: { namespace: 'shop', name: 'faster-cart', uid: 'u1', resourceVersion: '7' },
}

/** An Event about an experiment. */
export const input: EventInput = {
  type: 'Normal',
  reason: 'Available',
  action: 'Apply',
  note: 'ready',
  regarding: experiment,
}

/** An Event about another experiment. */
export const about = (name: string, namespace = 'shop'): EventInput => ({
  ...input,
  regarding: { ...experiment, metadata: { ...experiment.metadata, namespace, name, uid: `uid of ${name}` } },
})

const STARTED_MS = Date.parse('2026-08-01T12:00:00.123Z')

/** How long an API server takes that asks two webhooks in vain and accepts the request without them. */
const LATE_MS = 20_050

/** A recorder whose API server answers with `failures` one after the other, then accepts everything. */
export function recording(
  failures: readonly (KubeErrorKind | 'late' | 'never' | undefined)[] = [],
  { random = (): number => 0.5 } = {},
) {
  const time = new VirtualTime()
  const log = diaryLog()
  const sent: KubeRequest[] = []
  const recorder = new Recorder({
    client: {
      request: (request) => {
        const kind = failures[sent.push(request) - 1]
        if (kind === undefined) return Promise.resolve({})
        if (kind !== 'never' && kind !== 'late') return Promise.reject(new KubeError({ kind, message: kind }))
        return new Promise((resolve, reject) => {
          const end = (kind: KubeErrorKind) => () => reject(new KubeError({ kind, message: '' }))
          const cancel = time.after(request.deadlineMs ?? REQUEST_VERBS[request.verb].deadlineMs, end('timeout'))
          if (kind === 'late') time.after(LATE_MS, () => resolve({}))
          request.signal?.addEventListener('abort', cancel)
          request.signal?.addEventListener('abort', end('unreachable'))
        })
      },
    },
    instance: 'pod-1',
    clock: () => new Date(STARTED_MS + time.now()),
    timers: time,
    random,
    log,
  })
  return { time, log, sent, recorder }
}
