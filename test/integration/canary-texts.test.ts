import { expect } from 'chai'
import { COMMAND, EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { Strategy } from '../../common/api/strategy.ts'
import { aSource, condition, hasEndpoints, usesProduct } from './product.ts'

describe('what kubectl prints for a canary, on the real control plane', () => {
  const place = usesProduct()
  before('there is a source of ten pods', async () => {
    await aSource(place(), 'cart', { replicas: 10 })
    await hasEndpoints(place(), 'cart', 10)
  })

  const STEPS = [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }, { pause: { duration: '2h' } }]
  const apply = async (
    name: string,
    { source = 'cart', strategy = { canary: { steps: STEPS } }, ...spec }: Applied,
  ) => {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const sourceRef = { kind: 'Deployment', name: source }
    const manifest = { apiVersion, kind, metadata: { name }, spec: { sourceRef, overrideSpec: {}, strategy, ...spec } }
    return (await place().kubectl(['apply', '-f', '-'], JSON.stringify(manifest))).text
  }
  const say = async (name: string, word: string) =>
    (await place().kubectl(['annotate', '--overwrite', `expd/${name}`, `${COMMAND}=${word}`])).text
  const isAt = (name: string, step: string) =>
    place().shows(name, step, ({ status }) => status?.strategy?.step === step)

  it('tells all steps at apply, the rest of them during the run, and what a word does', async () => {
    expect(await apply('told', {})).to.contain(
      '[Plan] steps: 20% 3 of 13 pods (23%); pause until resumed; 50% 10 of 20; pause 2h; wait until promoted; promote; delete the fork after 30s\n',
    )
    await isAt('told', '1/7 Paused')
    const edited = await apply('told', { ttlSeconds: 7_200, replicas: 4 })
    expect(edited).to.contain('[Plan] from step 2 of 7: pause until resumed; 50% 10 of 20 pods; pause 2h;')
    expect(edited).to.contain('[Plan] spec.replicas 4 is not used while a weight decides')
    const resumed = await say('told', 'resume')
    expect(resumed).to.contain('[Plan] admin: goes on after step 2 of 7, Paused\n')
    expect(resumed).to.contain(
      '[Plan] from step 3 of 7: 50% 10 of 20 pods; pause 2h; wait until promoted; promote; delete the fork after 30s\n',
    )
    expect(resumed).to.not.contain('changes nothing')
    await isAt('told', '3/7 Paused')
    const changed = await apply('told', { strategy: { canary: { steps: [{ setWeight: 30 }] } } })
    expect(changed).to.contain(
      '[Plan] a new run begins: 30% 4 of 14 pods (29%); wait until promoted; promote; delete the fork after 30s\n',
    )
    await isAt('told', '1/4 Paused')
  })

  it('refuses a weight that maxSurge does not allow, with the maxSurge that does', async () => {
    expect(await apply('large', { strategy: { canary: { maxSurge: '25%', steps: [{ setWeight: 40 }] } } })).to.contain(
      'spec.strategy.canary.steps[0].setWeight: 40% needs 7 pods beside 10; maxSurge 25% allows 3; set maxSurge to 70%, ' +
        'or use at most 25% and promote from there',
    )
  })

  it('says that the run waits while the source has no pods, and goes on when it has some', async () => {
    await aSource(place(), 'idle', { replicas: 0 })
    expect(await apply('idle', { source: 'idle' })).to.contain(
      '[Plan] the source has no pods, so a weight means 0 pods: the run waits until the source has some\n',
    )
    await place().shows(
      'idle',
      'why it waits',
      (found) => condition(found, 'Ready')?.message === 'no pods: the run waits until its source has some',
    )
    await place().kubectl(['scale', 'deployment/idle', '--replicas=4'])
    await isAt('idle', '1/7 Paused')
  })
})

interface Applied {
  readonly source?: string
  readonly strategy?: Strategy
  readonly ttlSeconds?: number
  readonly replicas?: number
}
