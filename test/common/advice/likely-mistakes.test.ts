import { expect } from 'chai'
import { likelyMistakes } from '../../../common/advice/likely-mistakes.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { deploymentSchema } from '../schema/openapi.ts'

const { shape } = deploymentSchema()
const container = (members: JsonObject): JsonObject => ({
  template: { spec: { containers: [{ name: 'cart', ...members }] } },
})

const cases: Record<string, readonly [OverrideType, JsonObject, ...string[]]> = {
  'is an empty list under Strategic, which removes nothing': [
    'Strategic',
    container({ env: [] }),
    'containers[cart].env: [] changes nothing under Strategic; use Merge to remove items',
  ],
  'is no empty list that replaces another': ['Strategic', container({ args: [] })],
  'is no empty list under Merge': ['Merge', container({ env: [] })],
  'is a hundred cores': [
    'Merge',
    container({ resources: { requests: { cpu: 500 }, limits: { cpu: '99' } } }),
    'containers[cart].resources.requests.cpu: 500 is 500 cores; did you mean "500m"?',
  ],
  'is a hundred cores in another unit, where an m would make no sense': [
    'Merge',
    container({ resources: { requests: { cpu: '150500m' }, limits: { cpu: '1k' } } }),
    'containers[cart].resources.requests.cpu: 150500m is 150.5 cores, more than most nodes have',
    'containers[cart].resources.limits.cpu: 1k is 1000 cores, more than most nodes have',
  ],
  'is a capability with its prefix': [
    'Merge',
    container({ securityContext: { capabilities: { add: ['CAP_NET_ADMIN', 'SYS_TIME'] } } }),
    'containers[cart] adds CAP_NET_ADMIN: most runtimes know it as NET_ADMIN',
  ],
  'is a whole command line in one item': [
    'Merge',
    container({ command: ['sh -c env'] }),
    'containers[cart].command runs a program with blanks in its name; make each word an item of the list',
  ],
  'is no blank in a later item': ['Merge', container({ command: ['sh', '-c', 'echo a b'] })],
  'is nothing in values of other types': ['Strategic', { template: { spec: { containers: [null, 1] } }, a: null }],
}

describe('a likely mistake', () => {
  for (const [sentence, [overrideType, overrideSpec, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(likelyMistakes({ overrideSpec, overrideType, shape })).to.deep.equal(expected))
})
