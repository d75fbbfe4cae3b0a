import type { Mistake } from './mistake.ts'

/** A mistake, and how well its author can mend it by the first answer. */
export interface GradedMistake extends Mistake {
  /** `at once`: the answer says what to write; `with thought`: it names the field and the rule */
  readonly grade: 'at once' | 'with thought'
  /** for what Kubernetes accepts: the reason of the warning without which the plan would be believed */
  readonly warns?: string
  /** the reason that `Ready` then has; on simulated nodes, where no program runs, some forks are Available */
  readonly ends?: string
}

export const POD = 'spec.overrideSpec.template.spec'
export const CART = `${POD}.containers[0]`

const lines = (yaml: string, by: string): string => yaml.replaceAll(/^(?=.)/gm, by)
export const pod = (yaml: string): string => `template:\n  spec:\n${lines(yaml, '    ')}`
export const cart = (yaml: string): string => pod(`containers:\n- name: cart\n${lines(yaml, '  ')}`)

type Rest = Omit<GradedMistake, 'title' | 'override'>

/** A mistake in the container `cart`, under Strategic. */
export const ofCart = (title: string, yaml: string, { paths, ...rest }: Rest): GradedMistake => ({
  title,
  overrideType: 'Strategic',
  override: cart(yaml),
  paths: paths.map((path) => `${CART}.${path}`),
  ...rest,
})

/** A mistake in the pod, under Strategic. */
export const ofPod = (title: string, yaml: string, { paths, ...rest }: Rest): GradedMistake => ({
  title,
  overrideType: 'Strategic',
  override: pod(yaml),
  paths: paths.map((path) => `${POD}.${path}`),
  ...rest,
})

export const refused = (grade: GradedMistake['grade'], ...paths: readonly string[]): Rest => ({ grade, paths })
export const warned = (grade: GradedMistake['grade'], warns: string, ends = 'Available'): Rest => ({
  grade,
  warns,
  ends,
  paths: [],
})
