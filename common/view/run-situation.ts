import { ABSENT, knownOrAbsent, unknown } from '../api/known.ts'
import type { Components } from '../facts/facts.ts'
import type { SpecSituation } from '../situation/situation.ts'
import { situationOf } from '../situation/situation-of.ts'
import { workloadKind } from '../workload/registry.ts'
import type { ViewFacts } from './experiment-view.ts'

/** Which components are installed is the webhook's to say, so nothing is refused because of them. */
const ALL: Components = { promotion: true, gate: true, cutOver: true, analysis: true }

const UNREAD = unknown('a view does not read it')

/**
 * What the experiment, its source and its fork mean for the run; all else is unknown. So a run is told by the functions
 * by which the controller moves it.
 */
export const runSituation = ({ now, experiment, source, fork }: Omit<ViewFacts, 'pods' | 'events' | 'run'>) =>
  situationOf({
    now,
    experiment,
    installed: ALL,
    kind: knownOrAbsent(workloadKind(experiment.spec.sourceRef.kind)),
    schema: UNREAD,
    source,
    revision: UNREAD,
    revisionHolder: undefined,
    fork,
    nameHolder: undefined,
    policies: UNREAD,
    isExcluded: false,
    surroundings: { traffic: UNREAD, neighbours: UNREAD, primary: ABSENT, referrer: ABSENT },
  }) satisfies SpecSituation
