import { at, listOr, textOr } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { VERSION } from '../../common/program/version.ts'
import { text } from '../../common/view/text.ts'
import { EXIT, type ExitCode } from '../process/exit-codes.ts'
import { explained } from '../process/explain.ts'
import { NOTHING } from '../render/said.ts'
import { tableLines } from '../render/table.ts'
import { print, type Session } from './session.ts'

const PROGRAMS = ['webhook', 'controller'] as const

/** Prints the versions of this program, and of the others as far as the caller may read them. */
export async function version(session: Session): Promise<ExitCode> {
  const rows = await Promise.all(PROGRAMS.map(async (program) => [program, await imagesOf(session, program)] as const))
  const all = [['kubectl-experiment', VERSION] as const, ...rows]
  print(
    session,
    tableLines({ rows: all.map(([program, found]) => [text(program), text(found) || NOTHING]) }, session.style),
  )
  return EXIT.done
}

/** The images of the Deployments of `program`, whose tags are its versions, or why nobody knows. */
async function imagesOf({ client, io }: Session, program: (typeof PROGRAMS)[number]): Promise<string> {
  try {
    const list = await client.request({
      verb: 'list',
      path: resourcePath(RESOURCES.Deployment),
      query: { labelSelector: `app.kubernetes.io/name=experiment-${program}` },
      signal: io.signal,
    })
    const images = listOr(at(list, 'items')).flatMap((item) =>
      listOr(at(item, 'spec', 'template', 'spec', 'containers')).map((container) => textOr(at(container, 'image'), '')),
    )
    return images.length === 0 ? 'not found' : [...new Set(images)].join(', ')
  } catch (error) {
    return `unknown: ${explained(error).message}`
  }
}
