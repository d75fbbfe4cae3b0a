import { withDefaults } from '../common/api/defaults.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import type { SpecSchema } from '../common/override/spec-schema.ts'
import type { Yielder } from '../common/program/yielder.ts'

interface UsedSchemas {
  /** every experiment in the cluster */
  readonly experiments: Iterable<Pick<ExperimentDeployment, 'spec'>>
  readonly schemaOf: (kind: string) => SpecSchema | undefined
  readonly yielder: Pick<Yielder, 'isLong' | 'nextTurn'>
}

/**
 * Compiles the checks that passes over `experiments` use, each in a turn of its own. A check is compiled at its first
 * use, which takes up to 250 ms of a processor. A candidate has time for that. A leader must renew its Lease meanwhile.
 */
export async function compileUsed({ experiments, schemaOf, yielder }: UsedSchemas): Promise<void> {
  const uses = new Map<string, () => unknown>()
  for (const { spec } of experiments) {
    const { sourceRef, overrideType } = withDefaults(spec)
    const schema = schemaOf(sourceRef.kind)
    uses.set(`${sourceRef.kind} whole`, () => schema?.checkWhole({}))
    uses.set(`${sourceRef.kind} ${overrideType}`, () => schema?.check({}, overrideType))
  }
  for (const use of uses.values()) {
    while (yielder.isLong) await yielder.nextTurn()
    try {
      use()
    } catch {
      // a schema that cannot be compiled: the passes that need it fail, and log why
    }
  }
}
