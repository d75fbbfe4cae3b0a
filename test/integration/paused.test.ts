import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { aSource, condition, DEADLINE_MS, forkOf, usesProduct } from './product.ts'

describe('R11: a fork that somebody pauses, on the real control plane', () => {
  const place = usesProduct()
  const rollout = async (action: 'pause' | 'resume', fork: string) => {
    const { code, text } = await place().kubectl(['rollout', action, `deployment/${fork}`])
    expect(code, text).to.equal(0)
  }
  /** The images of the pods of the fork. */
  const podImages = async (fork: string) => {
    const args = [
      'get',
      'pods',
      '-o',
      'jsonpath={range .items[*]}{.metadata.name} {.spec.containers[0].image}{"\\n"}{end}',
    ]
    const { text } = await place().kubectl(args)
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${fork}-`))
      .map((line) => line.split(' ')[1])
  }

  it('is told as long as it lasts, and follows the override afterwards', async () => {
    await aSource(place(), 'halting')
    await place().experiment('told', { source: 'halting', overrideSpec: imageOverride('registry.example/cart:2') })
    const fork = forkOf(await place().reaches('told', 'Available'))
    await rollout('pause', fork)
    const paused = await place().reaches('told', 'Paused')
    expect(condition(paused, 'Ready')).to.deep.include({
      status: 'False',
      message: '1 of 1 pods available; paused: changes do not reach the pods',
    })
    await place().api.patch(place().path('experiments', 'told'), {
      spec: { overrideSpec: imageOverride('registry.example/cart:3') },
    })
    await place().shows('told', 'that no pod has the change', (found) => {
      const { reason, message = '' } = condition(found, 'Ready') ?? {}
      return reason === 'Paused' && message.includes('0 of 1 up to date') && found.status?.observedGeneration === 2
    })
    expect(await podImages(fork)).to.deep.equal(['registry.example/cart:2'])
    await rollout('resume', fork)
    await place().reaches('told', 'Available')
    await eventually('the pods to have the change', DEADLINE_MS, async () =>
      expect(await podImages(fork)).to.deep.equal(['registry.example/cart:3']),
    )
  })
})
