import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import type { Conclusion } from '../../../common/outcome/conclusion.ts'
import { situationOf } from '../../../common/situation/situation-of.ts'
import { report } from '../../../controller/report/report.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { plan } from '../../common/of-facts.ts'
import { type Given, leftAt, someFacts, theFork } from '../../common/plan/some-facts.ts'

export const KEY = 'shop/faster-cart'
export const NONE = Number.POSITIVE_INFINITY
export const pods = (...names: readonly string[]) => ({
  services: [{ name: 'cart', selector: { app: 'cart' } }],
  slices: [{ service: 'cart', ready: names.map((pod) => ({ address: pod, pod })) }],
})
export const READY: Given = {
  fork: theFork(),
  experiment: anExperiment({ status: leftAt(3) }),
  traffic: pods(`${FORK}-7d9f-1`, 'cart-1'),
}

interface More {
  readonly failure?: Error
  readonly repairWaitMs?: number
  readonly isAsWritten?: boolean
  readonly shareWaitMs?: number
  readonly progressWaitMs?: number
}

/** Reports `conclusion`, or that of the plan; keeps a diary. */
export async function reported(
  facts: Facts,
  conclusion = plan(facts).conclusion,
  { failure, repairWaitMs = 0, isAsWritten = false, ...pace }: More = {},
) {
  const { shareWaitMs = 0, progressWaitMs = 0 } = pace
  const diary: string[] = []
  const messages: string[] = []
  let status: ExperimentDeploymentStatus | undefined
  let isCurrent = false
  const reporter = {
    applyStatus: async (_of: unknown, applied: ExperimentDeploymentStatus) => {
      if (failure) throw failure
      diary.push('status')
      status = applied
    },
    progressWaitMs: () => progressWaitMs,
    shareWaitMs: () => shareWaitMs,
    noteCurrent: () => {
      isCurrent = true
    },
    isAsWritten: () => isAsWritten,
    repairWaitMs: () => repairWaitMs,
    noteRepair: () => diary.push('repair'),
    emitEvent: (_of: unknown, _conclusion: unknown, event: { type: string; reason: string; message: string }) => {
      diary.push(`${event.type} ${event.reason}`)
      messages.push(event.message)
    },
    recordPolicy: (key: string, decision: { is: string } | undefined) => diary.push(`record ${key} ${decision?.is}`),
    emitEventAbout: (source: KubeObject, _of: unknown, event: { type: string; reason: string; message: string }) =>
      void diary.push(`event about ${source.metadata.name}: ${event.type} ${event.reason} ${event.message}`),
    countPromotion: (_of: unknown, { mode, outcome }: { mode: string; outcome: string }) =>
      void diary.push(`count ${mode} ${outcome}`),
    countMove: (_of: unknown, reason: string) => void diary.push(`count ${reason}`),
    log: ({ metadata }: ExperimentDeployment, { reason }: Conclusion) =>
      diary.push(`log ${metadata.namespace}/${metadata.name} ${reason}`),
  }
  const againMs = await report(reporter, KEY, situationOf(facts), conclusion)
  return { diary: diary.slice(1), recorded: diary[0], messages, status, againMs, isCurrent }
}
/** The facts of the next pass, after the status of `given` was written. */
export async function afterReport(given: Given, next: Given = {}, metadata = {}) {
  const { status = {} } = await reported(someFacts(given))
  return someFacts({ ...given, experiment: anExperiment({ status, metadata }), ...next })
}
