import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { isUnchanged } from '../../../common/outcome/stored.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'

const FORK = aDeployment()

describe('an apply that another client caused', () => {
  const metadata = { ...FORK.metadata, resourceVersion: '9', managedFields: [] }
  const write = {
    ...({ verb: 'apply', role: 'fork', resource: deployment, object: FORK } as const),
    ...{ isRepair: true, isSameDerivation: true },
  }
  const undidNothing = (stored: KubeObject) => isUnchanged(stored, write, { ...someFacts(), fork: known(FORK) })

  it('N2: undid nothing where the fork is as it was before', () =>
    expect(undidNothing({ ...FORK, metadata })).to.equal(true))

  it('N2: undid something where the fork has another spec or other labels', () => {
    expect(undidNothing({ ...FORK, metadata: { ...metadata, labels: { a: 'b' } } })).to.equal(false)
    expect(undidNothing({ ...FORK, metadata, spec: {} })).to.equal(false)
  })
})
