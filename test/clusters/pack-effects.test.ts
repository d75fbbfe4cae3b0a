import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { COMMAND, EXPERIMENT_DEPLOYMENT, REQUESTED_BY } from '../../common/api/names.ts'
import type { StrategyRunStatus } from '../../common/api/strategy.ts'
import type { ExperimentDeploymentSpec } from '../../common/api/types.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { runHash, shortRun } from '../../common/situation/run-hash.ts'
import { COMMAND_VERBS, type CommandVerb } from '../../common/strategy/command-text.ts'
import { compileSteps, nameOfStep } from '../../common/strategy/compile.ts'
import { strategyRunSpec } from '../../common/strategy/run-spec.ts'
import { ApiError } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { needsOf } from '../../webhook/reads/access.ts'
import { anExperiment } from '../builders.ts'
import { aDecodedRequest } from '../webhook/a-decoded-request.ts'
import { usesOwnControlPlane } from './own-plane.ts'
import { bindUsers } from './pack-users.ts'

const CRD = new URL('../../crds/experimentdeployments.yaml', import.meta.url)

type Of = Pick<ExperimentDeploymentSpec, 'strategy' | 'promotion'>
const CANARY = { canary: { steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }] } }
const PREVIEWED = { activeService: 'cart', previewService: 'preview' }
const SPECS: Readonly<Record<string, Of>> = {
  manual: { strategy: CANARY },
  automatic: { strategy: CANARY, promotion: { mode: 'Automatic' } },
  approved: { strategy: CANARY, promotion: { mode: 'Manual', approvedRevision: '1f2e3d4c5b' } },
  smaller: { strategy: { canary: { ...CANARY.canary, scaleDownSource: true } } },
  exporting: { strategy: CANARY, promotion: { mode: 'Export' } },
  previewed: { strategy: { blueGreen: PREVIEWED } },
  unasked: { strategy: { blueGreen: { ...PREVIEWED, autoPromotionEnabled: true } } },
  alone: { strategy: { blueGreen: { activeService: 'cart' } }, promotion: { mode: 'Automatic' } },
}

/** Alice may change the Services and not the source; bob the source and not the Services. */
type User = 'alice' | 'bob'
type Asked = CommandVerb | 'edit'
const NAMESPACE = 'green'

describe('N32: the pack asks for no less than the webhook', () => {
  const plane = usesOwnControlPlane(() => [readFileSync(CRD, 'utf8')])
  const path = (name: string) => resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: NAMESPACE, name })
  const create = (name: string, of: object, api = plane().api, query = '') =>
    api.create(`${resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: NAMESPACE })}${query}`, {
      apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
      kind: EXPERIMENT_DEPLOYMENT.kind,
      metadata: { name },
      spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {}, ...of },
    })

  before('the pack is enforced', async () => {
    const args = ['apply', '--server-side', '--validate=strict', '-k', 'manifests/pack']
    const { code, stderr } = await plane().kubectl(args)
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    await bindUsers(plane())
    await eventually('the pack to refuse', 20_000, async () => {
      const refused = await answerOf(create('probe', SPECS.automatic ?? {}, plane().apiAs('alice'), '?dryRun=All'))
      if (refused === '') throw new Error('it does not yet')
    })
  })

  /** What the pack asks `user` for, who has everything else; empty: nothing. */
  const packSays = (user: User, name: string, asked: Asked): Promise<string> =>
    answerOf(
      plane()
        .apiAs(user)
        .patch(`${path(name)}?dryRun=All`, changeOf(asked)),
    )

  for (const [name, of] of Object.entries(SPECS))
    it(`N32: ${name}: for each command and an edit, at each step, held or not`, async () => {
      await create(name, of)
      for (const run of runsOf(of)) {
        await plane().api.patch(`${path(name)}/status`, { status: { strategy: run } })
        for (const asked of [...COMMAND_VERBS.filter((verb) => verb !== 'abort'), 'edit' as const]) {
          const { source, services } = webhookAsks(of, run, asked)
          const because = `${asked} at ${run.stepName}${run.held ? ', held' : ''}`
          const [ofSource, ofServices] = await Promise.all([
            packSays('alice', name, asked),
            packSays('bob', name, asked),
          ])
          if (source) expect(ofSource, because).to.contain(`needs "patch deployments.apps/cart" in namespace`)
          for (const each of services) expect(ofServices, because).to.contain(`"patch services/${each}"`)
          if (asked === 'pause') expect([ofSource, ofServices], because).to.deep.equal(['', ''])
        }
      }
    })

  it('N32: it asks who resumes a run at its promotion for the right to patch the source', async () => {
    const of = SPECS.manual ?? {}
    await create('held', of)
    const runs = runsOf(of)
    const says = async (stepName: string) => {
      const run = runs.find((each) => each.held && each.stepName === stepName)
      await plane().api.patch(`${path('held')}/status`, { status: { strategy: run } })
      return packSays('alice', 'held', 'resume')
    }
    expect(await says('promote')).to.contain('needs "patch deployments.apps/cart" in namespace "green"')
    expect(await says('pause')).to.equal('')
    expect(await says('await')).to.equal('')
  })

  it('it asks for that right whoever lets a run write the size of its source', async () => {
    const scaling = (scaleDownSource: boolean) => ({
      ...{ strategy: { canary: { ...CANARY.canary, scaleDownSource } }, promotion: { mode: 'Export' } },
    })
    const creates = (user: User, of: object) => answerOf(create('scaled', of, plane().apiAs(user), '?dryRun=All'))
    const needs = 'needs "patch deployments.apps/cart" in namespace "green"'
    expect(await creates('alice', scaling(true))).to.contain(needs)
    expect(await creates('bob', scaling(true))).to.equal('')
    for (const asked of [scaling(false), { strategy: CANARY }]) expect(await creates('alice', asked)).to.equal('')
    await create('scaled', scaling(true))
    for (const asked of ['resume', 'retry', 'edit'] as const) {
      expect(await packSays('alice', 'scaled', asked), asked).to.contain(needs)
      expect(await packSays('bob', 'scaled', asked), asked).to.equal('')
    }
    for (const asked of ['pause', 'abort'] as const) expect(await packSays('alice', 'scaled', asked)).to.equal('')
  })

  it('it takes a canary that is null for none', async () => {
    const strategy = { canary: null, blueGreen: { activeService: 'cart', autoPromotionEnabled: false } }
    expect(await answerOf(create('null', { strategy }, plane().apiAs('alice'), '?dryRun=All'))).to.equal('')
  })

  it('N37e: it lets a change of ttlSeconds alone keep the name of the requester', async () => {
    await create('timed', {}, plane().apiAs('alice'))
    const changes = (spec: JsonObject) => answerOf(plane().api.patch(path('timed'), { spec }))
    const annotations = { [REQUESTED_BY]: 'alice' }
    await plane().apiAs('alice').patch(path('timed'), { metadata: { annotations } })
    for (const ttlSeconds of [600, 900, null]) expect(await changes({ ttlSeconds })).to.equal('')
    expect(await changes({ ttlSeconds: 600, replicas: 2 })).to.contain(
      'is set by the webhook to the name of the requester',
    )
  })

  it('N9: it takes a promotion that is null for none', async () => {
    await create('emptied', { ...SPECS.manual, promotion: null }, plane().apiAs('alice'))
    const changes = (spec: JsonObject) => answerOf(plane().api.patch(path('emptied'), { spec }))
    const annotations = { [REQUESTED_BY]: 'alice', [COMMAND]: 'retry' }
    expect(await answerOf(plane().apiAs('alice').patch(path('emptied'), { metadata: { annotations } }))).to.equal('')
    expect(await changes({ ttlSeconds: 600 })).to.equal('')
    const removed = await plane().api.patch(path('emptied'), { spec: { promotion: null } }) // null removes the member
    expect(removed.spec).to.not.have.property('promotion')
    expect(await changes({ promotion: { mode: 'Manual' } })).to.contain('is set by the webhook to the name of the')
  })
})

const changeOf = (asked: Asked): JsonObject =>
  asked === 'edit' ? { spec: { ttlSeconds: 600 } } : { metadata: { annotations: { [COMMAND]: asked } } }

/** The run of `of` at each of its steps. */
function runsOf(of: Of): readonly StrategyRunStatus[] {
  const spec = strategyRunSpec(anExperiment(of).spec)
  if (!spec) throw new Error('no run')
  const [run, revision, since] = [shortRun(runHash(anExperiment({ overrideSpec: {}, ...of }))), '1f2e3d4c5b', SINCE]
  return compileSteps(spec, 'Forward').flatMap((step, stepIndex) => {
    const at = { run, revision, since, path: 'Forward', stepIndex, stepName: nameOfStep(step) } as const
    return [false, true].map((held) => ({ ...at, held, phase: 'Paused' as const, step: '1/9 Paused' }))
  })
}

const SINCE = '2026-11-21T14:00:00.000Z'

/** What the webhook asks for beside what every change needs. */
function webhookAsks(of: Of, run: StrategyRunStatus, asked: Asked) {
  const stored = { ...anExperiment({ overrideSpec: {}, ...of }), status: { strategy: run } }
  const { spec = {}, metadata = {} } = changeOf(asked)
  const object = {
    ...stored,
    spec: { ...stored.spec, ...Object(spec) },
    metadata: { ...stored.metadata, ...Object(metadata) },
  }
  const patched = needsOf(aDecodedRequest({ object, oldObject: stored })).filter(({ verb }) => verb === 'patch')
  return {
    source: patched.some(({ resource, name }) => resource.plural === 'deployments' && name === 'cart'),
    services: patched.flatMap(({ resource, name = '' }) => (resource.plural === 'services' ? [name] : [])),
  }
}

/** The message of a refusal by the pack; empty: it was accepted. */
const answerOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => '',
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return error.message
      throw error
    },
  )
