import { env } from 'node:process'

/** What is built from Go modules or taken from them, once on a machine. The first time it takes up to minutes. */
export const NEEDS = {
  controlPlane: 'the control plane',
  argoRollouts: 'the controller of Argo Rollouts',
  promtool: 'promtool',
  helm: 'Helm',
  glua: 'the Lua of Argo CD',
  kubernetesFiles: "the manifests of Kubernetes' tests",
  argoFiles: 'the manifests of Argo Rollouts',
  certManagerFiles: 'the CRDs of cert-manager',
  prometheusFiles: 'the CRDs of the Prometheus Operator',
} as const

/** One of them. */
export type Need = keyof typeof NEEDS

/**
 * The variable with the needs of the tests that run now, separated by spaces, for this process and those that it
 * starts. Without it, everything may be used, and is built or downloaded on its first use.
 */
export const DECLARED = 'DECLARED_NEEDS'

/**
 * Called before one of them is used. @throws Error if tests run that have not declared it, also where it is there:
 * where it is not, a test would wait for it on its own clock
 */
export function mayUse(need: Need): void {
  const declared = env[DECLARED]
  if (declared === undefined || declared.split(' ').includes(need)) return
  throw new Error(`this test uses ${NEEDS[need]}, which it has not declared: call needs('${need}') in its describe`)
}
