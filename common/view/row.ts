import { MAX_VIOLATED } from '../api/decode-status.ts'
import { sourceNamespaceOf } from '../api/defaults.ts'
import { REQUESTED_BY } from '../api/names.ts'
import { attributesOf, isReason } from '../api/reasons.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { compileSteps } from '../strategy/compile.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { shortName } from '../text/short-name.ts'
import { isCrossNamespace } from '../workload/identity.ts'
import { reasonOf } from './because.ts'
import { deadlinesOf } from './deadlines.ts'
import type { ExperimentRow, ViewService } from './experiment-view.ts'
import { textAt, timeAt } from './members.ts'
import { stateOf } from './state.ts'
import { type Text, text } from './text.ts'

/** The most Services of an experiment. */
const MAX_SERVICES = 32

/** What a list shows of an experiment. It needs nothing else, and no time. Never throws. */
export function rowOf(experiment: ExperimentDeployment): ExperimentRow {
  const { metadata, status = {} } = experiment
  const { reason, message } = reasonOf(experiment)
  const [[deadline], step] = [deadlinesOf(experiment), stepText(experiment)]
  const { verdict } = status.analysis ?? {}
  const [pods, share, changes] = [textAt(status, 'pods'), textAt(status, 'share'), textAt(status, 'changes')]
  const requestedBy = textAt(metadata, 'annotations', REQUESTED_BY)
  const expiresAt = timeAt(status, 'expiresAt')
  return {
    namespace: text(metadata.namespace),
    name: text(metadata.name),
    uid: text(metadata.uid),
    resourceVersion: text(metadata.resourceVersion ?? ''),
    state: stateOf(experiment),
    source: sourceText(experiment),
    ...(pods === undefined ? {} : { pods }),
    ...(share === undefined ? {} : { share }),
    ...(step === undefined ? {} : { step }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(changes === undefined ? {} : { changes }),
    reason,
    message,
    ...(deadline === undefined ? {} : { deadline }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    services: viewServices(experiment).map(({ name, own, all }) => ({ name, own, all })),
    isAlone: (status.warnings ?? []).some(
      (warning) => isReason(warning.reason) && attributesOf(warning.reason).empties === 'aloneBehindService',
    ),
    policies: (status.violatedPolicies ?? []).slice(0, MAX_VIOLATED).map(text),
    createdAt: timeAt(metadata, 'creationTimestamp') ?? '',
    ...(requestedBy === undefined ? {} : { requestedBy }),
  }
}

/** `deployment/cart`, or `deployment/store/cart` for a source in another namespace. */
function sourceText(experiment: ExperimentDeployment): Text {
  const { kind, name } = experiment.spec.sourceRef
  const place = isCrossNamespace(experiment) ? `${sourceNamespaceOf(experiment)}/${name}` : name
  return text(shortName({ kind, name: place }))
}

/** `1/7`; undefined while no run has begun. */
function stepText({ spec, status }: ExperimentDeployment): Text | undefined {
  const [run, stored] = [strategyRunSpec(spec), status?.strategy]
  if (!run || !stored) return undefined
  const { length } = compileSteps(run, stored.path)
  return text(`${Math.min(stored.stepIndex, length)}/${length}`)
}

/** The Services of an experiment, as its status has them. */
export const viewServices = ({ status }: ExperimentDeployment): readonly ViewService[] =>
  (status?.services ?? [])
    .slice(0, MAX_SERVICES)
    .map(({ name, selected, share, message, experimentEndpoints: own, readyEndpoints: all }) => ({
      name: text(name),
      selected,
      ...(share === undefined ? {} : { share: text(share) }),
      own,
      all,
      ...(message === undefined ? {} : { message: text(message) }),
    }))
