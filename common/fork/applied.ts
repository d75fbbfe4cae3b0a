import type { KubeObject } from '../api/object.ts'
import { objectOr } from '../json/json.ts'
import { workloadKind } from '../workload/registry.ts'
import { withAccountAlias } from '../workload/service-account.ts'

/**
 * A derived fork in the form in which it is applied. It means the same, and server-side apply can take every field of
 * it away again.
 */
export function applied(fork: KubeObject): KubeObject {
  const spec = withAccountAlias(objectOr(fork.spec))
  return { ...fork, spec: workloadKind(fork.kind)?.withOwnedDefaults(spec) ?? spec }
}
