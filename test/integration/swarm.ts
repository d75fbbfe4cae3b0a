import { expect } from 'chai'
import { IS_EXPERIMENT } from '../../common/api/names.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { aSource, installation, usesProduct } from './product.ts'
import { staysQuiet } from './quiet.ts'

interface SwarmOptions {
  /** experiments of one source */
  readonly count: number
  /** how long nothing may be written once all experiments are Ready */
  readonly quietMs: number
  readonly deadlineMs: number
}

const AT_ONCE = 50

/** Many experiments that are created together, a controller that is killed meanwhile, and then no writes. */
export function describeSwarm({ count, quietMs, deadlineMs }: SwarmOptions): void {
  describe(`${count} experiments on one source, on the real control plane`, function () {
    this.timeout(2 * deadlineMs) // the waits end earlier, with an error that names the reason
    const place = usesProduct()
    const forks = () => place().api.list(`${place().path('deployments')}?labelSelector=${IS_EXPERIMENT}=true`)
    const experiments = () => place().api.list(place().path('experiments'))

    /** A webhook that shares two cores with others answers so many within its 5 s. */
    const createAll = async () => {
      for (let first = 0; first < count; first += AT_ONCE) {
        const indexes = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) => first + index)
        const override = { source: 'cart', overrideSpec: imageOverride('cart:rc') }
        await Promise.all(indexes.map((index) => place().experiment(`copy-${index}`, override)))
      }
    }

    /** Every experiment is Ready, and its share fits the final number of endpoints. */
    const converged = () =>
      eventually(
        `${count} experiments to converge`,
        deadlineMs,
        async () => {
          const rows = await Promise.all(
            (await experiments()).map(({ metadata }) => place().experimentAt(metadata.name)),
          )
          const ready = rows.filter(
            ({ status }) => status?.services?.[0]?.readyEndpoints === count + 3 && status.readyReplicas === 1,
          )
          if (ready.length < count) throw new Error(`${ready.length} of ${rows.length} have converged`)
        },
        { pauseMs: 500 },
      )

    before('all are created, and the controller is killed three times', async function () {
      this.timeout(5 * deadlineMs)
      await aSource(place(), 'cart', { replicas: 3 })
      const { controller, startController } = await installation()
      const creating = createAll()
      for (const part of [0.1, 0.4, 0.7]) {
        await eventually(`${part} of the forks`, deadlineMs, async () => {
          const found = (await forks()).length
          if (found < part * count) throw new Error(`${found}`)
        })
        await controller().stop('SIGKILL')
        await startController()
      }
      await creating
    })

    it('converge, with exactly one fork each and no orphan', async () => {
      await converged()
      const owners = (await forks()).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)
      const uids = (await experiments()).map(({ metadata }) => metadata.uid)
      expect(owners.toSorted()).to.deep.equal(uids.toSorted())
    })

    it(`Converged means ${quietMs / 1000} s without writes`, () => staysQuiet(place().namespace, quietMs))

    it(`nothing is written in the ${quietMs / 1000} s after a restart of the controller`, async () => {
      const { controller, startController } = await installation()
      const { code } = await controller().stop('SIGTERM', deadlineMs)
      expect(code).to.equal(0)
      await startController()
      await staysQuiet(place().namespace, quietMs)
    })

    it('leave no fork when they are deleted', async () => {
      await place().api.delete(place().path('experiments'))
      await eventually('all forks to be gone', deadlineMs, async () => expect(await forks()).to.have.length(0))
    })
  })
}
