import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at } from '../../common/json/json.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { anOverlay } from '../clusters/overlay.ts'
import { NAMESPACE, usesOwnProduct } from '../clusters/own-product.ts'
import { canariesIn } from '../integration/canaries.ts'
import { aSource, condition, forkOf, hasEndpoints, imagesOf } from '../integration/product.ts'

/** An installation for one namespace. */
const ONE = { resources: ['base'], watch: { namespace: NAMESPACE } }

const variants: Record<string, () => Promise<string>> = {
  'a cluster with the component': async () => WITH_PROMOTION,
  'an installation for one namespace with the component': () =>
    anOverlay({ ...ONE, components: ['namespaced', 'promotion'] }),
}

for (const [variant, overlay] of Object.entries(variants))
  describe(`promotion, in ${variant}`, () => {
    const { place } = usesOwnProduct(overlay)

    const { says } = canariesIn(place)
    const shows = (name: string, phase: string) =>
      place().shows(name, phase, ({ status }: ExperimentDeployment) => status?.strategy?.phase === phase)
    const imageOf = async (name: string) => imagesOf(await place().deployment(name))
    const override = { template: { spec: { containers: [{ name: 'cart', image: 'registry.example/cart:2' }] } } }

    it('writes the source when somebody says so, deletes the fork, and undoes it', async () => {
      await aSource(place(), 'cart', { replicas: 3 })
      await hasEndpoints(place(), 'cart', 3)
      const canary = { steps: [{ setWeight: 30 }], scaleDownDelaySeconds: 1 }
      await place().experiment('promoted', { source: 'cart', overrideSpec: override, strategy: { canary } })
      await shows('promoted', 'Paused')
      expect(await imageOf('cart')).to.deep.equal(['registry.example/cart:1'])
      await says('promoted', 'promote')
      const after = await shows('promoted', 'Promoted')
      await place().reaches('promoted', 'Promoted')
      expect(await imageOf('cart')).to.deep.equal(['registry.example/cart:2'])
      expect(condition(after, 'Promoted')?.status).to.equal('True')
      await says('promoted', 'undo')
      await shows('promoted', 'Undone')
      expect(await imageOf('cart')).to.deep.equal(['registry.example/cart:1'])
      expect(at(await place().deployment('cart'), 'spec', 'replicas')).to.equal(3)
    })

    it('writes once what the API server does not store as a whole, says so, and undoes it', async () => {
      const override = {
        updateStrategy: { rollingUpdate: { maxUnavailable: 2 } },
        template: { metadata: { annotations: { version: 'b' } } },
      }
      const { api, path } = place()
      const labels = { app: 'till' }
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: 'till', image: 'registry.example/till:1' }] },
      }
      await api.create(path('statefulSets'), {
        metadata: { name: 'till' },
        spec: { serviceName: 'till', selector: { matchLabels: labels }, replicas: 2, template },
      })
      const statefulSet = () => api.get(path('statefulSets', 'till'))
      const { spec } = await statefulSet()
      const promotion = { mode: 'Automatic' as const }
      await place().experiment('partial', { source: 'till', kind: 'StatefulSet', overrideSpec: override, promotion })
      const partial = await place().reaches('partial', 'ChangeNotStored')
      expect(condition(partial, 'Ready')?.message).to.contain('updateStrategy.rollingUpdate.maxUnavailable')
      expect((await statefulSet()).metadata.generation).to.equal(2)
      const edit = JSON.stringify({
        spec: { overrideSpec: { template: { metadata: { annotations: { version: 'c' } } } } },
      })
      const { code, text } = await place().kubectl(['patch', 'expd/partial', '--type=merge', `--patch=${edit}`])
      expect(code, text).to.equal(1)
      expect(text).to.contain(
        'cannot be changed while statefulset/till is promoted; give the command undo, or wait until it is over',
      )
      await says('partial', 'undo')
      await shows('partial', 'Undone')
      expect((await statefulSet()).spec).to.deep.equal(spec)
    })

    it('N12: does not write over a newer image, says both, and does once somebody has seen that', async () => {
      await aSource(place(), 'kettle', { replicas: 3 })
      await hasEndpoints(place(), 'kettle', 3)
      const canary = { steps: [{ setWeight: 30 }, { pause: {} }], scaleDownDelaySeconds: 1 }
      const promotion = { mode: 'Automatic' as const }
      await place().experiment('newer', { source: 'kettle', overrideSpec: override, strategy: { canary }, promotion })
      await shows('newer', 'Paused')
      const image = ['set', 'image', 'deployment/kettle', '*=registry.example/cart:3']
      expect(await place().kubectl(image)).to.deep.include({ code: 0 })
      await says('newer', 'resume')
      const waits = await place().reaches('newer', 'SourceDrifted')
      expect(condition(waits, 'Ready')?.message).to.contain(
        'others changed it: containers[cart].image was registry.example/cart:1 and is registry.example/cart:3',
      )
      expect(await imageOf('kettle')).to.deep.equal(['registry.example/cart:3'])
      await says('newer', 'promote')
      await shows('newer', 'Promoted')
      expect(await imageOf('kettle')).to.deep.equal(['registry.example/cart:2'])
      await says('newer', 'undo')
      await shows('newer', 'Undone')
      expect(await imageOf('kettle')).to.deep.equal(['registry.example/cart:3'])
    })

    it('N37c: is not stopped by a Service of the source that has the id of no experiment', async () => {
      await aSource(place(), 'lamp', { replicas: 3 })
      const selector = { app: 'lamp', [EXPERIMENT_ID]: '0123456789' }
      await place().api.create(place().path('services'), {
        metadata: { name: 'nobody' },
        spec: { selector, ports: [{ port: 80 }] },
      })
      const promotion = { mode: 'Automatic' as const }
      await place().experiment('beside-nobody', { source: 'lamp', overrideSpec: override, promotion })
      const shown = await shows('beside-nobody', 'Promoted')
      expect(await imageOf('lamp')).to.deep.equal(['registry.example/cart:2'])
      expect(shown.status?.strategy?.phase).to.equal('Promoted')
    })

    it('N37d: names a ControllerRevision that is nested 9,000 levels deep, and can be aborted beside it', async () => {
      await aSource(place(), 'deep', { replicas: 3 })
      await hasEndpoints(place(), 'deep', 3)
      const canary = { steps: [{ setWeight: 30 }], scaleDownDelaySeconds: 1 }
      await place().experiment('beside-deep', { source: 'deep', overrideSpec: override, strategy: { canary } })
      const name = `${forkOf(await shows('beside-deep', 'Paused'))}-promotion`
      const data = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`
      const metadata = JSON.stringify({ name, namespace: place().namespace })
      const manifest = `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":${metadata},"revision":1,"data":${data}}`
      const { code, text } = await place().kubectl(['create', '-f', '-'], manifest)
      expect(code, text).to.equal(0)
      await says('beside-deep', 'promote')
      const stalled = await place().reaches('beside-deep', 'NameConflict')
      expect(condition(stalled, 'Ready')?.message).to.equal(
        `controllerrevision/${name} could not be read (it is too large: it is nested deeper than 100 levels); delete it, and the run goes on`,
      )
      await says('beside-deep', 'abort')
      await shows('beside-deep', 'Aborted')
      expect(await imageOf('deep')).to.deep.equal(['registry.example/cart:1'])
    })

    it('lets the account write a source under no other name', async () => {
      const account = 'system:serviceaccount:experiment-controller-system:experiment-controller'
      const image = ['set', 'image', 'deployment/cart', 'cart=registry.example/miner:1', `--as=${account}`]
      const { code, text } = await place().kubectl(image)
      expect(code, text).to.equal(1)
      expect(text).to.contain('the controller of experiments may write only forks, and sources by a promotion')
      expect(await imageOf('cart')).to.deep.equal(['registry.example/cart:1'])
    })
  })
