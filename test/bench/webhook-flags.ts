import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { at, listOr } from '../../common/api/object.ts'

const MANIFEST = join(import.meta.dirname, '../../manifests/base/webhook.yaml')

/** What Node is told in the manifest that we ship, before the name of the program: the bench measures no other. */
export function shippedFlags(): readonly string[] {
  const objects = parseAllDocuments(readFileSync(MANIFEST, 'utf8')).map((document) => document.toJS())
  const workload = objects.find((object) => at(object, 'kind') === 'Deployment')
  const [container] = listOr(at(workload, 'spec', 'template', 'spec', 'containers'))
  const args = listOr(at(container, 'args')).map(String)
  const end = args.indexOf('webhook/main.ts')
  if (end < 0) throw new Error(`${MANIFEST}: no container runs webhook/main.ts`)
  return args.slice(0, end)
}
