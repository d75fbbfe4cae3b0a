import type { TemplateUse } from '../../common/api/analysis/analysis.ts'
import { readImage } from '../../common/api/image.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { CanaryStep } from '../../common/api/strategy.ts'
import { at, listOr, textOr } from '../../common/json/json.ts'
import type { Source, WorkloadKind } from '../../common/workload/kind.ts'
import type { EnvFlag, ImageFlag } from '../flags/of-container.ts'
import { EXIT } from '../process/exit-codes.ts'
import { misuse, Stop } from '../process/stop.ts'

/** What a new experiment shall be, as the flags say. */
export interface Wanted {
  readonly namespace: string
  /** default: of the source and its first image */
  readonly name?: string
  readonly images: readonly ImageFlag[]
  readonly env: readonly EnvFlag[]
  readonly replicas?: number
  readonly ttlSeconds?: number
  /** absent: no strategy */
  readonly steps?: readonly CanaryStep[]
  /** absent: no analysis; empty: one about restarts */
  readonly templates?: readonly TemplateUse[]
}

/** The containers of a template by name, and in which list of a pod each is. */
type Containers = ReadonlyMap<string, 'containers' | 'initContainers'>

/**
 * The manifest of the experiment on `source` that `wanted` describes, with the smallest override: each container has
 * its name and what is changed.
 * @throws Stop if a container is not in the template, or if several could be meant
 */
export function experimentFrom(
  wanted: Wanted,
  { kind, source }: { readonly kind: WorkloadKind; readonly source: Source },
) {
  const { name: sourceName } = source.object.metadata
  const { namespace, replicas, ttlSeconds, steps, templates } = wanted
  const containers = containersOf(kind, source)
  const pod = podOverride(wanted, containers)
  return {
    apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
    kind: EXPERIMENT_DEPLOYMENT.kind,
    metadata: { name: wanted.name ?? defaultName(sourceName, wanted.images), namespace },
    spec: {
      sourceRef: { kind: kind.kind, name: sourceName },
      ...(replicas === undefined ? {} : { replicas }),
      overrideType: 'Strategic',
      overrideSpec: Object.keys(pod).length === 0 ? {} : { template: { spec: pod } },
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
      ...(steps === undefined ? {} : { strategy: { canary: { steps } } }),
      ...(templates === undefined ? {} : { analysis: templates.length === 0 ? {} : { templates } }),
    },
  } as const
}

function containersOf(kind: WorkloadKind, { object, referents }: Source): Containers {
  const found = kind.template(object, referents)
  if (found.is === 'missing')
    throw new Stop(EXIT.failed, `the source has no template: ${found.message}`, 'Wait until it has one, and try again.')
  const namesIn = (list: 'containers' | 'initContainers') =>
    listOr(at(found.template, 'spec', list)).map((each) => [textOr(at(each, 'name'), ''), list] as const)
  return new Map([...namesIn('initContainers'), ...namesIn('containers')])
}

interface Change {
  image?: string
  readonly env: { readonly name: string; readonly value: string }[]
}

function podOverride({ images, env }: Wanted, containers: Containers) {
  const changes = new Map<string, Change>()
  const changeOf = (where: string, container: string | undefined): Change => {
    const name = containerOf(where, container, containers)
    const change = changes.get(name) ?? { env: [] }
    changes.set(name, change)
    return change
  }
  const written = (container: string | undefined, sign: string) => (container === undefined ? '' : container + sign)
  for (const { container, image } of images)
    changeOf(`--image ${written(container, '=')}${image}`, container).image = image
  for (const { container, name, value } of env)
    changeOf(`--env ${written(container, ':')}${name}`, container).env.push({ name, value })
  const itemsOf = (list: 'containers' | 'initContainers') =>
    [...changes]
      .filter(([name]) => containers.get(name) === list)
      .map(([name, { image, env }]) => ({
        name,
        ...(image === undefined ? {} : { image }),
        ...(env.length === 0 ? {} : { env }),
      }))
  const [init, usual] = [itemsOf('initContainers'), itemsOf('containers')]
  return {
    ...(init.length === 0 ? {} : { initContainers: init }),
    ...(usual.length === 0 ? {} : { containers: usual }),
  }
}

/** The name of the container that a flag means. */
function containerOf(where: string, named: string | undefined, containers: Containers): string {
  const usual = [...containers].flatMap(([name, list]) => (list === 'containers' ? [name] : []))
  const [only = ''] = usual
  if (named === undefined && usual.length === 1) return only
  if (named !== undefined && containers.has(named)) return named
  throw misuse(
    where,
    named === undefined ? `the source has ${usual.length} containers` : `the source has no container "${named}"`,
    `Name one of ${[...containers.keys()].join(', ')}.`,
  )
}

const MAX_NAME = 63
const FALLBACK = 'experiment'

/** `cart-2-0-0` for `cart` and its new image `registry.example/cart:2.0.0`. */
function defaultName(source: string, [first]: readonly ImageFlag[]): string {
  const tag = first && readImage(first.image)?.tag
  const name = `${source}-${tag ?? FALLBACK}`.toLowerCase().replaceAll(/[^a-z0-9]/g, '-')
  return name.slice(0, MAX_NAME).replace(/-+$/, '')
}
