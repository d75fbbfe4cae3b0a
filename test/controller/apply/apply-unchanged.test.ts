import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { waiting } from '../../../common/facts/decision.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { apply } from '../../../controller/apply/apply.ts'
import { aDeployment } from '../../builders.ts'
import { someFacts } from '../../common/plan/some-facts.ts'

const FORK = aDeployment()

/** Whether an apply of the fork that stores `stored` counts as one that undid a change. */
async function undoes(stored: KubeObject): Promise<readonly unknown[]> {
  const noted: unknown[] = []
  const ports = {
    reserve: () => true,
    isCurrent: async () => true,
    noteRepair: (_experiment: unknown, _write: unknown, isUndone?: boolean) => void noted.push(isUndone),
    write: async () => stored,
  }
  const write = {
    verb: 'apply',
    role: 'fork',
    resource: deployment,
    object: FORK,
    isRepair: true,
    isSameDerivation: true,
  } as const
  const conclusion = { ...waiting('Updating', 'restored'), fork: FORK, source: undefined }
  await apply(ports, { writes: [write], conclusion }, { ...someFacts(), fork: known(FORK) })
  return noted
}

describe('an apply that another client caused', () => {
  const metadata = { ...FORK.metadata, resourceVersion: '9', managedFields: [] }

  it('N2: undid nothing where the fork is as it was before', async () =>
    expect(await undoes({ ...FORK, metadata })).to.deep.equal([false]))

  it('N2: undid something where the fork has another spec or other labels', async () => {
    expect(await undoes({ ...FORK, metadata: { ...metadata, labels: { a: 'b' } } })).to.deep.equal([true])
    expect(await undoes({ ...FORK, metadata, spec: {} })).to.deep.equal([true])
  })
})
