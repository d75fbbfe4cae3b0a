import { expect } from 'chai'
import { ABSENT, type Known, known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { PromotionMode } from '../../../common/api/strategy.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { at, type JsonObject, objectOr } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import { writeInDoubt } from '../../../common/situation/write-in-doubt.ts'
import { ANY_SCHEMA, imageOverride } from '../../builders.ts'
import { aRun, aRunExperiment, type RunWorld } from '../plan/some-run.ts'
import type { World } from '../plan/some-world.ts'
import { deploymentSchema } from '../schema/openapi.ts'

const SCHEMA = { schema: known({ ...ANY_SCHEMA, shape: deploymentSchema('whenUsed').shape }) }
/** A plain field. */
const ZERO: JsonObject = { minReadySeconds: 0 }
/** The schema does not tell whether the API server stores it. */
const FALSE: JsonObject = { template: { spec: { shareProcessNamespace: false } } }

/** An API server that stores neither. */
const leftOut = (source: KubeObject): KubeObject => {
  const patch = { minReadySeconds: null, template: { spec: { shareProcessNamespace: null } } }
  return { ...source, spec: mergePatch(objectOr(source.spec) as JsonObject, patch) }
}

const promoting = (
  mode: PromotionMode,
  overrideSpec: JsonObject,
  world: Partial<World> = { stored: leftOut, storedFork: leftOut },
) => aRun(aRunExperiment({ strategy: undefined, overrideSpec, promotion: { mode } }), world)

/** Passes until nothing changes, with the answer to the dry run of the write that is in doubt then. */
function rest(run: RunWorld, changesNothing?: Known<boolean>): readonly string[] {
  const write = writeInDoubt({ ...run.facts(), ...SCHEMA })
  const dryRun = write && changesNothing ? { dryRun: { of: write.of, changesNothing } } : {}
  const but: Partial<Facts> = { ...SCHEMA, ...dryRun }
  return run.rest(40, but).map(({ verb, role }) => `${verb} ${role}`)
}
const writesOf = (writes: readonly string[]) => writes.filter((write) => write === 'patch source')
const phaseOf = (run: RunWorld) => run.strategy()?.phase

describe('N10: a promotion of an empty value that the API server leaves out', () => {
  for (const [what, empty] of Object.entries({ 'by the schema': ZERO, 'that only the write shows': FALSE }))
    for (const mode of ['Automatic', 'Manual'] as const)
      it(`${mode}: ends, with one write: ${what}`, () => {
        const run = promoting(mode, mergePatch(imageOverride('example/cart:2'), empty))
        const writes = [...rest(run)]
        if (mode === 'Manual') {
          expect(run.reasonOf('Paused')).to.equal('AwaitingPromotion')
          run.say('promote')
          writes.push(...rest(run))
        }
        expect(writesOf(writes)).to.have.length(1)
        expect([run.reasonOf('Promoted'), run.reasonOf('Ready')]).to.deep.equal(['Promoted', 'Available'])
        run.wait(60)
        rest(run)
        expect(phaseOf(run)).to.equal('Promoted')
      })

  it('is no change of a source that has everything else', () => {
    const run = promoting('Automatic', ZERO)
    expect(writesOf(rest(run))).to.deep.equal([])
    expect(run.reasonOf('Promoted')).to.equal('Promoted')
  })

  it('Export: waits until the API server has answered, and then goes on', () => {
    const run = promoting('Export', FALSE)
    rest(run)
    expect(run.reasonOf('Paused')).to.equal('AwaitingSource')
    rest(run, ABSENT)
    expect(run.reasonOf('Paused')).to.equal('AwaitingSource')
    rest(run, known(false))
    expect(run.reasonOf('Paused')).to.equal('AwaitingSource')
    expect(writesOf(rest(run, known(true)))).to.deep.equal([])
    expect(run.reasonOf('Promoted')).to.equal('Promoted')
  })

  it('Export: says that the API server refuses to tell', () => {
    const run = promoting('Export', FALSE)
    rest(run)
    rest(run, unknown('webhook "w" does not support dry run'))
    expect(run.messageOf('Paused')).to.equal(
      'until deployment/cart has the change: apply status.promotion.patch where it is declared; only the API server can tell whether deployment/cart has this already, and it refuses a dry run (webhook "w" does not support dry run): shareProcessNamespace',
    )
  })

  it('asks before it writes anything, also the record', () => {
    const run = promoting('Automatic', FALSE)
    for (let passes = 0; passes < 20 && run.strategy()?.stepName !== 'promote'; passes += 1) run.pass(SCHEMA)
    expect(rest(run, ABSENT)).to.not.include.members(['create record']).and.not.include('patch source')
    const asks = 'asks the API server whether deployment/cart has the change'
    expect([run.reasonOf('Ready'), run.messageOf(), run.world.record]).to.deep.equal(['Promoting', asks, undefined])
    expect(writesOf(rest(run, known(true)))).to.deep.equal([])
    expect(run.reasonOf('Promoted')).to.equal('Promoted')
  })

  it('writes where the API server refuses to tell: then the schema decides', () => {
    const run = promoting('Automatic', FALSE)
    for (let passes = 0; passes < 20 && run.strategy()?.stepName !== 'promote'; passes += 1) run.pass(SCHEMA)
    expect(writesOf(rest(run, unknown('webhook "w" does not support dry run')))).to.have.length(1)
    expect(run.reasonOf('Promoted')).to.equal('Promoted')
  })

  it('is not stored where only the fork has the value', () => {
    const run = promoting('Automatic', FALSE, { stored: leftOut })
    expect(writesOf(rest(run))).to.have.length(1)
    expect([run.reasonOf('Ready'), run.messageOf()]).to.deep.equal([
      'ChangeNotStored',
      'deployment/cart was written, but the API server did not store this: shareProcessNamespace',
    ])
  })

  it('is not called reverted when the source is scaled', () => {
    const kept = (source: KubeObject) => ({
      ...source,
      spec: { ...objectOr(source.spec), minReadySeconds: 7 } as JsonObject,
    })
    const run = promoting('Automatic', { ...imageOverride('example/cart:2'), minReadySeconds: 5 }, { stored: kept })
    rest(run)
    expect(run.reasonOf('Ready')).to.equal('ChangeNotStored')
    const { source } = run.world
    if (!source) throw new Error('there is a source')
    const generation = (source.metadata.generation ?? 0) + 1
    run.world.source = {
      ...source,
      metadata: { ...source.metadata, generation },
      spec: { ...objectOr(source.spec), replicas: 11 } as JsonObject,
    }
    rest(run)
    expect(run.reasonOf('Ready')).to.equal('ChangeNotStored')
    expect(at(run.world.experiment.status, 'promotion', 'written', 'hash')).to.match(/^[0-9a-f]{64}$/)
  })
})
