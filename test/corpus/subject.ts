import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { baseOf } from '../../common/fork/base.ts'
import { at, isObject, type JsonObject, listOr, member } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { NO_SHAPE } from '../../common/override/shape.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import type { Api } from '../../sandbox/api.ts'

/** The three ways each workload is forked. */
export const VARIANTS = ['plain', 'merge', 'strategic'] as const
export type Variant = (typeof VARIANTS)[number]

export const FIRST_IMAGE = 'registry.example/corpus:1'
export const SECOND_IMAGE = 'registry.example/corpus:2'

/** A workload of the corpus that the API server accepted, and the observations of its forks. */
export interface Subject {
  readonly file: string
  readonly namespace: string
  readonly kind: WorkloadKind
  readonly name: string
  /** the prefix of the names of its experiments */
  readonly prefix: string
  /** the containers of the base of a fork; undefined if the base is missing */
  readonly containers: readonly JsonObject[] | undefined
  readonly failures: string[]
  readonly warnings: Set<string>
  /**
   * the writes that the plan named at apply, as the audit log names them: `patch deployments/shop/cart-experiment-…`
   */
  readonly planned: string[]
  outcome: string
  services: string
  share: string
}

/** The containers of the base of a fork of `source`, from the derivation of the product. */
export async function containersOf(
  api: Api,
  kind: WorkloadKind,
  source: KubeObject,
): Promise<readonly JsonObject[] | undefined> {
  const namespace = source.metadata.namespace ?? ''
  const referents = await Promise.all(
    kind.references(source).map(async ({ resource, name, labelSelector }) => {
      const path = resourcePath(resource, { namespace })
      if (name === undefined) return api.list(`${path}?labelSelector=${encodeURIComponent(labelSelector)}`)
      return (await api.list(path)).filter(({ metadata }) => metadata.name === name)
    }),
  )
  const based = baseOf(kind, { source, referents: referents.flat(), shape: NO_SHAPE })
  if (based.is !== 'base') return undefined
  const containers = listOr(at(based.base.spec, 'template', 'spec', 'containers')).filter(isObject)
  return containers.length > 0 ? (containers as unknown as JsonObject[]) : undefined
}

/** The override that gives the first container `image`, as a user of that variant would write it. */
export function overrideOf({ containers }: Subject, variant: Variant, image: string): JsonObject {
  const [first, ...others] = containers ?? []
  if (variant === 'plain' || !first) return {}
  const name = member(first, 'name') as string
  const list = variant === 'merge' ? [{ ...first, image }, ...others] : [{ name, image }]
  return { template: { spec: { containers: list } } }
}

export const experimentName = ({ prefix }: Subject, variant: Variant): string => `${prefix}-${variant}`

/** The manifest of one experiment. */
export const experimentOf = (subject: Subject, variant: Variant, image: string) => ({
  apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
  kind: EXPERIMENT_DEPLOYMENT.kind,
  metadata: { name: experimentName(subject, variant), namespace: subject.namespace },
  spec: {
    sourceRef: { kind: subject.kind.kind, name: subject.name },
    overrideType: variant === 'strategic' ? 'Strategic' : 'Merge',
    overrideSpec: overrideOf(subject, variant, image),
  },
})

/** All experiments of the cluster, by `namespace/name`. */
export async function experimentsBy(api: Api): Promise<ReadonlyMap<string, ExperimentDeployment>> {
  const all = await api.list<ExperimentDeployment>(resourcePath(EXPERIMENT_DEPLOYMENT))
  return new Map(all.map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]))
}
