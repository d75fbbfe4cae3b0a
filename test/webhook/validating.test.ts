import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../common/api/object.ts'
import type { ExperimentPolicySpec } from '../../common/api/policy.ts'
import { ownerReference } from '../../common/workload/identity.ts'
import type { SpecSchema } from '../../common/workload/kind.ts'
import { validator } from '../../webhook/validate.ts'
import type { Verdict } from '../../webhook/verdict.ts'
import { ANY_SCHEMA, aBase, aDeployment, anExperiment, aPolicy, FORK } from '../builders.ts'
import { VirtualTime } from '../virtual-time.ts'
import { aNamespace } from './an-asked.ts'
import { aRequest, aService, aSlice, linesOf, surroundings } from './reviews.ts'
import { aStrictReader, failing } from './strict-reader.ts'

interface Given {
  readonly world?: readonly KubeObject[]
  readonly instead?: Readonly<Record<string, () => unknown>>
  readonly policies?: readonly ExperimentPolicySpec[]
  readonly schema?: SpecSchema
  readonly request?: Parameters<typeof aRequest>[0]
}

const WORLD = [aDeployment(), aService(), aSlice(['cart-1', 'cart-2', 'cart-3'])]
const EXPERIMENTS = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments'

/** The verdict on a request, after which no timer is left. */
async function verdict({
  world = WORLD,
  instead = {},
  policies = [],
  schema = ANY_SCHEMA,
  ...of
}: Given): Promise<Verdict> {
  const timers = new VirtualTime()
  const { kube } = aStrictReader(world, { instead })
  const source = { policies: () => policies.map(aPolicy), namespace: async (name: string) => aNamespace(name) }
  const validate = validator({ ...surroundings(kube, schema), policies: source, timers })
  const found = await validate(aRequest(of.request))
  expect(timers.pending).to.equal(0)
  return found
}

const told = async (given: Given): Promise<readonly string[]> => linesOf(await verdict(given))
const spec = (of: Parameters<typeof anExperiment>[0]) => ({ object: anExperiment(of) })
const update = (before: Parameters<typeof anExperiment>[0], after: Parameters<typeof anExperiment>[0]) => ({
  object: anExperiment(after),
  oldObject: anExperiment(before),
})

const REPLICAS = 'spec.overrideSpec.replicas: not here; set spec.replicas'
const UNCHECKED = 'unchecked: the policies of this cluster could not be checked in time, try again'
const MISSING = 'spec.sourceRef: no deployment/cart in shop; create it first (policy "limits")'
const NOT_YET = '[SourceNotFound] no deployment/cart in shop yet; the override is checked again when it appears'
const misplaced: JsonObject = { replicas: 2 }
const pin = { onSourceChange: 'Pin' }

describe('the verdict', () => {
  it('names what cannot be read as an experiment: kubectl says whose mistakes they are', async () => {
    const object = { metadata: { name: 'faster-cart' }, spec: { sourceRef: {} } }
    expect(await verdict({ request: { object } })).to.deep.include({ is: 'invalid', name: 'faster-cart' })
    expect(await verdict({ request: { object: { ...object, metadata: { name: 5 } } } })).to.deep.include({ name: '' })
  })

  const revision: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: FORK, namespace: 'shop', ownerReferences: [ownerReference(anExperiment())] },
    data: { base: aBase(), source: { uid: 'u', generation: 1, templateHash: 'x' } },
  }
  const uncounted = { policies: [{ maxExperimentsPerSource: 2 }], instead: { [EXPERIMENTS]: failing('unreachable') } }
  const denied = { policies: [{ sourceMissing: 'Deny' }] } as const

  const cases: Record<string, readonly [Given, ...string[]]> = {
    'admits nothing where a limit counts others and nobody can': [uncounted, UNCHECKED],
    'tells mistakes although nobody can count others: to try again would not mend them': [
      { ...uncounted, request: spec({ overrideSpec: misplaced }) },
      REPLICAS,
    ],
    'asks nobody to count where no limit does': [{ ...uncounted, policies: [{ maxReplicas: 3 }], world: [] }, NOT_YET],
    'refuses for a source that is not there, where a policy wants that': [{ ...denied, world: [] }, MISSING],
    'refuses for that although the experiment is one that pins: it has nothing yet': [
      { ...denied, world: [], request: spec(pin) },
      MISSING,
    ],
    'tells a mistake that was stored before, although there is no source to merge with': [
      { world: [], request: update({ overrideSpec: misplaced }, { overrideSpec: misplaced, ttlSeconds: 9 }) },
      `[InvalidOverride] ${REPLICAS}`,
      NOT_YET,
      '[Plan] nothing is made or changed until this is corrected',
      '[Plan] removed 2026-11-21T12:00Z (in 9s)',
    ],
    'tells what a policy had against it before, although there is no source to compare with': [
      {
        world: [],
        policies: [{ maxReplicas: 3 }],
        request: update({ replicas: 5 }, { replicas: 5, ttlSeconds: 9 }),
      },
      '[Policy] spec.replicas: 5 is more than 3 (policy "limits")',
      NOT_YET,
    ],
    'refuses that mistake with another value': [
      { world: [], request: update({ overrideSpec: misplaced }, { overrideSpec: { replicas: 3 } }) },
      REPLICAS,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, async () => expect(await told(given)).to.deep.equal(expected))

  it('minds no source that is gone where the experiment keeps what it started from', async () => {
    const lines = await told({ ...denied, world: [revision], request: update(pin, { ...pin, replicas: 2 }) })
    expect(lines[0]).to.equal(`[Plan] updates deployment/${FORK} in shop: 2 pods, from deployment/cart`)
  })

  it('minds no policy on missing sources where the source is there', async () =>
    expect((await told(denied))[0]).to.match(/^\[Plan\] creates/))

  it('warns of a null that kubectl dropped, before what will be made', async () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
    const applied = JSON.stringify({ spec: { overrideSpec: { template: { spec: { affinity: null } } } } })
    const [first, second] = await told({ request: spec({ metadata: { annotations: { [annotation]: applied } } }) })
    expect(first).to.equal(
      '[NullDropped] kubectl apply dropped template.spec.affinity: null; use kubectl apply --server-side',
    )
    expect(second).to.match(/^\[Plan\] creates/)
  })

  it('is about the experiment by its name, so that kubectl says which of many it is', async () =>
    expect(await verdict({ request: spec({ overrideSpec: misplaced }) })).to.deep.include({ name: 'faster-cart' }))

  it('says that the share is unknown where the Services cannot be read, and not that there is none', async () => {
    const instead = { '/api/v1/namespaces/shop/services': failing('unreachable') }
    expect((await told({ instead })).at(-1)).to.equal(
      '[Plan] the share of requests is unknown: the Services could not be read',
    )
  })

  describe('on a mistake of the whole', () => {
    const clash = { field: 'spec.minReadySeconds', message: 'clashes', cause: 'FieldValueInvalid' } as const
    const whole: SpecSchema['checkWhole'] = ({ minReadySeconds }) =>
      minReadySeconds === undefined ? [] : [{ ...clash, path: ['minReadySeconds'] }]
    const given = (schema: Partial<SpecSchema>): Given => ({
      schema: { ...ANY_SCHEMA, checkWhole: whole, ...schema },
      request: spec({ overrideSpec: { minReadySeconds: 3 } }),
    })

    it('refuses', async () =>
      expect(await told(given({}))).to.deep.equal(['spec.overrideSpec.minReadySeconds: clashes']))

    it('says nothing beside a mistake of the override: what does not fit is merged with nothing', async () => {
      const error = { field: 'spec.overrideSpec.minReadySeconds', message: 'odd', cause: 'FieldValueInvalid' } as const
      const lines = await told(given({ check: () => [error] }))
      expect(lines).to.deep.equal(['spec.overrideSpec.minReadySeconds: odd'])
    })
  })

  it('tells a mistake once that is in the override and, with it, in the whole', async () => {
    const error = { field: 'spec.overrideSpec.minReadySeconds', message: 'odd', cause: 'FieldValueInvalid' } as const
    const schema: SpecSchema = {
      ...ANY_SCHEMA,
      check: () => [error],
      checkWhole: () => [{ ...error, path: ['minReadySeconds'], field: 'spec.minReadySeconds' }],
    }
    const odd = { overrideSpec: { minReadySeconds: 3 } }
    const lines = await told({ schema, request: update(odd, { ...odd, replicas: 2 }) })
    expect(lines.filter((line) => line.includes('odd'))).to.deep.equal([
      '[InvalidOverride] spec.overrideSpec.minReadySeconds: odd',
    ])
  })
})
