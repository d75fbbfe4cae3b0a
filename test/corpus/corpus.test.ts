import { expect } from 'chai'
import { startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import { explainedIfFailed } from '../explained.ts'
import { controlPlane, usesControlPlane } from '../integration/fixture.ts'
import { installation } from '../integration/product.ts'
import { needs } from '../needs.ts'
import { examine, type Report } from './examine.ts'
import { builtIn } from './specimen.ts'
import { tableOf } from './table.ts'

/** It takes some minutes. */
const DEADLINE_MS = 900_000

describe('the workloads of the tests of Kubernetes and Argo Rollouts, on the real control plane', () => {
  usesControlPlane()
  needs('argoRollouts', 'argoFiles', 'kubernetesFiles')
  let argo: Awaited<ReturnType<typeof startArgoRollouts>> | undefined
  let report: Report = { subjects: [], refused: [], forbidden: [] }

  before('each is forked in three ways, updated, followed and deleted', async function () {
    this.timeout(DEADLINE_MS)
    const plane = await controlPlane()
    argo = await startArgoRollouts(plane)
    await installation()
    report = await examine(plane, await builtIn(), () => undefined)
  })
  explainedIfFailed(() => tableOf(report))
  after('Argo Rollouts is removed', async function () {
    this.timeout(DEADLINE_MS)
    await argo?.stop()
    await argo?.removeCrds()
  })

  it('are at least 85, of every kind', () => {
    expect(report.subjects.length).to.be.at.least(85)
    expect(new Set(report.subjects.map(({ kind }) => kind.kind))).to.include.keys(
      'Deployment',
      'StatefulSet',
      'Rollout',
    )
  })

  it('are forked, updated, followed and cleaned up, or the experiment says why not', () => {
    expect(
      report.subjects.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`)),
    ).to.deep.equal([])
  })

  it('and their Services are never written by our accounts', () => expect(report.forbidden).to.deep.equal([]))
})
