import { IS_EXPERIMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { Api } from '../api.ts'
import type { Answers } from './burst.ts'

/** The number of requests that the experiment and the source answered. */
export interface AnswerCounts {
  readonly source: number
  readonly experiment: number
  readonly failed: number
}

/** Addresses of pods. */
export type Addresses = ReadonlySet<string>

/** The addresses of all pods of experiments in `namespace` with `labels`, for example "app=cart". */
export async function experimentAddresses(api: Api, namespace: string, labels: string): Promise<Addresses> {
  const selector = encodeURIComponent(`${IS_EXPERIMENT}=true,${labels}`)
  const pods = await api.list<KubeObject & { readonly status: { readonly podIP?: string } }>(
    `/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`,
  )
  return new Set(pods.flatMap(({ status }) => status.podIP ?? []))
}

/** How many requests went to the pods of `experiment`, and how many to other pods. */
export function sidesOf({ byPod, failures }: Answers, experiment: Addresses): AnswerCounts {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const toExperiment = Object.entries(byPod).flatMap(([pod, count]) => (experiment.has(pod) ? count : []))
  const answered = sum(Object.values(byPod))
  return {
    source: answered - sum(toExperiment),
    experiment: sum(toExperiment),
    failed: sum(Object.values(failures)),
  }
}
