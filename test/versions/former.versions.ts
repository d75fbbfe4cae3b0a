import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { bundle, PROGRAMS } from '../../build/bundle.ts'
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
import { OF_PODS, sizedSourcesIn } from '../strategies/sized-sources.ts'
import { answersOfStates, restarts, shows as showsIn } from './analysis-states.ts'
import { evidenceIn, expectOwnEvidence, PRESENT_VERSIONS, versionsIn, writeRuns } from './evidence.ts'
import { usesFormerVersion } from './former-version.ts'
import { createStates, statesOf } from './states.ts'

/** The last commit whose stored objects have short hashes only. The variable `FORMER` names another one. */
const { FORMER = 'ef0c4905ca1ab4678999db4308c704809f0918e9' } = process.env
const DEADLINE_MS = 120_000
/** By then the controller has made a pass over every experiment, and has read again what it does not watch. */
const WATCHED_MS = 70_000
/** Less than experiments have lived before the last update, and more than since. */
const MOST_SECONDS = 240

describe(`an update from version ${FORMER.slice(0, 8)}, and the way back`, () => {
  needs('argoRollouts', 'argoFiles')
  const former = usesFormerVersion(FORMER, EVERYTHING.settings)
  const plane = usesOwnControlPlane(() => former().crds, { hasFormer: true })
  const { answers } = runsPlugin(plane)
  const place = (): Place => placeAt(plane().api, plane().kubectl, 'shop')
  const { aSizedSource, inside, comeToSizes, isItselfAgain } = sizedSourcesIn(place)
  let argo: ArgoRollouts | undefined
  let installed: Installation | undefined
  let first: Awaited<ReturnType<typeof statesOf>> = {}
  /** what was counted when the last programs had ended */
  let atRest: Awaited<ReturnType<typeof evidenceIn>> = []
  /** the versions of the numbers that the former version remembers */
  let ofFormer: ReturnType<typeof versionsIn> = {}

  /** Replaces the programs, with the manifests of the options. */
  async function replaces(options: InstallOptions): Promise<void> {
    await installed?.controller().stop('SIGTERM', DEADLINE_MS)
    await installed?.webhook.stop('SIGTERM', DEADLINE_MS)
    // after a change of its CRD, the API server does not serve a kind for a moment
    if (installed)
      atRest = await eventually('the analysis runs at rest', DEADLINE_MS, () => evidenceIn(place()), { pauseMs: 500 })
    installed = await install(plane(), options)
  }
  const states = () => statesOf(place())
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
  /** Takes as `first` what does not change by itself any more. */
  async function comesToRest(): Promise<void> {
    do first = await states()
    while ((await watched()).length > 0)
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
    answersOfStates(answers)
    await createStates(place())
    await comesToRest()
    ofFormer = versionsIn(await evidenceIn(place()))
    if (process.env.WRITE_RUNS) await writeRuns(place())
  })
  after('Argo Rollouts ends', () => argo?.stop())

  const PRESENT: InstallOptions = { ...EVERYTHING, kindProbeSeconds: 2 }
  const updates = async () => {
    await applyCrds(plane().api, await crds())
    await replaces(PRESENT)
  }
  const argsOfFormer = () => {
    const { argsOf } = former().options
    return argsOf ? { argsOf } : {}
  }
  const STEPS: readonly (readonly [string, () => Promise<void>, 'present' | 'former'])[] = [
    ['an update', updates, 'present'],
    ['going back to the former image alone', () => replaces({ ...PRESENT, ...argsOfFormer() }), 'former'],
    ['the image of this version again', () => replaces(PRESENT), 'present'],
    [
      'going back to all of the former installation',
      async () => {
        await applyCrds(plane().api, former().crds)
        await replaces(former().options)
      },
      'former',
    ],
    ['another update', updates, 'present'],
  ]
  for (const [step, take, version] of STEPS) {
    it(`N31: make no fork again, replace no pod, move no run and begin no analysis: ${step}`, async () => {
      await take()
      await makesNothingAgain()
    })
    const title =
      version === 'present'
        ? 'drop the evidence of unfinished analyses where its numbers mean something else, and say so'
        : 'let the former version begin without evidence whose numbers mean something else'
    it(`N38: ${title}: ${step}`, async () => {
      const versions = version === 'present' ? PRESENT_VERSIONS : ofFormer
      expectOwnEvidence(atRest, await evidenceIn(place()), versions)
    })
  }

  it('leave a source smaller while other code of this version comes', async () => {
    await aSizedSource('inside')
    await inside('inside', [{ setWeight: 40 }, { pause: {} }])
    await hasPhase('inside', 'Paused')
    await comeToSizes('inside', OF_PODS[40])
    await comesToRest()
    const folder = await mkdtemp(join(tmpdir(), 'other-code-'))
    for (const file of await bundle(PROGRAMS, folder)) await appendFile(file, '// other code\n')
    await replaces({ ...PRESENT, argsOf: (name) => [join(folder, `${name}.mjs`)] })
    await rm(folder, { recursive: true })
    await makesNothingAgain()
    await comeToSizes('inside', OF_PODS[40])
  })

  it('make nothing again with the former image when no source is smaller any more', async () => {
    await says(place(), 'inside', 'abort')
    await isItselfAgain('inside')
    // the former version does not know this field, so it would take the experiment for an edited one
    const strategy = { canary: { scaleDownSource: null } }
    await place().api.patch(place().path('experiments', 'inside'), { spec: { strategy } })
    await hasPhase('inside', 'Paused')
    await comesToRest()
    for (const options of [{ ...PRESENT, ...argsOfFormer() }, PRESENT]) {
      await replaces(options)
      await makesNothingAgain()
    }
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

  it('N38: bring unfinished analyses to their verdicts by the clock that was running', async () => {
    const begun = first
    const ends = { errors: 'Pass', buckets: 'Pass', samples: 'Fail', ratio: 'Pass', threshold: 'Fail', ranks: 'Fail' }
    for (const [kind, verdict] of Object.entries(ends))
      showsIn(answers, `${kind}-wait`, kind, verdict === 'Pass' ? 'good' : 'worse')
    showsIn(answers, 'decision-wait', 'decision', 'good')
    showsIn(answers, 'twin-wait', 'errors', 'good')
    await restarts(60)(place(), 'health-wait')
    // most of it has passed before the last update
    for (const name of ['timed-wait', 'value-wait'])
      await place().api.patch(place().path('experiments', name), { spec: { analysis: { maxSeconds: MOST_SECONDS } } })
    const all = {
      ...ends,
      decision: 'Pass',
      twin: 'Pass',
      health: 'Fail',
      timed: 'Inconclusive',
      value: 'Inconclusive',
    }
    for (const [kind, verdict] of Object.entries(all)) {
      const name = `${kind}-wait`
      await shows(name, verdict, ({ status }) => status?.analysis?.verdict === verdict)
      const runs = (await states())[name]?.runs
      const [old] = begun[name]?.runs ?? []
      expect(runs, name).to.have.lengthOf(1)
      expect(runs?.[0]).to.deep.include({ uid: old?.uid, spec: old?.spec, startedAt: old?.startedAt })
    }
  })

  it('N11: undo by the former version what this one has promoted', async () => {
    await says(place(), 'waiting', 'promote')
    await hasPhase('waiting', 'Promoted')
    expect(imagesOf(await place().deployment('waiting'))).to.deep.equal(['registry.example/cart:2'])
    first = await states()
    await replaces({ ...PRESENT, ...argsOfFormer() })
    await says(place(), 'waiting', 'undo')
    await hasPhase('waiting', 'Undone')
    expect(imagesOf(await place().deployment('waiting'))).to.deep.equal(['registry.example/cart:1'])
  })

  it('N38: let the former version keep the verdicts that this one has found', async () => {
    // its conditions lack words for some reasons, and `waiting` was undone
    const found = (await differences()).filter((text) => !text.startsWith('waiting ') && !text.includes(' ready: '))
    expect(found).to.deep.equal([])
  })
})
