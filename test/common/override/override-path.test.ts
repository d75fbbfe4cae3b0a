import { expect } from 'chai'
import type { OverrideType } from '../../../common/api/types.ts'
import { formatPath, type Path } from '../../../common/json/field-path.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { overridePath } from '../../../common/override/override-path.ts'
import { deploymentSchema } from '../schema/openapi.ts'

const { shape } = deploymentSchema()
const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const containers = (...items: JsonObject[]): JsonObject => pod({ containers: items })
const [proxy, cart] = [
  { name: 'proxy', image: 'b:1' },
  { name: 'cart', image: 'a:1', env: [{ name: 'A' }, { name: 'B' }] },
]
const MERGED = containers(proxy, cart)
const CART: Path = ['template', 'spec', 'containers', 1]

const cases: Record<string, readonly [OverrideType, JsonObject, Path, found: string, isWhole?: boolean]> = {
  'is the same under Merge, because lists are replaced': [
    'Merge',
    containers(proxy, { name: 'cart', image: 'a:1' }),
    [...CART, 'image'],
    '.template.spec.containers[1].image',
    true,
  ],
  'has the index of the item with the same key under Strategic': [
    'Strategic',
    containers({ name: 'cart', image: 'a:1' }),
    [...CART, 'image'],
    '.template.spec.containers[0].image',
    true,
  ],
  'has it in nested lists too': [
    'Strategic',
    containers({ name: 'cart', env: [{ name: 'B' }] }),
    [...CART, 'env', 1, 'name'],
    '.template.spec.containers[0].env[0].name',
    true,
  ],
  'goes as far as the override does': [
    'Strategic',
    containers({ name: 'cart', env: [{ name: 'B' }] }),
    [...CART, 'env', 0, 'name'],
    '.template.spec.containers[0].env',
    false,
  ],
  'is no whole one for a value that the source sets': [
    'Strategic',
    containers({ name: 'cart' }),
    [...CART, 'image'],
    '.template.spec.containers[0].image',
    false,
  ],
  'is that of a field which both lack': [
    'Strategic',
    containers({ name: 'cart' }),
    [...CART, 'tty'],
    '.template.spec.containers[0].tty',
    true,
  ],
  'ends at a null': [
    'Strategic',
    pod({ hostNetwork: null }),
    ['template', 'spec', 'hostNetwork'],
    '.template.spec.hostNetwork',
    true,
  ],
  'is absent where the override has not even the first step': ['Merge', { paused: true }, ['template'], 'none'],
}

describe('the path in an override', () => {
  for (const [sentence, [overrideType, overrideSpec, path, found, isWhole]] of Object.entries(cases))
    it(sentence, () => {
      const place = overridePath({ spec: MERGED, overrideSpec, overrideType, shape }, path)
      expect(place ? formatPath('', place.path) : 'none').to.equal(found)
      expect(place?.isWhole).to.equal(isWhole)
    })
})
