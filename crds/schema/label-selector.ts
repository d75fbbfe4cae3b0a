import type { Note } from './schema.ts'

/** What a label selector of namespaces says to people. Server-side apply stores it as it is applied. */
export const SELECTOR = {
  isAtomic: true,
  members: {
    matchLabels: 'Labels that a namespace must have, with their values.',
    matchExpressions: {
      about: 'Further requirements on the labels of a namespace.',
      keys: 'unsaid',
      itemRules: [
        {
          rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
          fieldPath: '.values',
          message: 'are only for In and NotIn, which need at least one value',
        },
      ],
      members: {
        key: 'The key of a label.',
        operator: 'How the label is compared with the values, or whether it must exist.',
        values: { about: 'The values, for In and NotIn.', keys: 'unsaid' },
      },
    },
  },
} satisfies Partial<Note>
