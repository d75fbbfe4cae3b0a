/** Paths of changes, written as text, for tests. */

import type { ItemStep, PathStep } from '../../../common/override/path.ts'

export const key = (name: string): PathStep => ({ is: 'member', key: name })

/** An item known by `name`, in a list that has no keys by its schema. */
export const item = (name: string, became?: ItemStep['became']): PathStep => ({
  is: 'item',
  names: [name],
  index: 0,
  keyed: undefined,
  became,
})

/** `a.b[c]` as steps. `[+c]` was added, `[-c]` was removed. */
export const steps = (text: string): readonly PathStep[] =>
  [...text.matchAll(/([^.[\]]+)|\[([+-]?)([^\]]*)\]/g)].map(([, name, sign, within = '']) =>
    name === undefined ? item(within, sign === '+' ? 'added' : sign === '-' ? 'removed' : undefined) : key(name),
  )
