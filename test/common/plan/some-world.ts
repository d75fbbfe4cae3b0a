import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { CutOverServices } from '../../../common/facts/facts.ts'
import type { GatedPod } from '../../../common/strategy/gate.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import type { SimulatedAnalyses } from './simulated-analyses.ts'
import type { Services } from './simulated-services.ts'
import type { Given } from './some-facts.ts'

/** What a run depends on. Tests change it between two passes. */
export interface World {
  policies?: Given['policies']
  traffic?: Given['traffic']
  neighbours?: Given['neighbours']
  now: Date
  experiment: ExperimentDeployment
  source: KubeObject | undefined
  fork: KubeObject | undefined
  twin: KubeObject | undefined
  twinRepairInMs: number
  /** the last write of the twin, while the status does not tell of it */
  twinUnreported?: Given['unreported']
  /** those of a gated fork */
  pods: readonly GatedPod[]
  /** those of a blue-green */
  services: Services | undefined
  /** what the controller remembers of pins that were taken away */
  lostPins: Pick<CutOverServices, 'repairInMs' | 'isContested'> & Partial<CutOverServices>
  revision: KubeObject | undefined
  record: KubeObject | undefined
  /** whether the promotion is. A gate always is; the rest, where the world has it */
  isPromotionInstalled: boolean
  /** what the API server and admission webhooks make of a source that is written */
  stored: (source: KubeObject) => KubeObject
  /** the same of the fork; absent: they store it as it is */
  storedFork?: (fork: KubeObject) => KubeObject
  /** whether the pods of the fork become available */
  isHealthy: boolean
  analyses: SimulatedAnalyses | undefined
}

/** `object` with all of its pods available. */
export const available = (object: KubeObject): KubeObject => {
  const replicas = replicasOf(object)
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas }
  return { ...object, status: { observedGeneration: object.metadata.generation ?? 1, ...counts } }
}
