import { expect } from 'chai'
import { at } from '../../common/json/json.ts'
import { say, says } from './canaries.ts'
import { aSource, condition, forkOf, hasEndpoints, usesProduct } from './product.ts'

describe('a canary, on the real control plane', () => {
  const place = usesProduct()
  const stepOf = (name: string, step: string) =>
    place().shows(name, step, ({ status }) => status?.strategy?.step === step)
  const podsOf = async (name: string) =>
    at(await place().deployment(forkOf(await place().experimentAt(name))), 'spec', 'replicas')

  it('goes through its weights and pauses, and its source keeps its pods', async () => {
    await aSource(place(), 'cart', { replicas: 4 })
    await hasEndpoints(place(), 'cart', 4)
    const steps = [{ setWeight: 20 }, { pause: { duration: 2 } }, { setWeight: 50 }, { pause: {} }]
    await place().experiment('canary', { source: 'cart', strategy: { canary: { steps } } })
    const found = await stepOf('canary', '3/7 Paused')
    expect(found.status?.strategy?.weight).to.deep.equal({ desired: 50, actual: 50 })
    expect(condition(found, 'Paused')?.reason).to.equal('PauseStep')
    expect(await podsOf('canary')).to.equal(4)
    expect(at(await place().deployment('cart'), 'spec', 'replicas')).to.equal(4)
  })

  it('obeys a command once, and tells who said it', async () => {
    await aSource(place(), 'shop', { replicas: 4 })
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }, { pause: {} }]
    await place().experiment('spoken', { source: 'shop', strategy: { canary: { steps } } })
    await stepOf('spoken', '1/7 Paused')
    await says(place(), 'spoken', 'resume')
    const found = await stepOf('spoken', '3/7 Paused')
    expect(found.status?.strategy?.command).to.deep.include({ verb: 'resume', by: 'admin', answer: 'Done' })
    expect(await say(place(), 'spoken', 'retry')).to.deep.include({ code: 1 })
    expect((await say(place(), 'spoken', 'retry')).text).to.contain(
      'retry: the run was not aborted; step 4 of 7, Paused',
    )
    await says(place(), 'spoken', 'abort')
    await stepOf('spoken', '1/1 Aborted')
    await place().reaches('spoken', 'Aborted')
    expect(await podsOf('spoken')).to.equal(0)
    await says(place(), 'spoken', 'retry')
    await stepOf('spoken', '1/7 Paused')
  })
})
