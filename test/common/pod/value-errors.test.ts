import { expect } from 'chai'
import fc from 'fast-check'
import type { Json } from '../../../common/json/json.ts'
import type { Origin } from '../../../common/pod/containers.ts'
import { containerNames, isLeftToApiServer, valueErrors } from '../../../common/pod/value-errors.ts'
import { LAW } from '../../property.ts'
import { ALL_VALUE_CASES } from '../../value-cases/all.ts'
import { aSpec, CART, pod } from '../../value-cases/case.ts'

const CANARY = { strategy: { canary: {} } }
const ORIGIN: Origin = { overrideType: 'Strategic', sourceContainers: () => ['cart'] }

const told = (kind: string, spec: unknown, origin = ORIGIN) =>
  valueErrors(kind, spec, origin).map(({ message }) => message)

describe('the mistakes in the values of a spec', () => {
  it('are none in a spec of one container, nor in nothing', () => {
    for (const kind of ['Deployment', 'StatefulSet', 'CronTab'])
      expect(told(kind, aSpec('Deployment', {})), kind).to.deep.equal([])
    expect(told('Rollout', aSpec('Deployment', CANARY))).to.deep.equal([])
    expect(told('Deployment', undefined)).to.deep.equal([])
  })

  it('do not need the names of the source unless an image is missing', () => {
    const origin: Origin = {
      ...ORIGIN,
      sourceContainers: () => {
        throw new Error('not needed')
      },
    }
    expect(told('Deployment', aSpec('Deployment', pod({ restartPolicy: 'Never' })), origin)).to.have.length(1)
  })

  it('M1: of a container that the override empties names no other override type', () =>
    expect(told('Deployment', aSpec('Deployment', pod({ containers: [{ ...CART, image: '' }] })))).to.deep.equal([
      'must be set: every container needs an image; set it, or leave this out',
    ]))

  it('are those of pods in a Rollout too, because its controller checks them', () =>
    expect(told('Rollout', aSpec('Deployment', { ...CANARY, ...pod({ restartPolicy: 'Never' }) }))).to.have.length(1))

  it('are those of the canary of a Rollout', () => {
    const canary = { maxSurge: 0, maxUnavailable: 0 }
    expect(told('Rollout', { strategy: { canary } })).to.deep.equal([
      'cannot be 0 while maxSurge is 0; raise one of them',
    ])
  })

  it('of a StatefulSet may mount its claims', () => {
    const mounted = pod({ containers: [{ ...CART, volumeMounts: [{ name: 'data', mountPath: '/data' }] }] })
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }
    expect(told('StatefulSet', aSpec('StatefulSet', { ...mounted, volumeClaimTemplates: [claim] }))).to.deep.equal([])
    expect(told('Deployment', aSpec('Deployment', { ...mounted, volumeClaimTemplates: [claim] }))).to.have.length(1)
  })

  it('are left to the API server where it checks them by itself, of the kinds whose pods it checks', () => {
    for (const { title, kind = 'Deployment', refused, isOfKubelet = false } of ALL_VALUE_CASES)
      for (const error of valueErrors(kind, aSpec(kind, refused), ORIGIN)) {
        expect(isLeftToApiServer(kind, error), title).to.equal(!isOfKubelet)
        expect(isLeftToApiServer('Rollout', error), title).to.equal(false)
      }
  })

  it('are found in any value of any type, without an exception', () => {
    const specs = ALL_VALUE_CASES.map(({ kind, refused }) => aSpec(kind ?? 'Deployment', refused))
    const odd = fc.constantFrom<Json>(null, '', -1, 1.5, true, [], {}, [null], 'x', { name: 1 })
    const anySpec = fc.tuple(fc.constantFrom(...specs), fc.array(fc.nat(20), { maxLength: 8 }), odd)
    fc.assert(
      fc.property(anySpec, ([spec, way, value]) => {
        for (const kind of ['Deployment', 'StatefulSet', 'Rollout']) told(kind, replaced(spec, way, value))
      }),
      LAW,
    )
  })
})

describe('the names of the containers of a pod', () => {
  it('are those of both lists', () => {
    const named = { containers: [{ name: 'a' }, { name: 1 }, null], initContainers: [{ name: 'b' }] }
    expect(containerNames(named)).to.deep.equal(['a', 'b'])
    expect(containerNames(undefined)).to.deep.equal([])
  })
})

/** `of` with `value` at a place that `way` picks. */
function replaced(of: Json, [pick, ...way]: readonly number[], value: Json): Json {
  if (typeof of !== 'object' || of === null || pick === undefined) return value
  const entries = Object.entries(of)
  const chosen = entries.length === 0 ? -1 : pick % entries.length
  const inner = entries.map(
    ([key, each], index) => [key, index === chosen ? replaced(each, way, value) : each] as const,
  )
  return Array.isArray(of) ? inner.map(([, each]) => each) : Object.fromEntries(inner)
}
