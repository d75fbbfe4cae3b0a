import { globSync, readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr, textOr } from '../../common/json/json.ts'

/** Every object in the files of manifests/`folder`, as they are, without kustomize. */
export const shipped = (folder: string): readonly KubeObject[] =>
  globSync(`manifests/${folder}/*.yaml`)
    .sort()
    .flatMap((file) => parseAllDocuments(readFileSync(file, 'utf8')).map((document): KubeObject => document.toJS()))
    .filter(({ kind }) => kind !== 'Kustomization' && kind !== 'Component')

/** The object of `kind` and `name` in manifests/`folder`. @throws Error if there is none */
export function shippedOne(folder: string, kind: string, name: string): KubeObject {
  const found = shipped(folder).find((object) => object.kind === kind && object.metadata.name === name)
  if (!found) throw new Error(`manifests/${folder} has no ${kind} ${name}`)
  return found
}

/**
 * How the manifest of a program starts Node: flags, the bundle of `npm run build`, and the settings of the allocator.
 */
export function shippedCommand(program: 'controller' | 'webhook') {
  const workload = shippedOne('base', 'Deployment', `experiment-${program}`)
  const [container] = listOr(at(workload, 'spec', 'template', 'spec', 'containers'))
  const args = listOr(at(container, 'args')).map(String)
  const variables = listOr(at(container, 'env')).map((variable) => [at(variable, 'name'), at(variable, 'value')])
  const env: Readonly<Record<string, string>> = Object.fromEntries(
    variables.filter(([name]) => String(name).startsWith('MALLOC_')),
  )
  return { flags: args.slice(0, -1), file: args.at(-1) ?? '', env }
}

/** The memory that the manifest gives a program, in MiB. */
export function shippedMemoryMiB(program: 'controller' | 'webhook' = 'controller'): number {
  const { spec } = shippedOne('base', 'Deployment', `experiment-${program}`)
  const [container] = listOr(at(spec, 'template', 'spec', 'containers'))
  const limit = textOr(at(container, 'resources', 'limits', 'memory'), '')
  const [, count, unit] = /^(\d+)(Mi|Gi)$/.exec(limit) ?? []
  return Number(count) * (unit === 'Gi' ? 1024 : 1)
}

/** The user and the group that the manifest gives a program. */
export function shippedUser(program: 'controller' | 'webhook') {
  const { spec } = shippedOne('base', 'Deployment', `experiment-${program}`)
  const idOf = (key: string) => Number(at(spec, 'template', 'spec', 'securityContext', key))
  return { user: idOf('runAsUser'), group: idOf('runAsGroup') }
}

/**
 * Flags for the heap that V8 takes where the memory of the controller is that of its container: on a large machine it
 * would collect garbage later.
 */
export const heapFlags = (): readonly string[] => [
  `--max-old-space-size=${shippedMemoryMiB() / 2}`,
  '--max-semi-space-size=1',
]
