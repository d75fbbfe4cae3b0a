import { expect } from 'chai'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { isEqual } from '../../common/json/json.ts'
import { type ArgoRollouts, startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { applyCrds } from '../../sandbox/first-objects.ts'
import { crds, EVERYTHING, type Installation, type InstallOptions, install } from '../../sandbox/installation.ts'
import { runsPlugin } from '../analyses/analyses.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { says } from '../integration/canaries.ts'
import { imagesOf, type Place, placeAt } from '../integration/product.ts'
import { needs } from '../needs.ts'
import { usesFormerVersion } from './former-version.ts'
import { createStates, STATES, stateOf } from './states.ts'

/** The last commit whose stored objects have short hashes only. The variable `FORMER` names another one. */
const { FORMER = 'ef0c4905ca1ab4678999db4308c704809f0918e9' } = process.env
const DEADLINE_MS = 120_000
/** By then the controller has made a pass over every experiment, and has read again what it does not watch. */
const WATCHED_MS = 70_000

describe(`an update from version ${FORMER.slice(0, 8)}, and the way back`, () => {
  needs('argoRollouts', 'argoFiles')
  const former = usesFormerVersion(FORMER, EVERYTHING.settings)
  const plane = usesOwnControlPlane(() => former().crds)
  const { answers } = runsPlugin(plane)
  const place = (): Place => placeAt(plane().api, plane().kubectl, 'shop')
  let argo: ArgoRollouts | undefined
  let installed: Installation | undefined
  let first: Awaited<ReturnType<typeof states>> = {}

  /** Replaces the programs, with the manifests of the options. */
  async function replaces(options: InstallOptions): Promise<void> {
    await installed?.controller().stop('SIGTERM', DEADLINE_MS)
    await installed?.webhook.stop('SIGTERM', DEADLINE_MS)
    installed = await install(plane(), options)
  }
  async function states() {
    const found = Object.keys(STATES).map(async (name) => [name, await stateOf(place(), name)] as const)
    return Object.fromEntries(await Promise.all(found))
  }
  /** What differs from `first`, by experiment. */
  async function differences(): Promise<readonly string[]> {
    const found = Object.entries(await states())
    return found.flatMap(([name, state]) =>
      Object.entries(state).flatMap(([part, after]) => {
        const before = first[name]?.[part as keyof typeof state]
        return isEqual(before, after) ? [] : `${name} ${part}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`
      }),
    )
  }
  /** Resolves to the first differences; to none when nothing has differed from `first` for some time. */
  const watched = (): Promise<readonly string[]> => {
    const until = performance.now() + WATCHED_MS
    return eventually(
      'time to pass',
      2 * WATCHED_MS,
      async () => {
        const found = await differences()
        const left = until - performance.now()
        if (left > 0 && found.length === 0) throw new Error(`${left} ms are left`)
        return found
      },
      { pauseMs: 2_000 },
    )
  }
  const makesNothingAgain = async () => expect(await watched()).to.deep.equal([])
  const shows = (name: string, what: string, holds: (of: ExperimentDeployment) => boolean) =>
    eventually(`${name} to show ${what}`, DEADLINE_MS, async () => {
      const found = await place().experimentAt(name)
      if (!holds(found)) throw new Error(JSON.stringify(found.status))
      return found
    })
  const hasPhase = (name: string, phase: string) =>
    shows(name, phase, ({ status }) => status?.strategy?.phase === phase)

  before('experiments are in every state under the former version', async function () {
    this.timeout(1_200_000)
    argo = await startArgoRollouts(plane())
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    await replaces(former().options)
    answers.set('failed', { decision: 'Fail', message: 'worse' })
    answers.set('passed', { decision: 'Pass', message: 'good' })
    await createStates(place())
    do first = await states()
    while ((await watched()).length > 0)
  })
  after('Argo Rollouts ends', () => argo?.stop())

  it('N31: make no fork again, replace no pod, move no run and begin no analysis, in both directions', async () => {
    await applyCrds(plane().api, await crds())
    await replaces({ ...EVERYTHING, kindProbeSeconds: 2 })
    await makesNothingAgain()
    const { argsOf, ...others } = former().options
    if (argsOf) await replaces({ ...EVERYTHING, kindProbeSeconds: 2, argsOf }) // the former image alone
    await makesNothingAgain()
    await replaces({ ...EVERYTHING, kindProbeSeconds: 2 })
    await makesNothingAgain()
    await applyCrds(plane().api, former().crds) // all of the former installation
    await replaces({ ...others, ...(argsOf && { argsOf }) })
    await makesNothingAgain()
    await applyCrds(plane().api, await crds())
    await replaces({ ...EVERYTHING, kindProbeSeconds: 2 })
    await makesNothingAgain()
  })

  it('N31: carry on what the former version has begun', async () => {
    for (const name of ['paused', 'approved', 'preview']) await says(place(), name, 'resume')
    await shows('paused', 'its last pause', ({ status }) => status?.strategy?.stepIndex === 3)
    await hasPhase('approved', 'Promoted')
    expect(imagesOf(await place().deployment('approved'))).to.deep.equal(['registry.example/cart:2'])
    await shows('preview', 'its cut-over', ({ status }) => status?.strategy?.stepName === 'pause 1h')
    for (const name of ['promoted', 'switched']) await says(place(), name, name === 'promoted' ? 'undo' : 'abort')
    await hasPhase('promoted', 'Undone')
    expect(imagesOf(await place().deployment('promoted'))).to.deep.equal(['registry.example/cart:1'])
    await hasPhase('switched', 'Aborted')
    answers.set('judged', { decision: 'Pass', message: 'good' })
    answers.set('stepped', { decision: 'Fail', message: 'worse' })
    await shows('judged', 'its verdict', ({ status }) => status?.analysis?.verdict === 'Pass')
    await shows('stepped', 'its verdict', ({ status }) => status?.analysis?.verdict === 'Fail')
  })

  it('N11: undo by the former version what this one has promoted', async () => {
    await says(place(), 'waiting', 'promote')
    await hasPhase('waiting', 'Promoted')
    expect(imagesOf(await place().deployment('waiting'))).to.deep.equal(['registry.example/cart:2'])
    const { argsOf } = former().options
    await replaces({ ...EVERYTHING, kindProbeSeconds: 2, ...(argsOf && { argsOf }) })
    await says(place(), 'waiting', 'undo')
    await hasPhase('waiting', 'Undone')
    expect(imagesOf(await place().deployment('waiting'))).to.deep.equal(['registry.example/cart:1'])
  })
})
