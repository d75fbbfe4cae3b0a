import { expect } from 'chai'
import { COMMAND, COMMAND_BY, IS_PREVIEW, REQUESTED_BY } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { BlueGreenStrategy, StrategyRunStatus } from '../../common/api/strategy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { runHash, shortRun } from '../../common/situation/run-hash.ts'
import { validator } from '../../webhook/validate.ts'
import { anExperiment, imageOverride, installing } from '../builders.ts'
import { aRequest, aService, aSlice, linesOf } from './reviews.ts'
import { revisionOf } from './stored.ts'
import { depsOf, policy, WORLD } from './under-policies.ts'

const NOON = '2026-11-21T12:00:00.000Z'
const FOUR_EYES: ExperimentPolicySpec = { approverNotRequester: true }
const FIELD = 'spec.strategy.blueGreen'
const declared = (value: string): KubeObject => {
  const service = aService('preview')
  return { ...service, metadata: { ...service.metadata, annotations: { [IS_PREVIEW]: value } } }
}
const PREVIEW = [aService('preview'), { ...aSlice(['cart-1', 'cart-2']), ...sliceOf('preview') }]

function sliceOf(service: string): Pick<KubeObject, 'metadata'> {
  const { metadata } = aSlice([])
  return { metadata: { ...metadata, name: `${service}-1`, labels: { 'kubernetes.io/service-name': service } } }
}

interface Asked {
  readonly object: ExperimentDeployment
  readonly oldObject?: ExperimentDeployment
  readonly limits?: ExperimentPolicySpec
  readonly world?: readonly KubeObject[]
}

/** The answer to a request of alice, where all components are installed. */
async function answer({ object, oldObject, limits = FOUR_EYES, world = PREVIEW }: Asked): Promise<readonly string[]> {
  const deps = depsOf({ policies: [policy(limits)], world: [...WORLD, ...world] })
  const review = validator({ ...deps, installed: installing('gate', 'cutOver', 'promotion') })
  return linesOf(await review(aRequest({ object, ...(oldObject ? { oldObject } : {}) })))
}
const errorsOf = async (asked: Asked) =>
  (await answer(asked)).filter((line) => line.startsWith(FIELD) || line.startsWith('metadata.annotations'))

const blueGreen = (of: Partial<BlueGreenStrategy> = {}, spec: Parameters<typeof anExperiment>[0] = {}) =>
  anExperiment({ strategy: { blueGreen: { activeService: 'cart', ...of } }, ...spec })
const previewed = { previewService: 'preview' }
const unasked = { ...previewed, autoPromotionEnabled: true }

describe('the decision on a strategy under a policy that wants another approver', () => {
  const CUT_OVER = `${FIELD}.autoPromotionEnabled: nobody else is asked before the cut-over of service/cart; set it to false; another user gives resume (policy "limits")`
  const PREVIEWS = `${FIELD}.previewService: nobody else is asked before service/preview sends only to the fork; its owner can declare it as a preview, by the annotation ${IS_PREVIEW}: "true" (policy "limits")`

  it('N34: refuses autoPromotionEnabled, also as the default without a preview', async () => {
    expect(await errorsOf({ object: blueGreen() })).to.deep.equal([CUT_OVER])
    expect(await errorsOf({ object: blueGreen(unasked) })).to.have.members([CUT_OVER, PREVIEWS])
    expect(await errorsOf({ object: blueGreen({ autoPromotionEnabled: false }) })).to.deep.equal([])
  })

  it('N34: refuses a preview Service that its owner did not declare', async () => {
    const object = blueGreen(previewed)
    expect(await errorsOf({ object })).to.deep.equal([PREVIEWS])
    expect(await errorsOf({ object, world: [declared('yes')] })).to.deep.equal([PREVIEWS])
    expect(await errorsOf({ object, world: [declared('true')] })).to.deep.equal([])
    expect(await errorsOf({ object, world: [] }), 'without the Service').to.deep.equal([PREVIEWS])
  })

  it('N34: only warns where the policy only warns, and says nothing without this rule', async () => {
    const warned = await answer({ object: blueGreen(), limits: { ...FOUR_EYES, validationActions: ['Warn'] } })
    expect(warned[0]).to.match(/^\[Policy\] spec\.strategy\.blueGreen\.autoPromotionEnabled: nobody else is asked/)
    expect(
      (await answer({ object: blueGreen(unasked), limits: {} })).filter((line) => !/^\[/.test(line)),
    ).to.deep.equal([])
  })

  it('N34: judges a stored experiment again when its strategy is edited, and not before', async () => {
    const oldObject = blueGreen(unasked)
    const edits = {
      time: blueGreen(unasked, { ttlSeconds: 600 }),
      override: blueGreen(unasked, { overrideSpec: imageOverride('example/cart:3') }),
      labels: blueGreen(unasked, { metadata: { labels: { team: 'a' } } }),
    }
    for (const [what, object] of Object.entries(edits))
      expect(await errorsOf({ object, oldObject }), what).to.deep.equal([])
    const edited = blueGreen({ ...unasked, scaleDownDelaySeconds: 60 })
    expect(await errorsOf({ object: edited, oldObject })).to.have.members([CUT_OVER, PREVIEWS])
  })

  it('N34: says how many endpoints a preview Service has now, without any policy', async () => {
    const linesAbout = async (object: ExperimentDeployment, world = PREVIEW) =>
      (await answer({ object, limits: {}, world })).filter((line) => /ready endpoints? now/.test(line))
    const told = (count: string) => [`[Plan] service/preview has ${count} now; then it sends only to the fork`]
    expect(await linesAbout(blueGreen(previewed))).to.deep.equal(told('2 ready endpoints'))
    expect(await linesAbout(blueGreen(previewed), [aService('preview')])).to.deep.equal(told('0 ready endpoints'))
    expect(await linesAbout(blueGreen(previewed), [])).to.deep.equal([])
    expect(await linesAbout(blueGreen())).to.deep.equal([])
    const pausing = { ...running(blueGreen(previewed), 2), spec: blueGreen(previewed, { ttlSeconds: 600 }).spec }
    expect(await linesAbout(pausing), 'after its step').to.deep.equal([])
  })
})

/** `experiment` with a run of its spec at this step. */
const running = (experiment: ExperimentDeployment, stepIndex: number, of: Partial<StrategyRunStatus> = {}) => {
  const run = {
    run: shortRun(runHash(experiment)),
    revision: revisionOf(experiment),
    path: 'Forward',
    stepIndex,
    since: NOON,
  } as const
  const step = { phase: 'Paused', stepName: 'x', step: 'x', ...of } as const
  return { ...experiment, status: { ...experiment.status, strategy: { ...run, ...step } } }
}

describe('the decision on a command by who changed the spec, where somebody else must approve', () => {
  const canary = { strategy: { canary: { steps: [{ setWeight: 20 }] } } }
  const requested = { metadata: { annotations: { [REQUESTED_BY]: 'alice' } } }
  const said = (verb: string, before: ReturnType<typeof running>, by = 'alice') => {
    const annotations = {
      ...before.metadata.annotations,
      [COMMAND]: `${verb} step=${before.status.strategy.stepIndex} revision=${before.status.strategy.revision} at=2026-11-21T12:00:00.000Z`,
      [COMMAND_BY]: by,
    }
    return { oldObject: before, object: { ...before, metadata: { ...before.metadata, annotations } } }
  }
  const MUST = `metadata.annotations["${COMMAND}"]: somebody other than "alice", who last changed the spec, must`

  it('N32: refuses a resume at the promotion as it refuses the promotion', async () => {
    const held = running(anExperiment({ ...canary, ...requested }), 2, { held: true })
    expect(await errorsOf(said('resume', held))).to.deep.equal([
      `${MUST} resume it, because it promotes (policy "limits")`,
    ])
    const ofBob = anExperiment({ ...canary, metadata: { annotations: { [REQUESTED_BY]: 'bob' } } })
    expect(await errorsOf(said('resume', running(ofBob, 2, { held: true })))).to.deep.equal([])
  })

  it('N34: refuses a resume before the preview, unless its owner declared it', async () => {
    const held = running(blueGreen(previewed, requested), 0, { held: true })
    expect(await errorsOf(said('resume', held))).to.deep.equal([
      `${MUST} resume it, because service/preview then sends only to the fork (policy "limits")`,
    ])
    expect(await errorsOf({ ...said('resume', held), world: [declared('true')] })).to.deep.equal([])
  })
})
