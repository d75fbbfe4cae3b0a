import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { BlueGreenStrategy } from '../../common/api/strategy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { crds, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { condition, imagesOf } from '../integration/product.ts'
import { blueGreensIn, IMAGE, previewOf } from './blue-greens.ts'
import { gatedForksIn, usesAllKinds } from './gated-forks.ts'
import { type Client, usesRequests } from './requests.ts'

const SIZE = 2

/** Three stories side by side, each with several waits. */
const TIMEOUT_MS = 300_000

describe('requests while a blue-green is cut over, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesOwnControlPlane(crds)
  const place = usesAllKinds(WITH_CUT_OVER, plane)
  const { say, says, shows } = canariesIn(place)
  const { aSource, aService, idOf } = gatedForksIn(place)
  const { blueGreen } = blueGreensIn(place)
  const { serves, during, isOnlyFork } = usesRequests(place, plane)

  const change = (name: string, to: JsonObject) => place().api.patch(place().path('services', name), to)
  const select = (name: string, pairs: JsonObject) => change(name, { spec: { selector: pairs } })

  /** A source whose port `http` the fork calls otherwise. */
  async function aNamedSource(name: string): Promise<void> {
    const ports = [{ name: 'http', containerPort: 80 }]
    const containers = [{ name: 'cart', image: 'registry.example/cart:1', ports }]
    await aSource('Deployment', name, SIZE, { template: { metadata: { labels: { app: name } }, spec: { containers } } })
    await aService(previewOf(name), name)
    await serves(name, SIZE)
  }
  const renamed = {
    template: { spec: { containers: [{ name: 'cart', image: IMAGE, ports: [{ name: 'web', containerPort: 80 }] }] } },
  }
  /** A blue-green in its preview. Its preview is what it says. */
  async function aPreview(name: string, of: Partial<BlueGreenStrategy> = {}): Promise<void> {
    await blueGreen(name, 'Deployment', of, { overrideSpec: renamed })
    await place().shows(name, 'Previewing', (found) => condition(found, 'Paused')?.reason === 'Previewing')
    expect(await isOnlyFork(previewOf(name), name), `N4: only the fork answers to the preview of ${name}`).to.equal(
      true,
    )
  }

  const isCutOver = (name: string) =>
    place().shows(name, 'CutOver', (found) => condition(found, 'CutOver')?.status === 'True')
  async function comesToCutOver(name: string): Promise<void> {
    await isCutOver(name)
    expect(await isOnlyFork(name, name), `N4: only the fork of ${name} answers`).to.equal(true)
  }

  interface Obstacle {
    readonly isPrepared?: (name: string) => Promise<unknown>
    readonly comes: (name: string) => Promise<unknown>
    readonly goes: (name: string) => Promise<unknown>
    /** whether requests fail while the obstacle is there */
    readonly fails?: true
    /** whether a Service that sends only to the fork is returned because of it, or stays as it is */
    readonly afterwards?: 'returned' | 'kept'
  }

  const MANAGED = 'argo-rollouts.argoproj.io/managed-by-rollouts'
  const OBSTACLES: Readonly<Record<string, Obstacle>> = {
    ServiceNotFound: {
      comes: (name) => place().api.delete(place().path('services', name)),
      goes: (name) => aService(name, name),
      fails: true,
    },
    // a plain experiment with the same source, whose fork answers meanwhile
    ServiceIsTaken: {
      isPrepared: async (name) => {
        await place().experiment(`${name}-other`, { source: name })
        await place().reaches(`${name}-other`, 'Available')
      },
      comes: async (name) => select(name, { [EXPERIMENT_ID]: await idOf(`${name}-other`) }),
      goes: (name) => select(name, { [EXPERIMENT_ID]: null }),
    },
    ServiceDoesNotMatch: {
      comes: async (name) => {
        const ofSource = `labelSelector=app=${name},!${EXPERIMENT_ID}`
        const [pod] = await place().api.list(`${place().path('pods')}?${ofSource}`)
        const hash = pod?.metadata.labels?.['pod-template-hash'] ?? ''
        await select(name, { 'pod-template-hash': hash, [EXPERIMENT_ID]: null })
      },
      goes: (name) => select(name, { 'pod-template-hash': null }),
    },
    ServiceIsManaged: {
      comes: (name) => change(name, { metadata: { annotations: { [MANAGED]: name } } }),
      goes: (name) => change(name, { metadata: { annotations: { [MANAGED]: null } } }),
      afterwards: 'kept',
    },
    PortMissing: {
      comes: (name) => change(name, { spec: { ports: [{ port: 80, targetPort: 'http' }] } }),
      goes: (name) => change(name, { spec: { ports: [{ port: 80, targetPort: 80 }] } }),
      afterwards: 'returned',
    },
  }

  /** The obstacle is there before the cut-over is asked for. */
  async function isBefore(name: string, reason: string, { comes, goes, fails }: Obstacle, client: Client) {
    const isThere = async () => {
      await comes(name)
      await client.expecting('no fork', async () => {
        await says(name, 'resume')
        await place().reaches(name, reason)
        await client.goesOn()
      })
      await goes(name)
    }
    await aPreview(name)
    await (fails ? client.expecting('failures', isThere) : isThere())
    await comesToCutOver(name)
  }

  /** The obstacle comes while the cut-over is made, so it may come first, or last. */
  async function isAt(name: string, reason: string, { comes, goes, fails, afterwards }: Obstacle, client: Client) {
    const isThere = async () => {
      await Promise.all([says(name, 'resume'), comes(name)])
      await place().shows(name, `${reason}, or what follows`, (found) => {
        const reasons = [condition(found, 'Ready')?.reason, condition(found, 'CutOver')?.reason]
        return reasons.includes(reason) || (afterwards === 'kept' && reasons.includes('CutOver')) || isAborted(found)
      })
      await client.goesOn()
      await goes(name)
    }
    await aPreview(name)
    await (fails || afterwards === 'returned' ? client.expecting('failures', isThere) : isThere())
    await place().shows(name, 'its end', (found) => isAborted(found) || condition(found, 'CutOver') !== undefined)
  }

  /** The obstacle comes when the Service sends only to the fork. */
  async function isAfter(name: string, reason: string, { comes, goes, fails, afterwards }: Obstacle, client: Client) {
    const isThere = async () => {
      await comes(name)
      if (afterwards === 'returned') await place().shows(name, 'Aborted', isAborted)
      else if (afterwards !== 'kept') await place().reaches(name, reason)
      await (afterwards === 'kept' ? client.goesOn() : client.expecting('no fork', client.goesOn))
      await goes(name)
    }
    await aPreview(name)
    await says(name, 'resume')
    await comesToCutOver(name)
    await (fails || afterwards === 'returned' ? client.expecting('failures', isThere) : isThere())
    if (afterwards !== 'returned') await comesToCutOver(name)
  }

  for (const [reason, obstacle] of Object.entries(OBSTACLES))
    it(`N1: are not lost, and reach no pod that is shut, where an obstacle comes before, at and after it: ${reason}`, () =>
      besides(
        [isBefore, isAt, isAfter].map((story) => async () => {
          const name = `${story.name}-${reason}`.toLowerCase()
          await aNamedSource(name)
          await obstacle.isPrepared?.(name)
          await during(name, (client) => story(name, reason, obstacle, client))
        }),
      ))

  it('N3: are not lost where the preview is deleted: promote waits for it before the cut-over, and not after it', async () => {
    const name = 'without-preview'
    await aNamedSource(name)
    await during(name, async () => {
      await aPreview(name, { scaleDownDelaySeconds: 1 })
      await place().api.delete(place().path('services', previewOf(name)))
      expect((await say(name, 'promote')).text).to.contain(`promote: service/${previewOf(name)} does not exist`)
      await aService(previewOf(name), name)
      await says(name, 'resume')
      await isCutOver(name)
      await place().api.delete(place().path('services', previewOf(name)))
      await says(name, 'promote')
      await place().shows(name, 'Promoted', ({ status }) => status?.strategy?.phase === 'Promoted')
    })
    await serves(name, SIZE)
  })

  it('N1: are not lost by promote without a preview', async () => {
    const name = 'promoted'
    await aNamedSource(name)
    const blueGreen = { activeService: name, autoPromotionEnabled: false, scaleDownDelaySeconds: 1 }
    await during(name, async () => {
      await place().experiment(name, { source: name, overrideSpec: renamed, strategy: { blueGreen } })
      await shows(name, '1/9 Paused')
      await says(name, 'promote')
      await place().shows(name, 'Promoted', ({ status }) => status?.strategy?.phase === 'Promoted')
    })
    expect(imagesOf(await place().deployment(name))).to.deep.equal([IMAGE])
    await serves(name, SIZE)
  })

  it('N5: are not lost by the undo of a Rollout whose own steps would wait', async () => {
    const name = 'undone'
    const steps = [{ setWeight: 50 }, { pause: {} }]
    await aSource('Rollout', name, SIZE, { strategy: { canary: { steps } } })
    await serves(name, SIZE)
    await during(name, async () => {
      await place().experiment(name, {
        source: name,
        kind: 'Rollout',
        overrideSpec: imageOverride(IMAGE),
        strategy: { canary: { steps: [{ setWeight: 50 }], scaleDownDelaySeconds: 1 } },
        promotion: { mode: 'Automatic', skipSteps: true },
      })
      for (const [phase, next] of [['Promoted', 'undo'], ['Undone']] as const) {
        await place().shows(name, phase, ({ status }) => status?.strategy?.phase === phase)
        if (next) await says(name, next)
      }
    })
    await serves(name, SIZE)
  })
})

const isAborted = ({ status }: ExperimentDeployment) => status?.strategy?.phase === 'Aborted'
const besides = (stories: readonly (() => Promise<void>)[]) =>
  Promise.all(stories.map((story) => story())).then(() => undefined)
