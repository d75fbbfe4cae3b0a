import { expect } from 'chai'
import { formatPath } from '../../common/json/field-path.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { valueErrors } from '../../common/pod/value-errors.ts'
import { aSpec, type ValueCase } from './case.ts'

/** The mistakes in `aSpec` with `patch`, one line each. The source has one container `cart`. */
export const told = ({ kind = 'Deployment' }: Pick<ValueCase, 'kind'>, patch: JsonObject): readonly string[] =>
  valueErrors(kind, aSpec(kind, patch), { overrideType: 'Merge', sourceContainers: () => ['cart'] }).map(
    ({ path, message }) => `${formatPath('', path).slice(1)}: ${message}`,
  )

/** To be called in a `describe`: a test for each of `cases`. */
export function testsOf(cases: readonly ValueCase[]): void {
  for (const each of cases)
    it(each.title, () => {
      expect(told(each, each.accepted), 'accepted').to.deep.equal([])
      expect(told(each, each.refused), 'refused').to.deep.equal(each.errors)
    })
}
