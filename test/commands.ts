/** Whether the commands in texts for users reach only what the text is about. */
import type { KubeObject } from '../common/api/object.ts'
import { at, isObject, listOr } from '../common/json/json.ts'
import type { AuditEvent } from '../sandbox/audit.ts'

/** `kubectl VERB` with a resource and a name, and what follows in its clause. */
const COMMAND = /kubectl (?:argo rollouts )?[a-z]+(?: -\S+)* (?<target>[a-z]+\/[\w.-]+|pods\b)(?<rest>[^;]*)/g

/** Commands that need no namespace, by how they begin: what they are about has none. */
const EXCEPTIONS: readonly string[] = []

/**
 * The commands in `text` that do not say `--namespace=`, or another namespace than they are about: that of the
 * experiment for `expd/…`, that of its source for all else.
 */
export const strayCommands = (text: string, { own, source = own }: { own: string; source?: string }) =>
  [...text.matchAll(COMMAND)].flatMap(({ 0: command, groups: { target = '', rest = '' } = {} }) => {
    const wanted = target.startsWith('expd/') ? own : source
    const isExcepted = EXCEPTIONS.some((each) => command.startsWith(each))
    return isExcepted || `${rest} `.includes(` --namespace=${wanted} `) ? [] : [command]
  })

/** The same of all texts that a program of ours wrote by this request: into a status, or as an Event. */
export function strayCommandsIn({ requestObject, responseObject = requestObject, objectRef }: AuditEvent) {
  if (!isObject(requestObject)) return []
  const own = objectRef?.namespace ?? ''
  const texts =
    objectRef?.resource === 'events'
      ? [at(requestObject, 'note')]
      : [at(requestObject, 'status', 'message'), ...conditionsOf(requestObject).map((each) => at(each, 'message'))]
  const source = at(responseObject, 'spec', 'sourceRef', 'namespace')
  // An Event about a source or fork has the namespace of that, and one about an experiment may name both.
  const places = { own, ...(typeof source === 'string' ? { source } : {}) }
  return texts.flatMap((text) => (typeof text === 'string' ? strayCommands(text, places) : []))
}

const conditionsOf = (object: KubeObject): readonly unknown[] => listOr(at(object, 'status', 'conditions'))
