import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { JsonObject } from '../../common/json/json.ts'
import type { SpecSchema } from '../../common/override/spec-schema.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import type { ReviewDecision } from '../../webhook/review/decision.ts'
import { type ValidatorDeps, validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aPolicy, FORK, installing, pinnedTo } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader, failing } from '../fakes/reader.ts'
import { VirtualTime } from '../virtual-time.ts'
import { aNamespace } from './a-decoded-request.ts'
import { aRequest, aService, aSlice, linesOf, validatorDeps } from './reviews.ts'

interface Given {
  readonly world?: readonly KubeObject[]
  readonly instead?: Readonly<Record<string, () => unknown>>
  readonly policies?: readonly ExperimentPolicySpec[]
  readonly schema?: SpecSchema
  readonly request?: Parameters<typeof aRequest>[0]
}

const WORLD = [aDeployment(), aService(), aSlice(['cart-1', 'cart-2', 'cart-3'])]
const EXPERIMENTS = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments'

/** The decision on a request. Fails if a timer is left. */
async function decisionOn({
  world = WORLD,
  instead = {},
  policies = [],
  schema = ANY_SCHEMA,
  ...of
}: Given): Promise<ReviewDecision> {
  const timers = new VirtualTime()
  const { kube } = aReader(world, { instead })
  const source = {
    policies: () => policies.map(aPolicy),
    namespace: async (name: string) => aNamespace(name),
    isExcluded: () => false,
  }
  const validate = validator({ ...validatorDeps(kube, schema), policies: source, timers })
  const found = await validate(aRequest(of.request))
  expect(timers.pending).to.equal(0)
  return found
}

const linesFor = async (given: Given): Promise<readonly string[]> => linesOf(await decisionOn(given))
const spec = (of: Parameters<typeof anExperiment>[0]) => ({ object: anExperiment(of) })
const update = (before: Parameters<typeof anExperiment>[0], after: Parameters<typeof anExperiment>[0]) => ({
  object: anExperiment(after),
  oldObject: anExperiment(before),
})

const REPLICAS = 'spec.overrideSpec.replicas: cannot be set here; use spec.replicas'
const UNCHECKED = 'unchecked: the policies of this cluster could not be checked in time, try again'
const MISSING = 'spec.sourceRef: deployment/cart in namespace shop does not exist; create it first (policy "limits")'
const NOT_YET = '[SourceNotFound] no deployment/cart in shop yet; the override is checked again when it appears'
const misplaced: JsonObject = { replicas: 2 }
const pin = { onSourceChange: 'Pin' }

describe('the decision on a request', () => {
  it('names a resource that cannot be decoded, so that kubectl shows which resource has the mistakes', async () => {
    const object = { metadata: { name: 'faster-cart' }, spec: { sourceRef: {} } }
    expect(await decisionOn({ request: { object } })).to.deep.include({ is: 'invalid', name: 'faster-cart' })
    expect(await decisionOn({ request: { object: { ...object, metadata: { name: 5 } } } })).to.deep.include({
      name: '',
    })
  })

  it('M6: tells what may be meant by the name of a source that does not exist', async () => {
    const world = [aDeployment({ name: 'card' })]
    expect(await linesFor({ world })).to.deep.equal([NOT_YET, '[SourceNotFound] did you mean deployment/card?'])
    expect(await linesFor({ world, policies: [{ sourceMissing: 'Deny' }] })).to.deep.equal([
      `${MISSING}; did you mean deployment/card?`,
    ])
  })

  const { revision, status } = pinnedTo()
  const uncounted = { policies: [{ maxExperimentsPerSource: 2 }], instead: { [EXPERIMENTS]: failing('unreachable') } }
  const denied = { policies: [{ sourceMissing: 'Deny' }] } as const

  const cases: Record<string, readonly [Given, ...string[]]> = {
    'admits nothing where a limit counts other experiments and they cannot be read': [uncounted, UNCHECKED],
    'reports mistakes even if others cannot be counted, because trying again would not correct them': [
      { ...uncounted, request: spec({ overrideSpec: misplaced }) },
      REPLICAS,
    ],
    'does not read other experiments where no limit counts them': [
      { ...uncounted, policies: [{ maxReplicas: 3 }], world: [] },
      NOT_YET,
    ],
    'refuses a missing source where a policy denies it': [{ ...denied, world: [] }, MISSING],
    'refuses it also for an experiment that pins its base, because there is no base yet': [
      { ...denied, world: [], request: spec(pin) },
      MISSING,
    ],
    'warns about a stored mistake although there is no source to merge with': [
      { world: [], request: update({ overrideSpec: misplaced }, { overrideSpec: misplaced, ttlSeconds: 9 }) },
      `[InvalidOverride] ${REPLICAS}`,
      '[Plan] creates nothing until this is corrected',
      '[Plan] removed 2026-11-21T12:00Z (in 9s)',
    ],
    'warns about a stored violation of a policy although there is no source to compare with': [
      {
        world: [],
        policies: [{ maxReplicas: 3 }],
        request: update({ replicas: 5 }, { replicas: 5, ttlSeconds: 9 }),
      },
      '[Policy] spec.replicas: must be at most 3, got 5 (policy "limits")',
      NOT_YET,
      '[Plan] removed 2026-11-21T12:00Z (in 9s)',
    ],
    'only warns about a stored violation of a policy beside a stored mistake': [
      {
        policies: [{ maxReplicas: 3 }],
        request: update(
          { overrideSpec: misplaced, replicas: 5 },
          { overrideSpec: misplaced, replicas: 5, ttlSeconds: 9 },
        ),
      },
      '[Policy] spec.replicas: must be at most 3, got 5 (policy "limits")',
      `[InvalidOverride] ${REPLICAS}`,
      '[Plan] creates nothing until this is corrected',
      '[Plan] removed 2026-11-21T12:00Z (in 9s)',
    ],
    'refuses a stored mistake with another value': [
      { world: [], request: update({ overrideSpec: misplaced }, { overrideSpec: { replicas: 3 } }) },
      REPLICAS,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, async () => expect(await linesFor(given)).to.deep.equal(expected))

  it('does not need the source of an experiment with a pinned base', async () => {
    const lines = await linesFor({
      ...denied,
      world: [revision],
      request: update({ ...pin, status }, { ...pin, status, replicas: 2 }),
    })
    expect(lines[0]).to.equal(`[Plan] creates deployment/${FORK} in shop: 2 pods, from deployment/cart`)
  })

  it('does not apply a policy on missing sources where the source exists', async () =>
    expect((await linesFor(denied))[0]).to.match(/^\[Plan\] creates/))

  it('warns about a null that kubectl dropped, before it says what will be created', async () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
    const applied = JSON.stringify({ spec: { overrideSpec: { template: { spec: { affinity: null } } } } })
    const [first, second] = await linesFor({ request: spec({ metadata: { annotations: { [annotation]: applied } } }) })
    expect(first).to.equal(
      '[NullDropped] kubectl apply dropped template.spec.affinity: null; use kubectl apply --server-side',
    )
    expect(second).to.match(/^\[Plan\] creates/)
  })

  it('names the experiment, so that kubectl says which of several it is', async () =>
    expect(await decisionOn({ request: spec({ overrideSpec: misplaced }) })).to.deep.include({ name: 'faster-cart' }))

  it('says that the share is unknown where the Services cannot be read, not that there is none', async () => {
    const instead = { '/api/v1/namespaces/shop/services': failing('unreachable') }
    expect((await linesFor({ instead })).at(-1)).to.equal(
      '[Plan] the share of requests is unknown: the Services could not be read',
    )
  })

  describe('with a mistake of the merged spec', () => {
    const clash = { field: 'spec.minReadySeconds', message: 'clashes', cause: 'FieldValueInvalid' } as const
    const whole: SpecSchema['checkWhole'] = ({ minReadySeconds }) =>
      minReadySeconds === undefined ? [] : [{ ...clash, path: ['minReadySeconds'] }]
    const given = (schema: Partial<SpecSchema>): Given => ({
      schema: { ...ANY_SCHEMA, checkWhole: whole, ...schema },
      request: spec({ overrideSpec: { minReadySeconds: 3 } }),
    })

    it('refuses it', async () =>
      expect(await linesFor(given({}))).to.deep.equal(['spec.overrideSpec.minReadySeconds: clashes']))

    it('does not report it beside a mistake of the override, which is not merged', async () => {
      const error = { field: 'spec.overrideSpec.minReadySeconds', message: 'odd', cause: 'FieldValueInvalid' } as const
      const lines = await linesFor(given({ check: () => [error] }))
      expect(lines).to.deep.equal(['spec.overrideSpec.minReadySeconds: odd'])
    })
  })

  it('reports a mistake once that is in the override and so also in the merged spec', async () => {
    const error = { field: 'spec.overrideSpec.minReadySeconds', message: 'odd', cause: 'FieldValueInvalid' } as const
    const schema: SpecSchema = {
      ...ANY_SCHEMA,
      check: () => [error],
      checkWhole: () => [{ ...error, path: ['minReadySeconds'], field: 'spec.minReadySeconds' }],
    }
    const odd = { overrideSpec: { minReadySeconds: 3 } }
    const lines = await linesFor({ schema, request: update(odd, { ...odd, replicas: 2 }) })
    expect(lines.filter((line) => line.includes('odd'))).to.deep.equal([
      '[InvalidOverride] spec.overrideSpec.minReadySeconds: odd',
    ])
  })
})

const SCHEMA = deploymentSchema()
const REFUSAL = 'spec.traffic.mode: this installation has no component "gate"'

/** How many lines of the answer say that the component is missing. */
async function refusals(object: ExperimentDeployment, installed: Partial<ValidatorDeps>): Promise<number> {
  const { kube } = aReader([aDeployment(), aService()])
  const review = validator({ ...validatorDeps(kube, SCHEMA), ...installed })
  return linesOf(await review(aRequest({ object }))).filter((line) => line.includes(REFUSAL)).length
}

describe('the decision on a gated experiment', () => {
  const gated = anExperiment({ strategy: { canary: {} }, traffic: { mode: 'Gated' } })

  it('refuses it without the component', async () => {
    expect(await refusals(gated, {})).to.equal(1)
    expect(await refusals(gated, { installed: installing('promotion') })).to.equal(1)
  })

  it('admits it with the component', async () =>
    expect(await refusals(gated, { installed: installing('gate') })).to.equal(0))
})
