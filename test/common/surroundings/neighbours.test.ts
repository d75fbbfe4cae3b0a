import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { autoscalerView, budgetView, networkPolicyView } from '../../../common/surroundings/neighbours.ts'

describe('the projections of neighbours', () => {
  const object = (spec: JsonObject): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'n' }, spec })
  const target = { kind: 'Deployment', name: 'cart' }

  it('keep the target and the bounds of an HPA, whose minimum is 1 by default', () =>
    expect(
      autoscalerView(object({ scaleTargetRef: { apiVersion: 'apps/v1', ...target }, maxReplicas: 9 })),
    ).to.deep.equal({ name: 'n', target, min: 1, max: 9, isOnCpu: false }))

  it('keep of which ScaledObject of KEDA an HPA is', () => {
    const { metadata, ...of } = object({ scaleTargetRef: target, maxReplicas: 9 })
    const labels = { 'scaledobject.keda.sh/name': 'carts', app: 'cart' }
    expect(autoscalerView({ ...of, metadata: { ...metadata, labels } }).scaledObject).to.equal('carts')
    expect(autoscalerView({ ...of, metadata: { ...metadata, labels: { app: 'cart' } } })).not.to.have.key(
      'scaledObject',
    )
  })

  it('keep whether an HPA is on the CPU of pods or of one of their containers', () => {
    const isOnCpu = (...metrics: JsonObject[]) => autoscalerView(object({ metrics })).isOnCpu
    const memory = { type: 'Resource', resource: { name: 'memory' } }
    expect(isOnCpu(memory, { type: 'Resource', resource: { name: 'cpu' } })).to.equal(true)
    expect(isOnCpu({ type: 'ContainerResource', containerResource: { name: 'cpu', container: 'app' } })).to.equal(true)
    expect(isOnCpu(memory)).to.equal(false)
    expect(isOnCpu({ type: 'Pods', pods: { metric: { name: 'cpu' } } })).to.equal(false)
  })

  it('keep the requests that an HPA needs, and whether it has metrics without them', () => {
    const of = (...metrics: JsonObject[]) => {
      const { needs, hasOtherMetrics } = autoscalerView(object({ metrics }))
      return { needs, hasOtherMetrics }
    }
    const [used, each] = [
      { type: 'Utilization', averageUtilization: 50 },
      { type: 'AverageValue', averageValue: '1' },
    ]
    const cpu = { type: 'Resource', resource: { name: 'cpu', target: used } }
    const memory = { type: 'ContainerResource', containerResource: { name: 'memory', container: 'app', target: used } }
    const value = { type: 'Resource', resource: { name: 'memory', target: each } }
    const needs = [{ resource: 'cpu' }, { resource: 'memory', container: 'app' }]
    expect(of(cpu, memory)).to.deep.equal({ needs, hasOtherMetrics: undefined })
    expect(of(cpu, value)).to.deep.equal({ needs: [{ resource: 'cpu' }], hasOtherMetrics: true })
    expect(of(value)).to.deep.equal({ needs: undefined, hasOtherMetrics: undefined })
    expect(autoscalerView(object({ metrics: [value] }))).not.to.have.any.keys('needs', 'hasOtherMetrics')
  })

  it('keep the selector of a PDB, if it has one', () => {
    expect(budgetView(object({ selector: {} }))).to.deep.equal({ name: 'n', selector: {} })
    expect(budgetView(object({}))).to.deep.equal({ name: 'n', selector: undefined })
  })

  it('keep the selector of a NetworkPolicy, which is empty by default', () => {
    expect(networkPolicyView(object({ podSelector: { matchLabels: { app: 'cart' } } }))).to.deep.equal({
      name: 'n',
      selector: { matchLabels: { app: 'cart' } },
    })
    expect(networkPolicyView(object({}))).to.deep.equal({ name: 'n', selector: {} })
  })
})
