import { expect } from 'chai'
import { imageOverride } from '../builders.ts'
import { aRollout, usesArgoRollouts } from '../integration/argo.ts'
import { canariesIn } from '../integration/canaries.ts'
import { hasEndpoints, usesProduct } from '../integration/product.ts'

const SIZE = 4
const STEPS = [{ setWeight: 20 }, { pause: { duration: 1 } }, { setWeight: 33 }, { pause: {} }, { setWeight: 50 }]

describe('a canary of each kind, on the real control plane', () => {
  usesArgoRollouts()
  const place = usesProduct()
  const { canary, fork, hasPods, says, shows } = canariesIn(place)

  async function aSource(kind: 'StatefulSet' | 'Rollout', name: string): Promise<void> {
    const { api, path } = place()
    const labels = { app: name }
    await api.create(path('services'), { metadata: { name }, spec: { selector: labels, ports: [{ port: 80 }] } })
    if (kind === 'Rollout') await aRollout(place(), name, { replicas: SIZE })
    else {
      const pod = { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] }
      await api.create(path('statefulSets'), {
        metadata: { name },
        spec: {
          replicas: SIZE,
          serviceName: name,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: pod },
        },
      })
    }
    await hasEndpoints(place(), name, SIZE)
  }

  const KINDS = [
    ['StatefulSet', 'statefulSets'],
    ['Rollout', 'rollouts'],
  ] as const
  for (const [kind, plural] of KINDS) {
    it(`A ${kind} goes through its weights, is aborted and tried again`, async () => {
      const name = `through-${kind.toLowerCase()}`
      await aSource(kind, name)
      await canary(name, STEPS, { kind, overrideSpec: imageOverride('registry.example/cart:2') })
      const paused = await shows(name, '3/8 Paused')
      expect(paused.status?.strategy?.weight).to.deep.equal({ desired: 33, actual: 33 })
      await hasPods(name, 2, plural)
      await says(name, 'resume')
      const done = await shows(name, '5/8 Paused')
      expect(done.status?.strategy?.weight).to.deep.equal({ desired: 50, actual: 50 })
      const before = (await fork(name, plural)).metadata.uid
      await says(name, 'abort')
      await shows(name, '1/1 Aborted')
      await hasPods(name, 0, plural)
      await hasEndpoints(place(), name, SIZE)
      await says(name, 'retry')
      await shows(name, '3/8 Paused')
      expect((await fork(name, plural)).metadata.uid).to.equal(before)
    })
  }

  it('A Rollout whose pods do not become ready is aborted when its deadline is over', async () => {
    await aSource('Rollout', 'late')
    const overrideSpec = { progressDeadlineSeconds: 2, ...imageOverride('registry.example/cart:broken') }
    const strategy = { canary: { steps: STEPS, progressDeadlineAbort: true } }
    await place().experiment('late', { source: 'late', kind: 'Rollout', overrideSpec, strategy })
    await shows('late', '1/1 Aborted')
    await place().reaches('late', 'Aborted')
    await hasPods('late', 0, 'rollouts')
  })
})
