import { expect } from 'chai'
import { REQUESTED_BY } from '../../../common/api/names.ts'
import { forgedRequester } from '../../../webhook/review/defaults-patch.ts'
import { anExperiment } from '../../builders.ts'
import { aRequest } from '../reviews.ts'

const by = (username: string | undefined) =>
  anExperiment({ metadata: { annotations: username === undefined ? {} : { [REQUESTED_BY]: username } } })

const FORGED = [
  {
    field: `metadata.annotations["${REQUESTED_BY}"]`,
    message: 'is set by the webhook to the name of the requester; remove it',
    cause: 'FieldValueForbidden',
  },
]

describe('the requester in the annotation, when the user is alice', () => {
  /** the annotation; for an update, the stored one */
  const cases: Record<
    string,
    readonly [said: string | undefined, before: string | 'nobody' | undefined, is: 'fine' | 'forged']
  > = {
    'may be absent': [undefined, undefined, 'fine'],
    'may be alice': ['alice', undefined, 'fine'],
    'must not be another user in a create': ['root', undefined, 'forged'],
    'may stay as it was stored': ['bob', 'bob', 'fine'],
    'may become alice': ['alice', 'bob', 'fine'],
    'may be removed, because that claims nothing where mutation was skipped': [undefined, 'bob', 'fine'],
    'must not become another user': ['root', 'bob', 'forged'],
    'must not become another user where there was none': ['root', 'nobody', 'forged'],
  }
  for (const [sentence, [said, before, is]] of Object.entries(cases))
    it(sentence, () => {
      const oldObject = before && { oldObject: by(before === 'nobody' ? undefined : before) }
      expect(forgedRequester(aRequest({ object: by(said), ...oldObject }))).to.deep.equal(is === 'fine' ? [] : FORGED)
    })
})
