import { expect } from 'chai'
import { EXPERIMENT_ID, IS_EXPERIMENT, SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { roleUid } from '../../../common/workload/identity.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { isSourceOf, labelledSources, neededBy } from '../../../controller/orphans/small-sources.ts'
import { aDeployment, anExperiment, FORK, UID } from '../../builders.ts'

const LABEL = `${UID}.5.1`
const labelled = (labels: Readonly<Record<string, string>>) => aDeployment({ labels: { [SCALED]: LABEL, ...labels } })
const cacheOf = (...objects: readonly KubeObject[]) => ({ list: () => objects, isAbsent: false })

describe('small sources', () => {
  it('N52: are the Deployments with our label, also with the label of forks, and no forks and no other kinds', () => {
    const { kind: _kind, ...listed } = labelled({})
    const workloads = [
      { kind: rollout, forks: cacheOf(), others: cacheOf(labelled({})) },
      {
        kind: deployment,
        forks: cacheOf(labelled({ [EXPERIMENT_ID]: 'x' }), labelled({ [IS_EXPERIMENT]: 'true' })),
        others: cacheOf({ ...listed, kind: '' }, labelled({ [SCALED]: 'rubbish' }), aDeployment()),
      },
    ]
    const record = { experiment: UID, size: 5, written: 1 }
    const found = { kind: deployment, namespace: 'shop', name: 'cart', label: LABEL, record }
    expect(labelledSources(workloads)).to.deep.equal([found, found])
    expect(labelledSources([])).to.deep.equal([])
  })

  it('N52: are named by an experiment with kind, namespace and name', () => {
    const names = (sourceRef: object) =>
      isSourceOf(anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', ...sourceRef } }), {
        namespace: 'shop',
        name: 'cart',
      })
    const others = [{ kind: 'StatefulSet' }, { name: 'other' }, { namespace: 'stock' }]
    expect([{}, ...others].map(names)).to.deep.equal([true, false, false, false])
  })

  it('N52: need the fork and the twin of the experiment of their label', () => {
    const needed = (uid: string, name = FORK) => {
      const source = aDeployment({ labels: { [SCALED]: `${uid}.5.1` } })
      return neededBy(aDeployment({ name }), [aDeployment(), source])
    }
    expect(needed(UID)).to.equal('this fork stays until deployment/cart has its 5 pods again')
    expect(needed(roleUid(UID, 'experiment'))).to.not.equal(undefined)
    expect([needed('another'), needed(UID, 'cart')]).to.deep.equal([undefined, undefined])
  })
})
