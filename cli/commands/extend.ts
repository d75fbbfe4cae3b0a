import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { duration } from '../../common/text/duration.ts'
import { text } from '../../common/view/text.ts'
import { experimentNamed, foundIn, viewAlone } from '../cluster/experiment.ts'
import { EXIT, type ExitCode } from '../process/exit-codes.ts'
import { Stop } from '../process/stop.ts'
import { pluginCommand } from '../render/details.ts'
import { FIELD_MANAGER, print, type Session } from './session.ts'

interface Extension {
  readonly name: string
  /** from now */
  readonly seconds: number
}

/** Lets the experiment `name` end `seconds` from now, and says whether its run has to begin again. @throws KubeError */
export async function extend(session: Session, { name, seconds }: Extension): Promise<ExitCode> {
  const { client, io } = session
  const now = io.clock()
  const { metadata } = viewAlone(await experimentNamed(session, name), now)
  const ttlSeconds = ttlOf(metadata.createdAt, { now, seconds })
  const answer = await client.request({
    verb: 'patch',
    path: resourcePath(EXPERIMENT_DEPLOYMENT, metadata),
    contentType: 'application/json-patch+json',
    query: { fieldManager: FIELD_MANAGER },
    body: [
      { op: 'test', path: '/metadata/uid', value: metadata.uid },
      { op: 'add', path: '/spec/ttlSeconds', value: ttlSeconds },
    ],
    signal: io.signal,
    onWarning: (warning) => io.err(`${text(warning)}\n`),
  })
  const endsAt = new Date(now.getTime() + 1_000 * seconds).toISOString().slice(0, 19)
  print(session, [`${metadata.name}: ends at ${endsAt}Z, ${duration(seconds)} from now`])
  const { state, actions } = viewAlone(foundIn(answer, metadata), now)
  const isOver = state === 'Ended' || state === 'Failed'
  if (isOver && actions.some(({ verb, isOffered }) => verb === 'retry' && isOffered))
    print(session, [`Its run has ended. To begin it again: ${pluginCommand('retry', metadata)}`])
  return EXIT.done
}

/** A `ttlSeconds` counts from the creation. @throws Stop if nobody knows when that was */
function ttlOf(
  createdAt: string | undefined,
  { now, seconds }: { readonly now: Date; readonly seconds: number },
): number {
  const created = Date.parse(createdAt ?? '')
  if (Number.isNaN(created))
    throw new Stop(
      EXIT.failed,
      'the experiment does not say when it was created',
      'Set spec.ttlSeconds with kubectl edit.',
    )
  return Math.max(1, Math.ceil((now.getTime() - created) / 1_000)) + seconds
}
