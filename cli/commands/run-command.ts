import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { CommandVerb } from '../../common/strategy/command-text.ts'
import type { ExperimentView } from '../../common/view/experiment-view.ts'
import { text } from '../../common/view/text.ts'
import { experimentNamed, type Found, viewAlone } from '../cluster/experiment.ts'
import { EXIT } from '../process/exit-codes.ts'
import { misuse, Stop } from '../process/stop.ts'
import { CONFIRMED, isRevision, type PatchOperation, patchOf } from './patch.ts'
import { FIELD_MANAGER, print, type Session } from './session.ts'

export interface RunCommandFlags {
  readonly yes?: boolean
  readonly revision?: string
}

/**
 * Gives the command `verb` to the run of the experiment `name`: first as a dry run, which prints the plan, then, if
 * need be, after a question.
 * @throws Stop if the run is not as it was seen, or has another revision than a script means; KubeError
 */
export async function giveCommand(
  session: Session,
  verb: CommandVerb,
  { name, ...flags }: RunCommandFlags & { name: string },
) {
  const { io } = session
  if (CONFIRMED.includes(verb) && !flags.yes && !io.ask)
    throw misuse(
      verb,
      'there is no terminal to ask for confirmation',
      'Add --yes, and --revision for the revision that is meant.',
    )
  const found = await experimentNamed(session, name)
  const view = viewAlone(found, io.clock())
  if (flags.revision !== undefined) checkRevision(flags.revision, view)
  const patch = patchOf(verb, { view, hasAnnotations: found.hasAnnotations })
  await send(session, { view, patch, isDryRun: true, onWarning: (warning) => print(session, [text(warning)]) })
  if (CONFIRMED.includes(verb) && !flags.yes && !/^y(es)?$/i.test((await io.ask?.('Continue? [y/N] '))?.trim() ?? '')) {
    io.err('Nothing was changed.\n')
    return EXIT.failed
  }
  await send(session, { view, patch, isDryRun: false, onWarning: () => undefined })
  print(session, [`${view.metadata.name}: the command ${verb} was given`])
  return EXIT.done
}

function checkRevision(named: string, { run, metadata }: ExperimentView): void {
  if (run && isRevision(named, run)) return
  const shown = run ? `the run has the revision ${run.wholeRevision ?? run.revision}` : 'it has no run'
  throw new Stop(
    EXIT.failed,
    `${metadata.name}: ${shown}, not ${text(named)}`,
    'Look at the experiment. Write at least ten digits of the revision that you mean.',
  )
}

interface Sending {
  readonly view: ExperimentView
  readonly patch: readonly PatchOperation[]
  readonly isDryRun: boolean
  readonly onWarning: (warning: string) => void
}

/** @throws Stop that says how the run is now, if a test of the patch failed; KubeError */
async function send(session: Session, { view, patch, isDryRun, onWarning }: Sending): Promise<void> {
  const { client, io } = session
  try {
    await client.request({
      verb: 'patch',
      path: resourcePath(EXPERIMENT_DEPLOYMENT, view.metadata),
      body: patch,
      contentType: 'application/json-patch+json',
      query: { fieldManager: FIELD_MANAGER, dryRun: isDryRun ? 'All' : undefined },
      signal: io.signal,
      onWarning,
    })
  } catch (error) {
    if (!(error instanceof KubeError && error.kind === 'conflict')) throw error
    throw await changedMeanwhile(session, view)
  }
}

/** Says how the experiment is now: `it is now at step 4 of 7, Paused`. */
async function changedMeanwhile(session: Session, { metadata }: ExperimentView): Promise<Stop> {
  const { name, namespace, uid } = metadata
  const now = await experimentNamed(session, name).then(
    (found: Found) => viewAlone(found, session.io.clock()),
    () => undefined,
  )
  const state = now?.metadata.uid === uid ? `it is now ${placeOf(now)}` : 'it is not there any more'
  return new Stop(
    EXIT.failed,
    `${name} has changed meanwhile: ${state}`,
    `Look at it, and decide again: kubectl experiment get ${name} --namespace=${namespace}`,
  )
}

function placeOf({ state, run, steps }: ExperimentView): string {
  if (run === undefined) return state
  return `at step ${Math.min(run.stepIndex + 1, steps.length)} of ${steps.length}, ${state}`
}
