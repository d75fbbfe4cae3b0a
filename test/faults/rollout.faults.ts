import { usesArgoRollouts } from '../integration/argo.ts'
import { usesProduct } from '../integration/product.ts'
import { staysQuiet } from '../integration/quiet.ts'

const QUIET_MS = 60_000

describe('forks of Rollouts beside the real Argo, on the real control plane', function () {
  this.timeout(5 * QUIET_MS)
  const place = usesProduct()
  usesArgoRollouts()

  it('Converged means 60 s without writes', async () => {
    const strategies = { plain: { canary: {} }, steps: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } }
    for (const [name, strategy] of Object.entries(strategies)) {
      const labels = { app: name }
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
      }
      await place().api.create(place().path('rollouts'), {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Rollout',
        metadata: { name },
        spec: { replicas: 1, selector: { matchLabels: labels }, strategy, template },
      })
      await place().experiment(`try-${name}`, { source: name, kind: 'Rollout' })
    }
    for (const name of Object.keys(strategies)) await place().reaches(`try-${name}`, 'Available')
    await staysQuiet(place().namespace, QUIET_MS)
  })
})
