import { expect } from 'chai'
import { sourceNamespaceOf } from '../../../common/api/source-namespace.ts'
import { anExperiment } from '../../builders.ts'

describe('sourceNamespaceOf', () => {
  it('is the namespace of the experiment', () => expect(sourceNamespaceOf(anExperiment())).to.equal('shop'))

  it('is the namespace that sourceRef names', () => {
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'dev' }
    expect(sourceNamespaceOf(anExperiment({ sourceRef }))).to.equal('dev')
  })
})
