import { expect } from 'chai'
import { decodeExperiment } from '../../../common/api/decode.ts'
import { withDefaults } from '../../../common/api/defaults.ts'
import type { StrategyRunStatus } from '../../../common/api/strategy.ts'
import { sha256Of, WHOLE as WHOLE_DIGITS } from '../../../common/json/canonical.ts'
import {
  keptRevisions,
  lacksHashes,
  revisionsOf,
  runHash,
  runHashes,
  shortRun,
  strategyOfRun,
  withHashesOf,
} from '../../../common/situation/run-hash.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { SAME_RUN } from '../plan/collisions.ts'
import { aRunExperiment } from '../plan/some-run.ts'

const [WHOLE_RUN, WHOLE] = ['1f'.repeat(32), '2e'.repeat(32)]
const RUN = { run: '1f1f1f1f1f', revision: '2e2e2e2e2e', path: 'Forward', stepIndex: 1 } as const
const STORED: StrategyRunStatus = {
  ...{ ...RUN, since: '2026-11-21T10:00:00.000Z' },
  ...{ phase: 'Paused', stepName: 'await', step: '1/4 Paused' },
}

describe('the hashes of a run', () => {
  it('N31: are a whole SHA-256 and its first ten digits', () => {
    const { run, wholeRun } = runHashes(anExperiment())
    expect(wholeRun).to.match(/^[0-9a-f]{64}$/)
    expect([run, shortRun(wholeRun)]).to.deep.equal([wholeRun.slice(0, 10), run])
  })

  it('N9: are those of an experiment without a promotion where that is null, and others with {}', () => {
    const hashWith = (of: object) => {
      const stored = decodeExperiment({ spec: { ...anExperiment().spec, ...of } }, 'shop')
      return stored.is === 'experiment' ? runHash(stored.experiment) : stored.errors
    }
    expect(hashWith({ promotion: null })).to.equal(hashWith({}))
    expect(hashWith({ promotion: { mode: 'Manual' } })).to.not.equal(hashWith({}))
    expect(hashWith({ strategy: { canary: {} } })).to.not.equal(hashWith({}))
  })

  it('N31: tell overrides apart that have one short hash', () => {
    const [good, evil] = [aRunExperiment(SAME_RUN.good), aRunExperiment(SAME_RUN.evil)]
    expect(runHashes(good).run).to.equal(runHashes(evil).run)
    expect(runHash(good)).to.not.equal(runHash(evil))
  })
})

describe('the pods that a blue-green may lack', () => {
  const hashOf = (of: object) => runHash(aRunExperiment({ strategy: { blueGreen: { activeService: 'cart', ...of } } }))

  it('N6: are no part of the hash of a run, so that a version that does not know them goes on with it', () => {
    const whole = hashOf({})
    expect([hashOf({ maxUnavailable: 0 }), hashOf({ maxUnavailable: '50%' })]).to.deep.equal([whole, whole])
    expect(hashOf({ scaleDownDelaySeconds: 1 })).to.not.equal(whole)
    const { overrideSpec, overrideType } = withDefaults(aRunExperiment().spec)
    const former = { overrideSpec, overrideType, strategy: { blueGreen: { activeService: 'cart' } }, promotion: {} }
    expect(sha256Of({ ...former, traffic: undefined }, WHOLE_DIGITS)).to.equal(whole)
  })

  it('N6: are the only part of a strategy that may change in the middle of a run', () => {
    const blueGreen = { activeService: 'cart', previewReplicaCount: 2 }
    expect(strategyOfRun({ strategy: { blueGreen: { ...blueGreen, maxUnavailable: 1 } } })).to.deep.equal({ blueGreen })
    const canary = { canary: { maxUnavailable: 1 } }
    expect([strategyOfRun({ strategy: canary }), strategyOfRun({})]).to.deep.equal([canary, undefined])
  })
})

describe('the revisions of a run', () => {
  it('N31: are of the whole template and of the whole run', () => {
    const hashes = { run: RUN.run, wholeRun: WHOLE_RUN }
    const { revision, wholeRevision } = revisionsOf(aDeployment(), hashes, undefined)
    expect([revision, wholeRevision].map((each) => each.length)).to.deep.equal([10, 64])
    const other = revisionsOf(aDeployment(), { ...hashes, wholeRun: WHOLE }, undefined)
    expect(other.revision).to.equal(revision)
    expect(other.wholeRevision).to.not.equal(wholeRevision)
  })

  it('stay as they are stored while the fork is not known', () => {
    expect(keptRevisions()).to.deep.equal({ revision: '' })
    expect(keptRevisions(STORED)).to.deep.equal({ revision: RUN.revision })
    expect(keptRevisions({ ...STORED, wholeRevision: WHOLE })).to.deep.equal({
      revision: RUN.revision,
      wholeRevision: WHOLE,
    })
  })
})

describe('the whole hashes of a stored run', () => {
  const run = { ...RUN, since: STORED.since, wholeRun: WHOLE_RUN, wholeRevision: WHOLE, stepIndex: 2 }

  it('N31: are missing where an earlier version stored it, as far as they are known now', () => {
    expect(lacksHashes(STORED, run)).to.equal(true)
    expect(lacksHashes({ ...STORED, wholeRun: WHOLE_RUN }, run)).to.equal(true)
    const { wholeRevision: _unknown, ...without } = run
    expect(lacksHashes({ ...STORED, wholeRun: WHOLE_RUN }, without)).to.equal(false)
    expect(lacksHashes({ ...STORED, wholeRun: WHOLE_RUN, wholeRevision: WHOLE }, run)).to.equal(false)
  })

  it('N31: are added to it, and nothing else', () =>
    expect(withHashesOf(STORED, run)).to.deep.equal({ ...STORED, wholeRun: WHOLE_RUN, wholeRevision: WHOLE }))
})
