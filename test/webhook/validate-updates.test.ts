import { expect } from 'chai'
import { COMMAND, COMMAND_BY, REVIEWED_TEMPLATE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { runHash, shortRun } from '../../common/situation/run-hash.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, aWrittenExperiment, FORK } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, aService, aSlice, linesOf, validatorDeps } from './reviews.ts'
import { stored, updated } from './stored.ts'
import { depsOf, policy } from './under-policies.ts'

const SCHEMA = deploymentSchema()
const PODS = Array.from({ length: 11 }, (_, at) => `cart-${at}`)
const WORLD = [aDeployment(), aService(), aSlice(PODS)]
const STORED = stored({}, { schema: SCHEMA })
const STORED_WITH_TWO = stored({ replicas: 2 }, { schema: SCHEMA })

interface Given {
  readonly world?: readonly KubeObject[]
  readonly request: Parameters<typeof aRequest>[0]
}

const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) })

const CREATES = `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`
const SHARE = '[Plan] service/cart: about 8% of new connections (1 of 12 endpoints)'

const cases: Record<string, readonly [Given, ...string[]]> = {
  'compares an update with the stored experiment': [
    {
      world: [...WORLD, STORED.fork],
      request: { object: updated(STORED.experiment, { replicas: 2 }), oldObject: STORED.experiment },
    },
    `[Plan] updates deployment/${FORK} in shop: 2 pods, from deployment/cart`,
    '[Plan] replicas: 1 -> 2',
    '[Plan] service/cart: about 15% of new connections (2 of 13 endpoints)',
  ],
  'does not count the pods that the fork has already as pods of others': [
    {
      world: [aDeployment(), aService(), aSlice([...PODS, `${FORK}-a`, `${FORK}-b`]), STORED_WITH_TWO.fork],
      request: { object: updated(STORED_WITH_TWO.experiment, {}), oldObject: STORED_WITH_TWO.experiment },
    },
    `[Plan] updates deployment/${FORK} in shop: 1 pod, from deployment/cart`,
    '[Plan] replicas: 2 -> 1',
    SHARE,
  ],
  'says when an update changes nothing': [
    {
      world: [...WORLD, STORED.fork],
      request: { object: updated(STORED.experiment, {}), oldObject: STORED.experiment },
    },
    `[Plan] changes nothing in deployment/${FORK} in shop: 1 pod`,
    SHARE,
  ],
  'creates the fork of an update where it is not there yet': [
    { request: { object: anExperiment({ replicas: 2 }), oldObject: anExperiment() } },
    `[Plan] creates deployment/${FORK} in shop: 2 pods, from deployment/cart`,
    '[Plan] service/cart: about 15% of new connections (2 of 13 endpoints)',
  ],
  'lets a stored override beyond the limits be corrected': [
    { request: { oldObject: aWrittenExperiment({ overrideSpec: nested(5_000) }) } },
    CREATES,
    SHARE,
  ],
  'updates the fork of such an experiment': [
    {
      world: [...WORLD, STORED.fork],
      request: {
        object: updated(STORED.experiment, { replicas: 2 }),
        oldObject: aWrittenExperiment({ ...STORED.experiment, overrideSpec: nested(5_000) }),
      },
    },
    `[Plan] updates deployment/${FORK} in shop: 2 pods, from deployment/cart`,
    '[Plan] service/cart: about 15% of new connections (2 of 13 endpoints)',
  ],
}

describe('the validation of an update', () => {
  for (const [sentence, [{ world = WORLD, request }, ...expected]] of Object.entries(cases))
    it(sentence, async () => {
      const decision = await validator(validatorDeps(aReader(world).kube, SCHEMA))(aRequest(request))
      expect(linesOf(decision)).to.deep.equal(expected)
    })
})

describe('the validation of an abort, which needs neither consent nor policies', () => {
  const REVISION = '1f2e3d4c5b'
  const strategy = { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } }
  const ABORT = `abort step=1 revision=${REVISION} at=2026-11-21T12:00:00.000Z`
  const NOT_SHARED = 'namespace "till" does not share its workloads'

  /** An experiment whose run is paused. */
  function paused(annotations: Readonly<Record<string, string>> = {}, namespace = 'shop', replicas = 1) {
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace } as const
    const experiment = anExperiment({ strategy, sourceRef, replicas, metadata: { annotations } })
    const since = '2026-11-21T11:00:00.000Z'
    const run = {
      run: shortRun(runHash(experiment)),
      revision: REVISION,
      path: 'Forward',
      stepIndex: 1,
      since,
    } as const
    const shown = { phase: 'Paused', stepName: 'pause', step: '1/5 Paused' } as const
    return { ...experiment, status: { ...experiment.status, strategy: { ...run, ...shown } } }
  }
  const saying = (command: string, by = 'alice') => ({ [COMMAND]: command, [COMMAND_BY]: by })

  const reviewed = async (
    object: ReturnType<typeof paused>,
    { given = {}, oldObject = paused(), deps = {} }: Partial<Record<'given' | 'deps', object>> & { oldObject?: object },
  ) =>
    linesOf(
      await validator({ ...depsOf(given), ...deps })(aRequest({ object: { ...object }, oldObject: { ...oldObject } })),
    )

  it('admits it without consent, while the same pause is refused', async () => {
    const oldObject = paused({}, 'till')
    expect(await reviewed(paused(saying(ABORT), 'till'), { oldObject })).to.deep.equal([])
    expect(await reviewed(paused(saying('abort'), 'till'), { oldObject })).to.deep.equal([])
    const pause = saying(ABORT.replace('abort', 'pause'))
    expect((await reviewed(paused(pause, 'till'), { oldObject }))[0]).to.contain(NOT_SHARED)
  })

  it('admits it where the policies, or what they count, cannot be read', async () => {
    const unread = { isUnread: true }
    const uncounted = { isDown: true, policies: [policy({ maxExperimentsPerSource: 1 })] }
    expect(await reviewed(paused(saying(ABORT)), { given: unread })).to.deep.equal([])
    expect(await reviewed(paused(saying(ABORT)), { given: uncounted })).to.deep.equal([])
    const pause = paused(saying(ABORT.replace('abort', 'pause')))
    expect((await reviewed(pause, { given: unread }))[0]).to.match(/^unchecked: /)
  })

  it('admits it where policies forbid the experiment, and tells what happens', async () => {
    const given = { policies: [policy({ maxReplicas: 1, maxTTLSeconds: 60 })] }
    const lines = await reviewed(paused(saying(ABORT)), { given })
    expect(lines[0]).to.match(/^\[Plan\] alice: aborted at step 2 of 5/)
  })

  it('admits it where permissions cannot be checked, but refuses it where one is missing', async () => {
    const answering = (status: JsonObject) => ({ kube: aReader(WORLD, { access: () => status }).kube })
    const unchecked = answering({ evaluationError: 'slow' })
    expect(await reviewed(paused(saying(ABORT)), { deps: unchecked })).to.deep.equal([])
    expect((await reviewed(paused(saying(ABORT)), { deps: answering({ allowed: false }) }))[0]).to.match(/^forbidden: /)
  })

  it('refuses what it does besides: another spec, another template, another author', async () => {
    const [given, oldObject] = [{ isUnread: true }, paused()]
    const edited = await reviewed(paused(saying(ABORT), 'shop', 2), { given, oldObject })
    const template = await reviewed(paused({ ...saying(ABORT), [REVIEWED_TEMPLATE]: 'Deployment/b' }), {
      given,
      oldObject,
    })
    for (const [line] of [edited, template]) expect(line).to.match(/^unchecked: /)
    const [forged] = await reviewed(paused(saying(ABORT, 'mallory')), { given, oldObject })
    expect(forged).to.contain(`metadata.annotations["${COMMAND_BY}"]: is set by the webhook`)
  })
})
