import { ABSENT, type Known } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { isPinned, isRevisionOf } from '../fork/pinned.ts'
import { isForkOf } from '../workload/identity.ts'
import type { SpecFacts } from './facts.ts'

/** What is under the name of the fork. */
export type ForkFacts = Pick<SpecFacts, 'fork' | 'nameHolder'>
/** What is under the name of the ControllerRevision that keeps the pinned base. */
export type RevisionFacts = Pick<SpecFacts, 'revision' | 'revisionHolder'>

/** There is no object with the name of the fork. */
export const NO_FORK: ForkFacts = { fork: ABSENT, nameHolder: undefined }
/** There is no object with the name of that ControllerRevision. */
export const NO_REVISION: RevisionFacts = { revision: ABSENT, revisionHolder: undefined }

/** What was `found` under the name of the fork: the fork, or another object that holds the name. */
export const forkFacts = (experiment: ExperimentDeployment, found: Known<KubeObject>): ForkFacts =>
  found.is === 'known' && !isForkOf(experiment, found.value)
    ? { fork: ABSENT, nameHolder: found.value }
    : { fork: found, nameHolder: undefined }

/** What was `found` under the name of the revision: the pinned base, or another object that holds the name. */
export const revisionFacts = (experiment: ExperimentDeployment, found: Known<KubeObject>): RevisionFacts =>
  found.is === 'known' && !isRevisionOf(experiment, found.value)
    ? { revision: ABSENT, revisionHolder: found.value }
    : { revision: found, revisionHolder: undefined }

/** What was `found` under the name of the twin. Another object that holds the name is not the twin. */
export const twinFact = (experiment: ExperimentDeployment, found: Known<KubeObject>): Known<KubeObject> =>
  found.is === 'known' && !isForkOf(experiment, found.value, 'control') ? ABSENT : found

/** Whether an experiment says that there may be a twin: it asks for one, or had one at the last pass. */
export const mayHaveTwin = ({ spec, status }: ExperimentDeployment): boolean =>
  spec.analysis?.control === 'Twin' || status?.analysis?.twin !== undefined

/** Whether a revision may keep a base: the experiment is pinned, or was at the last pass. */
export const mayHaveRevision = (experiment: ExperimentDeployment): boolean =>
  isPinned(experiment) || experiment.status?.source?.pinned === true
