import { expect } from 'chai'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at, listOr } from '../../common/json/json.ts'
import { startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, install, WITH_PROMOTION } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { aRollout } from '../integration/argo.ts'
import { says } from '../integration/canaries.ts'
import { condition, DEADLINE_MS, placeAt } from '../integration/product.ts'
import { type Cell, FEW, titleOf } from '../integration/promotions/cells.ts'
import { ourRequests, play, type Stage } from '../integration/promotions/play.ts'
import { startServing } from '../integration/promotions/serving.ts'
import { needs } from '../needs.ts'

const NAMESPACE = 'shop'
const OVERRIDE = { template: { spec: { containers: [{ name: 'cart', image: 'registry.example/cart:2' }] } } }
/** Its promotions go on at once, and each takes some minutes. */
const TIMEOUT_MS = 900_000

describe('promotion of sources of each kind, with the real Argo Rollouts', function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesOwnControlPlane(crds)
  needs('argoRollouts', 'argoFiles')
  const started: { stop: () => Promise<void> }[] = []
  let promotions: ReadonlyMap<string, Promise<void>> | undefined
  before('Argo Rollouts and the product run, and all promotions begin', async () => {
    started.push(await startArgoRollouts(plane()))
    await install(plane(), { overlay: WITH_PROMOTION, kindProbeSeconds: 2 })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
    const serving = await startServing(plane())
    started.push(serving)
    const stage = { serving, audit: ourRequests(plane().auditLog) }
    promotions = new Map(FEW.map((cell, index) => [titleOf(cell), played(cell, `kind-${index}`, stage)]))
    for (const each of promotions.values()) each.catch(() => undefined) // its own test reports it
  })
  after('all stop', () => Promise.all(started.map(({ stop }) => stop())))

  async function played(cell: Cell, namespace: string, stage: Omit<Stage, 'place'>): Promise<void> {
    await plane().api.create('/api/v1/namespaces', { metadata: { name: namespace } })
    await play(cell, { ...stage, place: placeAt(plane().api, plane().kubectl, namespace) })
  }

  for (const title of FEW.map(titleOf))
    it(`${title}: one write each, and enough pods serve at every moment`, () => promotions?.get(title))

  it('skipSteps brings the change to all pods of a Rollout whose own steps would wait', async () => {
    const place = placeAt(plane().api, plane().kubectl, NAMESPACE)
    const isInPhase = async (name: string, phase: string) =>
      expect(at(await place.api.get(place.path('rollouts', name)), 'status', 'phase')).to.equal(phase)
    const reachesPhase = (name: string, phase: string) =>
      eventually(`${name} to be ${phase}`, DEADLINE_MS, () => isInPhase(name, phase))
    for (const name of ['skipping', 'waiting'])
      await aRollout(place, name, { strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } })
    for (const name of ['skipping', 'waiting']) await reachesPhase(name, 'Healthy')
    const canary = { steps: [{ setWeight: 50 }], scaleDownDelaySeconds: 1 }
    const experiment = (name: string, skipSteps: boolean) =>
      place.experiment(name, {
        source: name,
        kind: 'Rollout',
        overrideSpec: OVERRIDE,
        strategy: { canary },
        promotion: { mode: 'Automatic', skipSteps },
      })
    await Promise.all([experiment('skipping', true), experiment('waiting', false)])
    await place.shows('skipping', 'Promoted', ({ status }) => status?.strategy?.phase === 'Promoted')
    await isInPhase('skipping', 'Healthy')
    const isWritten = ({ status }: ExperimentDeployment) => status?.promotion?.written !== undefined
    const waiting = await place.shows('waiting', 'that its source is written', isWritten)
    expect(condition(waiting, 'Ready')?.reason).to.equal('Promoting')
    await reachesPhase('waiting', 'Paused') // Argo's controller may need a moment
  })

  it('N5: an undo brings the former values to all pods of a Rollout whose own steps would wait', async () => {
    const place = placeAt(plane().api, plane().kubectl, NAMESPACE)
    const stable = async () => {
      const { status, spec } = await place.api.get(place.path('rollouts', 'undone'))
      const [image] = listOr(at(spec, 'template', 'spec', 'containers')).map((container) => at(container, 'image'))
      return [at(status, 'phase'), at(status, 'stableRS') === at(status, 'currentPodHash'), image]
    }
    const isHealthyWith = (image: string) =>
      eventually(`the Rollout to have ${image}`, DEADLINE_MS, async () =>
        expect(await stable()).to.deep.equal(['Healthy', true, image]),
      )
    await aRollout(place, 'undone', { strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } })
    await isHealthyWith('registry.example/cart:1')
    await place.experiment('undone', {
      source: 'undone',
      kind: 'Rollout',
      overrideSpec: OVERRIDE,
      strategy: { canary: { steps: [{ setWeight: 50 }], scaleDownDelaySeconds: 1 } },
      promotion: { mode: 'Automatic', skipSteps: true },
    })
    await place.shows('undone', 'Promoted', ({ status }) => status?.strategy?.phase === 'Promoted')
    await isHealthyWith('registry.example/cart:2')
    await says(place, 'undone', 'undo')
    await place.shows('undone', 'Undone', ({ status }) => status?.strategy?.phase === 'Undone')
    expect(await stable()).to.deep.equal(['Healthy', true, 'registry.example/cart:1'])
  })
})
