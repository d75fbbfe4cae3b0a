import { expect } from 'chai'
import { unknownFieldErrors } from '../../../common/assess/merged-errors.ts'
import type { Json } from '../../../common/json/json.ts'
import type { KnownFields } from '../../../common/override/spec-schema.ts'

const knows = (members: Readonly<Record<string, KnownFields>>): KnownFields => ({
  members: new Map(Object.entries(members)),
})
const TEMPLATE = knows({
  metadata: {},
  spec: knows({ containers: { items: knows({ name: {}, image: {} }) }, volumes: {} }),
})

const fields = (template: Json) => unknownFieldErrors('Rollout', template, TEMPLATE).map(({ field }) => field)

describe('the fields of a template that a CRD does not know', () => {
  it('are found in objects and lists', () =>
    expect(
      fields({ metadata: { a: 1 }, spec: { containers: [{ name: 'a' }, { name: 'b', newer: 1 }], newest: {} } }),
    ).to.deep.equal(['spec.template.spec.containers[1].newer', 'spec.template.spec.newest']))

  it('are none below a field about which the CRD says nothing', () =>
    expect(fields({ spec: { volumes: [{ any: 'thing' }] } })).to.deep.equal([]))

  it('are none where the kind has no schema of its own', () =>
    expect(unknownFieldErrors('Deployment', { newer: 1 }, undefined)).to.deep.equal([]))

  it('are told with the kind', () =>
    expect(unknownFieldErrors('Rollout', { spec: { newest: 1 } }, TEMPLATE)).to.deep.equal([
      {
        path: ['template', 'spec', 'newest'],
        field: 'spec.template.spec.newest',
        message: 'Kubernetes knows this field, but the Rollouts of this cluster do not have it; remove it',
        cause: 'FieldValueInvalid',
      },
    ]))
})
