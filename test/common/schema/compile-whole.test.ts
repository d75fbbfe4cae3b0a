import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { deploymentSchema } from './openapi.ts'

const schema = deploymentSchema()
const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const container = (members: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', ...members }] })

describe('compile, for a whole spec', () => {
  const whole = (spec: JsonObject) =>
    schema.checkWhole(spec).map(({ field, message, path }) => `${field} [${path.length}]: ${message}`)
  const complete = { selector: {}, ...pod({ containers: [{ name: 'cart', image: 'x' }] }) }

  it('accepts a complete spec', () => expect(whole(complete)).to.deep.equal([]))

  it('requires every required field, and refuses null', () => {
    const spec = pod({ affinity: { deep: {} }, terminationGracePeriodSeconds: null, shareProcessNamespace: true })
    expect(whole(spec)).to.deep.equal([
      'spec.selector [1]: required',
      'spec.template.spec.containers [3]: required',
      'spec.template.spec.affinity.deep.key [5]: required',
      'spec.template.spec.terminationGracePeriodSeconds [3]: expected integer, got null',
    ])
  })

  it('finds duplicates, quantities and misspelt fields as in an override', () => {
    const spec = container({ env: [{ name: 'A' }, { name: 'A' }], imge: 1, resources: { limits: { cpu: '1O0m' } } })
    expect(whole({ ...complete, ...spec }).map((line) => line.split(' ')[0])).to.deep.equal(
      ['env[1].name', 'imge', 'resources.limits.cpu'].map((path) => `spec.template.spec.containers[0].${path}`),
    )
  })
})
