import { eventually } from '../../sandbox/eventually.ts'
import { canariesIn } from '../integration/canaries.ts'
import { aSource, DEADLINE_MS, hasEndpoints, installation, usesProduct } from '../integration/product.ts'
import { staysQuiet } from '../integration/quiet.ts'

const SOURCES = 8
const CANARIES = 5
const QUIET_MS = 20_000

describe(`${SOURCES * CANARIES} paused canaries, on the real control plane`, function () {
  this.timeout(4 * DEADLINE_MS)
  const place = usesProduct()
  const { canary, shows } = canariesIn(place)
  const sources = Array.from({ length: SOURCES }, (_, index) => `cart-${index}`)
  const names = (source: string) => Array.from({ length: CANARIES }, (_, index) => `${source}-${index}`)

  before('all are at a pause', async () => {
    const steps = [{ setWeight: 20 }, { pause: { duration: 3_600 } }, { setWeight: 50 }, { pause: {} }]
    await Promise.all(
      sources.map(async (source) => {
        await aSource(place(), source, { replicas: 4 })
        await hasEndpoints(place(), source, 4)
        await Promise.all(names(source).map((name) => canary(name, steps, { source })))
        await Promise.all(names(source).map((name) => shows(name, '1/7 Paused')))
      }),
    )
    // a share that changes with the pods of the others is written every ten seconds
    await eventually('silence', 2 * DEADLINE_MS, () => staysQuiet(place().namespace, 11_000))
  })

  it(`Nothing is written in ${QUIET_MS / 1_000} s`, () => staysQuiet(place().namespace, QUIET_MS))

  it(`Nothing is written in the ${QUIET_MS / 1_000} s after a restart of the controller`, async () => {
    const { controller, startController } = await installation()
    await controller().stop()
    await startController()
    await staysQuiet(place().namespace, QUIET_MS)
  })
})
