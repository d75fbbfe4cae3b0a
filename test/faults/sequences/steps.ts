import fc from 'fast-check'
import { SHAPES, type Shape } from './source.ts'

/** What may happen to an experiment, and how often beside the others. */
const WEIGHTS = {
  /** an override made from the schema, or such as people write */
  override: 9,
  /** one with mistakes */
  mistake: 4,
  /** one that must be refused */
  never: 1,
  /** a field of the experiment that its CRD refuses */
  malformed: 1,
  /** the other merge type for the same override */
  type: 1,
  /** the number of replicas, by an edit or by the subresource */
  scale: 2,
  /** another number of seconds to live, labels and annotations of the experiment */
  note: 1,
  /** the owner of the source changes it */
  source: 4,
  /** the source loses what the override needs, and gets it back */
  break: 1,
  /** the source is deleted, and created again */
  vanish: 1,
  /** Follow or Pin */
  toggle: 2,
  /** the experiment is deleted, and created again under its name */
  again: 2,
  /** somebody changes the fork, takes its marks away or deletes it */
  fork: 3,
  /** another experiment is created with the last spec at once */
  rival: 1,
} as const

export type Operation = keyof typeof WEIGHTS | 'restart'

/** One change. The seed decides all that its operation leaves open. */
export interface Step {
  readonly operation: Operation
  readonly seed: number
}

/** Changes of one experiment and its source, one after the other. */
export interface Plan {
  readonly shape: Shape
  readonly steps: readonly Step[]
}

const weighted = Object.entries(WEIGHTS).map(([operation, weight]) => ({
  weight: 2 * weight,
  arbitrary: fc.constant(operation as Operation),
}))
/** All sequences wait for a restart of the controller, so there are few. */
const anOperation = fc.oneof(...weighted, { weight: 1, arbitrary: fc.constant<Operation>('restart') })

/** Plans of up to `length` steps. A plan shrinks by leaving out steps, which then mean what they meant before. */
export const aPlan = (length: number): fc.Arbitrary<Plan> =>
  fc.record({
    shape: fc.noShrink(fc.constantFrom(...SHAPES)),
    steps: fc.array(fc.noShrink(fc.record({ operation: anOperation, seed: fc.nat() })), {
      minLength: 1,
      maxLength: length,
      size: 'max',
    }),
  })
