import { aRollout, usesArgoRollouts } from '../integration/argo.ts'
import { usesProduct } from '../integration/product.ts'
import { staysQuiet } from '../integration/quiet.ts'

const QUIET_MS = 60_000

describe('forks of Rollouts with the real Argo Rollouts, on the real control plane', function () {
  this.timeout(5 * QUIET_MS)
  const place = usesProduct()
  usesArgoRollouts()

  it('Converged means 60 s without writes', async () => {
    const strategies = { plain: { canary: {} }, steps: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } }
    for (const [name, strategy] of Object.entries(strategies)) {
      await aRollout(place(), name, { replicas: 1, strategy })
      await place().experiment(`try-${name}`, { source: name, kind: 'Rollout' })
    }
    for (const name of Object.keys(strategies)) await place().reaches(`try-${name}`, 'Available')
    await staysQuiet(place().namespace, QUIET_MS)
  })
})
