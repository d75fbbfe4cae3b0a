/** Pods of a gated fork, for tests. */
import fc from 'fast-check'
import type { GatedPod } from '../../../common/strategy/gate.ts'

/** A shut pod of revision `new`, whose containers are ready. */
export const aGatedPod = (name: string, of: Partial<GatedPod> = {}): GatedPod => ({
  name,
  uid: `uid-of-${name}`,
  revision: 'new',
  hasReadyContainers: true,
  isOpen: false,
  isReady: false,
  isBeingDeleted: false,
  ...of,
})

/** Any few pods of two revisions. A pod may still count as ready, although its containers or its gate are not. */
export const anyGatedPods: fc.Arbitrary<readonly GatedPod[]> = fc.uniqueArray(
  fc
    .record({
      name: fc.constantFrom(...Array.from({ length: 12 }, (_, ordinal) => `cart-${ordinal}`)),
      revision: fc.constantFrom('new', 'old'),
      hasReadyContainers: fc.boolean(),
      isOpen: fc.boolean(),
      isReady: fc.boolean(),
      isBeingDeleted: fc.boolean(),
    })
    .map(({ name, ...of }) => aGatedPod(name, of)),
  { selector: ({ name }) => name, maxLength: 10 },
)
