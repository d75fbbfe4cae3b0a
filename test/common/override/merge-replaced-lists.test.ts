import { expect } from 'chai'
import { MAX_WARNING } from '../../../common/api/conditions.ts'
import { boundedOverride } from '../../../common/api/decode.ts'
import type { OverrideType } from '../../../common/api/types.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { merge, replacedLists } from '../../../common/override/merge.ts'
import { fitted } from '../../../common/text/fitted.ts'
import { A_SHAPE } from './nodes.ts'

const A = { name: 'A' }
const B = { name: 'B' }
const REMEDY = ': Merge replaces whole lists; use Strategic to merge them'

const pod = (...containers: JsonObject[]): JsonObject => ({ template: { spec: { containers } } })

const lost = (base: JsonObject, override: JsonObject, type: OverrideType = 'Merge') => {
  const merged = merge(base, boundedOverride(override), type, A_SHAPE)
  return merged.is === 'merged' ? merged.replaced().map((parts) => fitted(MAX_WARNING, parts)) : []
}

describe('replacedLists', () => {
  it('names the containers, variables and ports that are lost because lists are replaced', () => {
    const ports = [{ containerPort: 80 }]
    const base = pod({ name: 'a', env: [A, B], ports, resources: {} }, { name: 'b', ports }, { name: 'c' })
    const same = [{ containerPort: 80, protocol: 'TCP' }]
    expect(lost(base, pod({ name: 'a', env: [B], ports: same }, { name: 'b' }))).to.deep.equal([
      `containers[a] loses env${REMEDY}`,
      `containers[b] loses ports${REMEDY}`,
      `containers[c] is removed${REMEDY}`,
    ])
  })

  it('does not report a loss that the override asks for', () => {
    const base: JsonObject = {
      template: { spec: { initContainers: [{ name: 'i' }], containers: [{ ...A, env: [A] }] } },
    }
    expect(lost(base, { template: { spec: { initContainers: null } } })).to.deep.equal([])
    expect(lost(base, { template: { spec: { containers: [{ ...A, env: [] }] } } }, 'Strategic')).to.deep.equal([])
    expect(lost(base, {})).to.deep.equal([])
  })

  it('does not report defaults, which the API server fills in again', () => {
    const base = pod({ ...A, imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/x', resources: {} })
    expect(lost(base, pod({ ...A }))).to.deep.equal([])
  })

  it('does not report variables in another order', () => {
    expect(lost(pod({ ...A, env: [A, B] }), pod({ ...A, env: [B, A] }))).to.deep.equal([])
  })

  it('ignores a container whose name is not a text', () => {
    const hostile = pod({ name: { toString: 'x' } }, { image: 'y' })
    expect(replacedLists(hostile, pod())).to.deep.equal([])
  })

  it('takes no keys from a member whose name is inherited', () => {
    const odd = pod({ name: 'cart', constructor: ['x'] })
    expect(replacedLists(odd, pod({ name: 'cart', constructor: ['y'] }))).to.deep.equal([])
  })
})
