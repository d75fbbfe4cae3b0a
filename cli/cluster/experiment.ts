import { ABSENT, unknown } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { isObject } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { decodedExperiment, fetchFactsOf, findExperiment } from '../../common/kube/reads/view-facts.ts'
import type { ExperimentRow, ExperimentView, ViewFacts } from '../../common/view/experiment-view.ts'
import { rowOf } from '../../common/view/row.ts'
import { text } from '../../common/view/text.ts'
import { viewOf } from '../../common/view/view.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { Io } from '../process/io.ts'
import { Stop } from '../process/stop.ts'
import type { Connection } from './connection.ts'

/** What reading needs. */
export interface Reader extends Connection {
  readonly io: Pick<Io, 'clock' | 'signal'>
}

/** An experiment as it is stored, and as this version understands it. */
export interface Found {
  readonly stored: KubeObject
  readonly experiment: ExperimentDeployment
  /** whether it has any annotation at all */
  readonly hasAnnotations: boolean
}

/** The experiment that `name` means: its own name, also after `expd/`, or that of its fork. @throws Stop, KubeError */
export async function experimentNamed({ client, namespace, io }: Reader, name: string): Promise<Found> {
  try {
    return foundIn(await findExperiment(client, { namespace, name }, { signal: io.signal }), { namespace })
  } catch (error) {
    if (error instanceof RangeError) throw noName(name, error)
    if (error instanceof KubeError && error.kind === 'notFound') throw noExperiment({ namespace, name }, error)
    throw error
  }
}

const noName = (name: string, cause: unknown): Stop =>
  new Stop(EXIT.usage, `"${text(name)}" is no name`, 'Write the name of an experiment.', { cause })

const noExperiment = (
  { namespace, name }: { readonly namespace: string; readonly name: string },
  cause: unknown,
): Stop =>
  new Stop(
    EXIT.failed,
    `there is no experiment ${text(name)} in namespace ${text(namespace)}`,
    `To see those that exist: kubectl experiment get --namespace=${text(namespace)}`,
    { cause },
  )

/** The experiment in an answer of the API server. @throws KubeError `invalid` if it is not as the API says */
export function foundIn(answer: unknown, { namespace }: { readonly namespace: string }): Found {
  if (!isKubeObject(answer)) throw new KubeError({ kind: 'unreachable', message: 'the answer is no object' })
  const stored = { ...answer, metadata: { namespace, ...answer.metadata } }
  const { annotations } = stored.metadata
  return { stored, experiment: decodedExperiment(stored).experiment, hasAnnotations: isObject(annotations) }
}

const isKubeObject = (value: unknown): value is KubeObject => isObject(value) && isObject(value.metadata)

const ALONE = unknown('it is not asked for')

/** The view of an experiment, as far as it follows from the experiment alone. */
export const viewAlone = ({ experiment }: Pick<Found, 'experiment'>, now: Date): ExperimentView =>
  viewOf({ now, experiment, source: ALONE, fork: ALONE, pods: ALONE, events: ALONE, run: ABSENT })

/** All that a view of the experiment `name` is made of. @throws Stop, KubeError */
export const factsNamed = async (reader: Reader, name: string): Promise<ViewFacts> =>
  factsOf(reader, (await experimentNamed(reader, name)).stored)

/** All that a view of the experiment in `stored` is made of; the rest is read now. @throws KubeError */
export function factsOf({ client, io }: Reader, stored: KubeObject): Promise<ViewFacts> {
  const { experiment, unread } = decodedExperiment(stored)
  return fetchFactsOf(client, experiment, { now: io.clock(), unread, signal: io.signal })
}

/** The row of the experiment in `stored`. One that this version cannot read has a row that says so. */
export function rowIn(stored: KubeObject): ExperimentRow {
  try {
    return rowOf(decodedExperiment(stored).experiment)
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    const { name, namespace = '', uid = '', resourceVersion = '', creationTimestamp = '' } = stored.metadata
    return {
      ...{ name: text(name), namespace: text(namespace), uid: text(uid), resourceVersion: text(resourceVersion) },
      ...{ createdAt: text(creationTimestamp), state: 'Progressing', source: text('-') },
      ...{ reason: text('Unreadable'), message: text(error.message), services: [], isAlone: false, policies: [] },
    }
  }
}
