import { warning } from '../../common/api/conditions.ts'
import { COMMAND } from '../../common/api/names.ts'
import type { Warning } from '../../common/api/types.ts'
import { at, listOr, parseJson } from '../../common/json/json.ts'
import { optionalClause } from '../../common/text/fitted.ts'
import type { AdmissionRequest } from './admission-review.ts'
import { newCommand } from './command.ts'
import { appliedText } from './dropped-nulls.ts'

/** The warning about a new command that stands in a manifest, which a tool applies again and again. */
export const commandWarnings = (request: AdmissionRequest): readonly Warning[] =>
  newCommand(request) !== undefined && isInManifest(request.object)
    ? [warning('CommandIsDeclared', 'a command in a manifest is given again by each sync', REMEDY)]
    : []

const REMEDY = optionalClause('; remove it there, and use kubectl annotate')

/** Whether the last manifest that was applied has the command, on the client or by server-side apply. */
function isInManifest(object: AdmissionRequest['object']): boolean {
  const applied = at(parseJson(appliedText(object) ?? ''), 'metadata', 'annotations', COMMAND)
  const managers = listOr(at(object, 'metadata', 'managedFields'))
  return applied !== undefined || managers.some((entry) => at(entry, 'operation') === 'Apply' && ownsCommand(entry))
}

const ownsCommand = (entry: unknown): boolean =>
  at(entry, 'fieldsV1', 'f:metadata', 'f:annotations', `f:${COMMAND}`) !== undefined
