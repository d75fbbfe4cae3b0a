import { expect } from 'chai'
import { REQUESTED_BY } from '../../common/api/names.ts'
import { forgedRequester } from '../../webhook/requested-by.ts'
import { anExperiment } from '../builders.ts'
import { aRequest } from './reviews.ts'

const by = (username: string | undefined) =>
  anExperiment({ metadata: { annotations: username === undefined ? {} : { [REQUESTED_BY]: username } } })

const FORGED = [
  {
    field: `metadata.annotations["${REQUESTED_BY}"]`,
    message: 'is set by the webhook to who asks; remove it',
    cause: 'FieldValueForbidden',
  },
]

describe('who is said to have asked, when alice does', () => {
  /** what is said; for an update, what was said */
  const cases: Record<
    string,
    readonly [said: string | undefined, before: string | 'nobody' | undefined, is: 'fine' | 'forged']
  > = {
    'may be nobody': [undefined, undefined, 'fine'],
    'may be alice': ['alice', undefined, 'fine'],
    'is nobody else in a create': ['root', undefined, 'forged'],
    'may stay who it was': ['bob', 'bob', 'fine'],
    'may become alice': ['alice', 'bob', 'fine'],
    'may become nobody: mutation was skipped, and nothing is claimed': [undefined, 'bob', 'fine'],
    'becomes nobody else': ['root', 'bob', 'forged'],
    'becomes nobody else where it was nobody': ['root', 'nobody', 'forged'],
  }
  for (const [sentence, [said, before, is]] of Object.entries(cases))
    it(sentence, () => {
      const oldObject = before && { oldObject: by(before === 'nobody' ? undefined : before) }
      expect(forgedRequester(aRequest({ object: by(said), ...oldObject }))).to.deep.equal(is === 'fine' ? [] : FORGED)
    })
})
