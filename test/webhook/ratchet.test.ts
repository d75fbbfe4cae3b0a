import { expect } from 'chai'
import type { ExperimentDeploymentSpec, FieldError } from '../../common/api/types.ts'
import { ratchet } from '../../webhook/ratchet.ts'
import { anExperiment } from '../builders.ts'

const at = (field: string, message = 'wrong'): FieldError => ({ field, message, cause: 'FieldValueInvalid' })
const A = 'spec.overrideSpec.a'
const B = 'spec.overrideSpec.b'
const spec = (overrideSpec: ExperimentDeploymentSpec['overrideSpec']) => anExperiment({ overrideSpec }).spec
const judged = (of: Parameters<typeof spec>[0], ...errors: FieldError[]) => ({ spec: spec(of), errors })

describe('what was wrong before', () => {
  type Judged = ReturnType<typeof judged>
  /** now; before; what is still refused */
  const cases: Record<string, readonly [Judged, Judged | undefined, ...string[]]> = {
    'is only told': [judged({ a: 1 }, at(A)), judged({ a: 1 }, at(A))],
    'is only told although something else is changed': [judged({ a: 1, b: 2 }, at(A)), judged({ a: 1 }, at(A))],
    'is refused of another value': [judged({ a: 2 }, at(A)), judged({ a: 1 }, at(A)), A],
    'is refused in other words': [judged({ a: 1 }, at(A)), judged({ a: 1 }, at(A, 'odd')), A],
    'is refused at another path': [judged({ a: 1, b: 1 }, at(B)), judged({ a: 1, b: 1 }, at(A)), B],
    'is only told of what is not there, and was not before': [judged({}, at(A)), judged({}, at(A))],
    'is told apart from what is new': [judged({ a: 1, b: 1 }, at(A), at(B)), judged({ a: 1 }, at(A)), B],
    'is refused where nothing was wrong': [judged({ a: 1 }, at(A)), judged({ a: 1 }), A],
    'is refused where nobody knows what was': [judged({ a: 1 }, at(A)), undefined, A],
  }
  for (const [sentence, [now, before, ...refused]] of Object.entries(cases))
    it(sentence, () => {
      const { errors, known } = ratchet(now, () => before)
      expect(errors.map(({ field }) => field)).to.deep.equal(refused)
      expect([...errors, ...known]).to.have.members([...now.errors])
    })

  it('is not looked for where nothing is wrong now: to judge costs time', () => {
    const before = () => expect.fail('judged')
    expect(ratchet(judged({ a: 1 }), before)).to.deep.equal({ errors: [], known: [] })
  })
})
