import { expect } from 'chai'
import { parseJson } from '../../../common/json/json.ts'
import { valueErrors } from '../../../common/pod/value-errors.ts'

describe('a kind of volume with the name of a member of every object', () => {
  for (const kind of ['constructor', 'toString', '__proto__'])
    it(`${kind} is no mistake in a value: the schema of a Rollout allows any kind`, () => {
      const template = `{"spec": {"volumes": [{"name": "v", "${kind}": {}}]}}`
      const spec = { strategy: { canary: {} }, template: parseJson(template) }
      const origin = { overrideType: 'Merge', sourceContainers: () => ['cart'] } as const
      expect(valueErrors('Rollout', spec, origin)).to.deep.equal([])
    })
})
