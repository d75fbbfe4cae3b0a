import { at, listOr, textOr } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { VERSION } from '../../common/program/version.ts'
import { text } from '../../common/view/text.ts'
import type { Connection } from '../cluster/connection.ts'
import { EXIT, type ExitCode } from '../process/exit-codes.ts'
import { explained } from '../process/explain.ts'
import type { Io } from '../process/io.ts'
import { NOTHING } from '../render/said.ts'
import { tableLines } from '../render/table.ts'
import { print, type Session } from './session.ts'

const PROGRAMS = ['webhook', 'controller'] as const

/**
 * Prints the versions of this program, and of the others as far as the caller may read them. Without a cluster only the
 * first is known.
 */
export async function version({ io, style, connect }: Unconnected): Promise<ExitCode> {
  const rows = await others(connect, io)
  const all = [['kubectl-experiment', VERSION] as const, ...rows]
  print({ io }, tableLines({ rows: all.map(([program, found]) => [text(program), text(found) || NOTHING]) }, style))
  return EXIT.done
}

/** A session that has not connected yet. */
interface Unconnected extends Pick<Session, 'io' | 'style'> {
  readonly connect: () => Promise<Connection>
}

async function others(connect: Unconnected['connect'], io: Io): Promise<readonly (readonly [string, string])[]> {
  try {
    const { client } = await connect()
    try {
      return await Promise.all(
        PROGRAMS.map(async (program) => [program, await imagesOf({ client, io }, program)] as const),
      )
    } finally {
      await client.close()
    }
  } catch (error) {
    return PROGRAMS.map((program) => [program, `unknown: ${explained(error).message}`])
  }
}

/** The images of the Deployments of `program`, whose tags are its versions, or why nobody knows. */
async function imagesOf(
  { client, io }: Pick<Session, 'client' | 'io'>,
  program: (typeof PROGRAMS)[number],
): Promise<string> {
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
