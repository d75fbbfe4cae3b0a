import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { COMMAND } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { defaultsPatch } from '../../webhook/review/defaults-patch.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, installing } from '../builders.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from '../common/plan/some-run.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, linesOf, validatorDeps } from './reviews.ts'

const containers = (cart: string, proxy: string) => [
  { name: 'cart', image: cart },
  { name: 'proxy', image: proxy },
]
const sourceWith = (cart: string, proxy: string) =>
  aSource(4, 'any', { template: { spec: { containers: containers(cart, proxy) } } })

/** A run that has promoted two images, and has ended. */
function promoted(): RunWorld {
  const overrideSpec = { template: { spec: { containers: containers('example/cart:2', 'example/proxy:2') } } }
  const of = { strategy: undefined, overrideType: 'Strategic', overrideSpec, promotion: { mode: 'Automatic' } } as const
  const run = aRun(aRunExperiment(of), { source: sourceWith('example/cart:1', 'example/proxy:1') })
  run.rest()
  run.wait(60)
  run.rest()
  expect(run.strategy()?.phase).to.equal('Promoted')
  return run
}

/** What the author of `verb` reads. */
async function answer(
  { world }: RunWorld,
  verb: string,
  installed = installing('promotion'),
): Promise<readonly string[]> {
  const oldObject = world.experiment
  const now = new Date(world.now.getTime() + 5)
  const said = { ...oldObject, metadata: { ...oldObject.metadata, annotations: { [COMMAND]: verb } } }
  const patch = defaultsPatch(aRequest({ object: said, oldObject }), { now })
  const { newDocument: object } = jsonPatch.applyPatch(structuredClone(said), patch as Operation[])
  const objects = [world.source, world.fork, world.record].filter((each) => each !== undefined)
  const deps = { ...validatorDeps(aReader(objects).kube, ANY_SCHEMA), clock: () => now, installed }
  return linesOf(await validator(deps)(aRequest({ object: object as ExperimentDeployment, oldObject })))
}
const FIELD = `metadata.annotations["${COMMAND}"]`

describe('the decision on an undo', () => {
  it('N11: says what is written, and what others have changed', async () => {
    const run = promoted()
    run.world.source = sourceWith('example/cart:2', 'example/proxy:3')
    const lines = await answer(run, 'undo')
    expect(lines.filter((line) => line.includes('deployment/cart') || line.includes('restores'))).to.deep.equal([
      '[Plan] deployment/cart: containers[cart].image: example/cart:2 -> example/cart:1',
      '[Plan] restores the former values of the source, then takes all pods from the fork',
      '[Plan] leaves what others changed in deployment/cart: containers[proxy].image',
    ])
  })

  it('N11: says that nothing is written where the source no longer has the change', async () => {
    const run = promoted()
    run.world.source = sourceWith('example/cart:1', 'example/proxy:1')
    expect(await answer(run, 'undo')).to.include(
      '[Plan] deployment/cart no longer has the change, then takes all pods from the fork',
    )
  })

  it('N11: refuses one that the controller will not make', async () => {
    const run = promoted()
    expect(await answer(run, 'undo', installing())).to.deep.equal([
      `${FIELD}: undo: this installation has no component "promotion", so it writes no sources; change the source by hand`,
    ])
    run.world.record = undefined
    expect(await answer(run, 'undo')).to.deep.equal([
      `${FIELD}: undo: the record of the former values is gone; change the source by hand`,
    ])
  })

  it('N11: the abort of an undo says which promoted values stay', async () => {
    const run = promoted()
    run.say('undo')
    run.pass()
    run.world.source = sourceWith('example/cart:2', 'example/proxy:3')
    expect(run.strategy()?.stepName).to.equal('restore')
    const lines = (await answer(run, 'abort')).filter((line) => line.startsWith('[Plan]'))
    expect(lines.slice(0, 2)).to.deep.equal([
      '[Plan] alice: the undo was aborted at step 1 of 2, Undoing; the source stays as it is',
      '[Plan] deployment/cart keeps what was promoted: containers[cart].image',
    ])
  })
})
