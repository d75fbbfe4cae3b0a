import { ONE, parseQuantity } from '../api/quantity.ts'
import type { OverrideType } from '../api/types.ts'
import { formatPath } from '../json/field-path.ts'
import { at, isObject, listOr, member } from '../json/json.ts'
import type { Shape } from '../override/shape.ts'

/** More cores than most nodes have. Whoever forgets the `m` asks for a thousand times what is meant. */
const MANY_CORES = 100

/** An override as its author wrote it. */
export interface AuthoredOverride {
  readonly overrideSpec: unknown
  readonly overrideType: OverrideType
  readonly shape: Shape
}

/** A line for each part of an override that Kubernetes accepts but that its author rarely means. */
export function likelyMistakes({ overrideSpec, overrideType, shape }: AuthoredOverride): readonly string[] {
  const pod = at(overrideSpec, 'template', 'spec')
  return [
    ...(overrideType === 'Strategic' ? emptyLists(overrideSpec, shape) : []),
    ...['containers', 'initContainers'].flatMap((list) =>
      listOr(member(pod, list)).flatMap((container) => inContainer(list, container)),
    ),
  ]
}

/** Strategic adds the items of a list to those of the source, so an empty one does nothing. */
function emptyLists(overrideSpec: unknown, shape: Shape): readonly string[] {
  const found: string[] = []
  const visit = (value: unknown, at: Shape, path: string): void => {
    if (Array.isArray(value)) {
      if (at.keys.length === 0) return
      if (value.length === 0)
        found.push(
          `${path.replace('template.spec.', '')}: [] changes nothing under Strategic; use Merge to remove items`,
        )
      for (const item of value) {
        const [key = { key: '' }] = at.keys
        visit(item, at.items(), `${path}[${member(item, key.key)}]`)
      }
    } else if (isObject(value))
      for (const key in value) visit(value[key], at.member(key), formatPath(path, [key]).replace(/^\./, ''))
  }
  visit(overrideSpec, shape, '')
  return found
}

function inContainer(list: string, container: unknown): readonly string[] {
  const where = `${list}[${member(container, 'name')}]`
  const resources = member(container, 'resources')
  const cores = ['requests', 'limits'].flatMap((kind) => {
    const cpu = at(resources, kind, 'cpu')
    const amount = parseQuantity(cpu) ?? 0n
    if (amount < BigInt(MANY_CORES) * ONE) return []
    const hint = /^\d+$/.test(`${cpu}`) ? `; did you mean "${cpu}m"?` : ', more than most nodes have'
    return [`${where}.resources.${kind}.cpu: ${cpu} is ${Number(amount) / Number(ONE)} cores${hint}`]
  })
  const capabilities = listOr(at(container, 'securityContext', 'capabilities', 'add'))
    .filter((name) => typeof name === 'string' && name.startsWith('CAP_'))
    .map((name) => `${where} adds ${name}: most runtimes know it as ${String(name).slice('CAP_'.length)}`)
  return [...cores, ...capabilities, ...oneWord(where, container)]
}

/** A program whose name has blanks: each word is to be an item. */
function oneWord(where: string, container: unknown): readonly string[] {
  const [program] = listOr(member(container, 'command'))
  if (typeof program !== 'string' || !/^[\w./-]+ /.test(program)) return []
  return [`${where}.command runs a program with blanks in its name; make each word an item of the list`]
}
