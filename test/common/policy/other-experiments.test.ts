import { expect } from 'chai'
import { endpointsNeeded, othersClause } from '../../../common/policy/other-experiments.ts'
import { anExperiment } from '../../builders.ts'
import { aPolicyInput, findings } from './policy-input.ts'

const other = (name: string, namespace = 'shop') =>
  anExperiment({
    metadata: { name, namespace, uid: `${namespace}/${name}` },
    sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'shop' },
  })

describe('the other experiments in a refusal', () => {
  const others = [other('d'), other('b'), other('secret', 'dev'), other('hidden', 'lab')]

  it('are named with their pods, and what would help, but only counted in other namespaces', () => {
    const input = aPolicyInput({ others, endpoints: [{ service: 'cart', ready: 3 }] })
    const [message = ''] = findings({ maxShare: '25%' }, input)
    expect(message).to.equal(
      'spec.replicas: experiments would have 5 of 8 endpoints of service/cart, at most 25% is allowed; ' +
        'others: expd/b (1 pod), expd/d (1 pod), 2 elsewhere; allowed from 15 pods of others (policy "limits")',
    )
  })

  it('are named where there are too many of them', () => {
    const all = [...others, other('e')]
    expect(
      findings({ maxExperimentsPerSource: 2, maxExperimentsPerNamespace: 3 }, aPolicyInput({ others: all })),
    ).to.deep.equal([
      'spec.sourceRef: deployment/cart in namespace shop already has 5 experiments, at most 2; delete one first; ' +
        'others: expd/b, expd/d, expd/e, 2 elsewhere (policy "limits")',
      'metadata.namespace: namespace shop already has 3 experiments, at most 3; delete one first; ' +
        'others: expd/b, expd/d, expd/e (policy "limits")',
    ])
  })

  it('are five at most, and none without any', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({ of: other(`e${index}`) }))
    expect(othersClause(anExperiment(), many)).to.equal(
      '; others: expd/e0, expd/e1, expd/e2, expd/e3, expd/e4, 4 more here',
    )
    expect(othersClause(anExperiment(), [])).to.equal('')
    expect(othersClause(anExperiment(), [{ of: other('hidden', 'lab') }])).to.equal('; others: 1 elsewhere')
  })

  it('say from how many endpoints of others on a share is allowed', () => {
    for (const percent of [1, 7, 25, 33, 50, 99])
      for (const pods of [1, 2, 5, 13]) {
        const needed = endpointsNeeded(pods, percent)
        const isAllowed = (endpoints: number) => pods * 100 <= percent * (pods + endpoints)
        expect([isAllowed(needed), isAllowed(needed - 1)], `${pods} ${percent}%`).to.deep.equal([true, false])
      }
  })
})
