import { at, isObject, type KubeObject, listOr, objectOr } from '../common/api/object.ts'

/** Something that differs between two workloads and may be shown: env values may be secret, these are not. */
export interface Change {
  /** `containers[cart].image` */
  readonly path: string
  readonly from: string
  readonly to: string
}

const LISTS = ['initContainers', 'containers'] as const

/** How `to` differs from `from` in containers, their images and resources. */
export const changes = (from: KubeObject, to: KubeObject): readonly Change[] =>
  LISTS.flatMap((list) => {
    const [before, after] = [named(from, list), named(to, list)]
    const added = [...after.keys()].filter((name) => !before.has(name))
    return [
      ...added.map((name) => ({ path: `${list}[${name}]`, from: 'none', to: show(after.get(name), 'image') })),
      ...[...before].flatMap(([name, container]) => {
        const other = after.get(name)
        return other === undefined ? [] : memberChanges(`${list}[${name}]`, container, other)
      }),
    ]
  })

type Container = Readonly<Record<string, unknown>>

function memberChanges(path: string, before: Container, after: Container): readonly Change[] {
  const paths = [['image'], ...resourcePaths(before, after)]
  return paths
    .map((steps) => ({
      path: [path, ...steps].join('.'),
      from: show(before, ...steps),
      to: show(after, ...steps),
    }))
    .filter(({ from, to }) => from !== to)
}

function resourcePaths(...containers: readonly Container[]): readonly string[][] {
  return ['requests', 'limits'].flatMap((side) => {
    const keys = containers.flatMap((container) => Object.keys(objectOr(at(container, 'resources', side))))
    return [...new Set(keys)].map((key) => ['resources', side, key])
  })
}

const show = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path)
  return found === undefined ? 'none' : String(found)
}

const named = (workload: KubeObject, list: string): ReadonlyMap<string, Container> =>
  new Map(
    listOr(at(workload, 'spec', 'template', 'spec', list))
      .filter(isObject)
      .map((container) => [String(container.name), container]),
  )
