import { expect } from 'chai'
import type { FieldError } from '../../../common/api/types.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { ratchet } from '../../../webhook/ratchet/ratchet.ts'
import { anExperiment } from '../../builders.ts'

const at = (field: string, message = 'wrong'): FieldError => ({ field, message, cause: 'FieldValueInvalid' })
const A = 'spec.overrideSpec.a'
const B = 'spec.overrideSpec.b'
const spec = (overrideSpec: JsonObject) => anExperiment({ overrideSpec }).spec
const judged = (of: JsonObject, ...errors: FieldError[]) => ({ spec: spec(of), errors })

describe('a mistake that the stored experiment has too', () => {
  type Judged = ReturnType<typeof judged>
  /** now; before; the fields that are still refused */
  const cases: Record<string, readonly [Judged, Judged | undefined, ...string[]]> = {
    'is only a warning': [judged({ a: 1 }, at(A)), judged({ a: 1 }, at(A))],
    'is only a warning although something else changes': [judged({ a: 1, b: 2 }, at(A)), judged({ a: 1 }, at(A))],
    'is refused if its value has changed': [judged({ a: 2 }, at(A)), judged({ a: 1 }, at(A)), A],
    'is refused if its message is another one': [judged({ a: 1 }, at(A)), judged({ a: 1 }, at(A, 'odd')), A],
    'is refused if its path is another one': [judged({ a: 1, b: 1 }, at(B)), judged({ a: 1, b: 1 }, at(A)), B],
    'is only a warning about a field that is absent in both': [judged({}, at(A)), judged({}, at(A))],
    'is reported separately from a new one': [judged({ a: 1, b: 1 }, at(A), at(B)), judged({ a: 1 }, at(A)), B],
    'is refused where there was no mistake': [judged({ a: 1 }, at(A)), judged({ a: 1 }), A],
    'is refused where there is no stored experiment': [judged({ a: 1 }, at(A)), undefined, A],
  }
  for (const [sentence, [now, before, ...refused]] of Object.entries(cases))
    it(sentence, () => {
      const { errors, known } = ratchet(now, () => before)
      expect(errors.map(({ field }) => field)).to.deep.equal(refused)
      expect([...errors, ...known]).to.have.members([...now.errors])
    })

  it('is not looked for where there is no mistake now, because that costs time', () => {
    const before = () => expect.fail('judged')
    expect(ratchet(judged({ a: 1 }), before)).to.deep.equal({ errors: [], known: [] })
  })
})
