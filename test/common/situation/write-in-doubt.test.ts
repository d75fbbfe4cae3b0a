import { expect } from 'chai'
import type { StrategyRunStatus } from '../../../common/api/strategy.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { idOfWrite, storedSource } from '../../../common/situation/source-has.ts'
import { writeInDoubt } from '../../../common/situation/write-in-doubt.ts'
import { aDeployment, imageOverride } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment } from '../plan/some-run.ts'
import { deploymentSchema } from '../schema/openapi.ts'

const SOURCE = aDeployment({ metadata: { uid: 'u', generation: 3 } })
/** A fork in which the API server left it out. */
const FORK = aDeployment({ name: 'fork', image: 'example/cart:2', metadata: { uid: 'f', generation: 1 } })
const REF = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'fork', namespace: 'shop', uid: 'f', generation: 1 }
const FALSE: JsonObject = { template: { spec: { shareProcessNamespace: false } } }
const runAt = (stepName: string, path: StrategyRunStatus['path'] = 'Forward'): StrategyRunStatus => {
  const run = { run: 'a', revision: 'b', stepIndex: 1, since: '', phase: 'Progressing', step: '' } as const
  return { ...run, path, stepName }
}

interface Stored {
  readonly stepName?: string
  readonly path?: StrategyRunStatus['path']
  readonly written?: ReturnType<typeof storedSource>
}

function inDoubt(overrideSpec: JsonObject, { stepName = 'promote', path, written }: Stored = {}) {
  const promotion = { mode: 'Manual' as const, ...(written ? { written } : {}) }
  const status = { strategy: runAt(stepName, path), promotion, experimentResourceRef: REF }
  const experiment = aRunExperiment({ overrideSpec, status })
  return writeInDoubt(someFacts({ experiment, source: SOURCE, fork: FORK, schema: deploymentSchema('whenUsed') }))
}

describe('N10: the write of which only the API server can tell', () => {
  it('is that of a promotion that empties what may be left out, for the source as it is now', () => {
    const found = inDoubt(FALSE)
    expect(found?.patch).to.deep.equal({ metadata: { uid: 'u' }, spec: FALSE })
    const { template, ...spec } = SOURCE.spec as { template: JsonObject }
    const pod = { ...(template.spec as JsonObject), shareProcessNamespace: false }
    expect(found?.of).to.equal(idOfWrite(SOURCE, { after: { ...spec, template: { ...template, spec: pod } } }))
  })

  it('is none where the schema tells, and after the write', () => {
    expect(inDoubt(imageOverride('example/cart:2'))).to.equal(undefined)
    expect(inDoubt({ minReadySeconds: 0 })).to.equal(undefined)
    expect(inDoubt(FALSE, { written: storedSource(SOURCE) })).to.equal(undefined)
  })

  it('is none at a step that does not depend on what the source has', () => {
    for (const stepName of ['await', 'promote', 'return', 'drain 30s'])
      expect(inDoubt(FALSE, { stepName }), stepName).not.to.equal(undefined)
    for (const stepName of ['setWeight 10%', 'pause 1h', 'none'])
      expect(inDoubt(FALSE, { stepName }), stepName).to.equal(undefined)
    expect(inDoubt(FALSE, { stepName: 'return', path: 'Abort' })).to.equal(undefined)
  })
})
