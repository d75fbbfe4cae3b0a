import { expect } from 'chai'
import { aNamespace, usesControlPlane } from './fixture.ts'
import { aSource, condition, type Place, placeIn, usesProduct } from './product.ts'

describe('a command in a status, on the real control plane', () => {
  const plane = usesControlPlane()
  const place = usesProduct()

  /** A run that waits at its first step, and what it prints. */
  async function waiting(at: Place): Promise<string> {
    await aSource(at, 'cart', { replicas: 2 })
    await at.experiment('twice', { source: 'cart', strategy: { canary: { steps: [{ pause: {} }, { pause: {} }] } } })
    const paused = await at.shows('twice', 'a pause', (found) => condition(found, 'Paused') !== undefined)
    const [command = ''] = /kubectl .*$/.exec(condition(paused, 'Paused')?.message ?? '') ?? []
    return command
  }

  it('reaches only the experiment that printed it, wherever it is copied', async () => {
    const other = await placeIn(await aNamespace())
    const [command, ofOther] = [await waiting(place()), await waiting(other)]
    expect(command).to.not.equal(ofOther)
    const stepOf = async ({ experimentAt }: Place) => (await experimentAt('twice')).status?.strategy?.stepIndex
    // in the default namespace, where there is no such experiment
    expect((await plane().kubectl(command.split(' ').slice(1))).code).to.equal(0)
    await place().shows('twice', 'the next step', ({ status }) => status?.strategy?.stepIndex === 1)
    expect(await stepOf(other)).to.equal(0)
    expect((await other.experimentAt('twice')).metadata.annotations).to.not.have.property(
      'experiment-controller.example.com/command',
    )
  })
})
