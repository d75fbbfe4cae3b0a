import { viewOf } from '../../common/view/view.ts'
import { factsNamed } from '../cluster/experiment.ts'
import { EXIT, type ExitCode } from '../process/exit-codes.ts'
import { Stop } from '../process/stop.ts'
import { type DocumentForm, documentOf } from '../render/document.ts'
import { evidenceLines } from '../render/evidence.ts'
import { print, type Session } from './session.ts'

/** Prints the evidence of the analysis of the experiment `name`, metric by metric. @throws Stop, KubeError */
export async function analysis(session: Session, name: string, output: DocumentForm | undefined): Promise<ExitCode> {
  const { io, style } = session
  const facts = await factsNamed(session, name)
  const { analysis, metadata } = viewOf(facts)
  if (analysis === undefined)
    throw new Stop(EXIT.failed, `${metadata.name} has no analysis`, 'Add spec.analysis to the experiment.')
  if (output) io.out(await documentOf(analysis, output))
  else print(session, evidenceLines(analysis, { now: io.clock(), style }))
  return EXIT.done
}
