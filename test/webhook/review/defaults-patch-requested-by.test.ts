import { expect } from 'chai'
import { REQUESTED_BY, REVIEWED_REPLICAS } from '../../../common/api/names.ts'
import { annotationErrors } from '../../../webhook/review/defaults-patch.ts'
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
      expect(annotationErrors(aRequest({ object: by(said), ...oldObject }))).to.deep.equal(is === 'fine' ? [] : FORGED)
    })
})

describe('the reviewed replicas in the annotation', () => {
  const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'stock' }
  const elsewhere = (replicas: number, reviewed?: string, of: object = { sourceRef }) =>
    anExperiment({
      ...of,
      replicas,
      metadata: reviewed === undefined ? {} : { annotations: { [REVIEWED_REPLICAS]: reviewed } },
    })
  const fields = (object: ReturnType<typeof anExperiment>, oldObject?: ReturnType<typeof anExperiment>) =>
    annotationErrors(aRequest({ object, ...(oldObject && { oldObject }) })).map(({ field }) => field)
  const field = `metadata.annotations["${REVIEWED_REPLICAS}"]`

  it('S2: may be those of the request, those that are stored, or absent', () => {
    expect(fields(elsewhere(3, '3'))).to.deep.equal([])
    expect(fields(elsewhere(3))).to.deep.equal([])
    expect(fields(elsewhere(300, '3'), elsewhere(2, '3'))).to.deep.equal([])
  })

  it('S2: must not be more than the request asks for', () => {
    expect(fields(elsewhere(1, '300'))).to.deep.equal([field])
    expect(fields(elsewhere(1, '300'), elsewhere(1, '3'))).to.deep.equal([field])
  })

  it('have no place where the source is in the namespace of the experiment', () =>
    expect(fields(elsewhere(3, '3', {}))).to.deep.equal([field]))
})
