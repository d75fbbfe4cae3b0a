import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { type ValidatorDeps, validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, FORK, pinnedTo } from '../builders.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, aService, linesOf, validatorDeps } from './reviews.ts'
import { stored, updated } from './stored.ts'
import { policy } from './under-policies.ts'

const WORLD = [aDeployment(), aService()]

interface Given {
  readonly world?: readonly KubeObject[]
  /** the last part of the paths that cannot be read */
  readonly unread?: string
  readonly limits?: ExperimentPolicySpec
}

function validating({ world = WORLD, unread, limits }: Given) {
  const { kube } = aReader(world)
  const request: ValidatorDeps['kube']['request'] = async (call) => {
    if (call.path.split('/').at(-1) === unread) throw new KubeError({ kind: 'unreachable', message: 'refused' })
    return kube.request(call)
  }
  const of = validatorDeps({ request }, ANY_SCHEMA)
  return validator({ ...of, policies: { ...of.policies, policies: () => (limits ? [policy(limits)] : []) } })
}

const linesFor = async (given: Given, request: Parameters<typeof aRequest>[0] = {}) =>
  linesOf(await validating(given)(aRequest(request)))

const { revision, status } = pinnedTo()

const overriding = (overrideSpec: JsonObject) => ({ object: anExperiment({ overrideSpec }) })

describe('the validation of a request where something cannot be read', () => {
  it('names the resource even if it cannot be decoded', async () => {
    const spec = { sourceRef: {}, overrideSpec: {} }
    const decision = await validating({})(aRequest({ object: { metadata: { name: 'broken' }, spec } }))
    expect(decision).to.deep.include({ is: 'invalid', name: 'broken' })
  })

  describe('other experiments that a limit counts', () => {
    const given = { unread: 'experimentdeployments', limits: { maxExperimentsPerSource: 9 } }

    it('refuses the request, because the limit may be reached', async () => {
      expect(await linesFor(given)).to.deep.equal([
        'unchecked: the policies of this cluster could not be checked in time, try again',
      ])
    })

    it('reports mistakes, because trying again would not correct them', async () => {
      expect(await linesFor(given, overriding({ replicas: 2 }))).to.deep.equal([
        'spec.overrideSpec.replicas: cannot be set here; use spec.replicas',
      ])
    })

    it('does not read them if no limit counts them', async () => {
      const [line] = await linesFor({ ...given, limits: { maxReplicas: 9 } })
      expect(line).to.match(/^\[Plan\] creates/)
    })
  })

  describe('a source that must exist', () => {
    const limits: ExperimentPolicySpec = { sourceMissing: 'Deny' }
    const pinned = (replicas: number) => anExperiment({ replicas, onSourceChange: 'Pin', status })

    it('accepts one that exists', async () => {
      expect((await linesFor({ limits }))[0]).to.match(/^\[Plan\] creates/)
    })

    it('does not call it missing where it cannot be read', async () => {
      expect((await linesFor({ limits, unread: 'cart' }))[0]).to.match(/^\[SourceUnread\]/)
    })

    it('is not needed by an experiment with a pinned base', async () => {
      const lines = await linesFor({ limits, world: [revision] }, { object: pinned(2), oldObject: pinned(1) })
      expect(lines[0]).to.equal(`[Plan] creates deployment/${FORK} in shop: 2 pods, from deployment/cart`)
    })
  })

  describe('the pinned base of an experiment whose source is gone', () => {
    const limits: ExperimentPolicySpec = { sourceMissing: 'Deny' }
    const following = anExperiment({ replicas: 2 })
    const pinned = anExperiment({ onSourceChange: 'Pin', replicas: 2, status })

    it('is not called missing where it cannot be read', async () => {
      const request = { object: pinned, oldObject: anExperiment({ onSourceChange: 'Pin', status }) }
      const [line] = await linesFor({ limits, world: [], unread: FORK }, request)
      expect(line).to.equal(
        '[SourceUnread] the pinned base, controllerrevision/cart-experiment-cd1aa1c99c, could not be read now (unreachable)',
      )
    })

    it('must not be replaced by a source that does not exist', async () => {
      const request = { object: { ...following, status }, oldObject: { ...pinned, status } }
      const lines = await linesFor({ limits, world: [revision] }, request)
      expect(lines).to.deep.equal([
        'spec.sourceRef: deployment/cart in namespace shop does not exist; create it first (policy "limits")',
      ])
    })

    for (const oldObject of [anExperiment(), anExperiment({ onSourceChange: 'Pin' })])
      it(`was not there before either, which is only a warning (${oldObject.spec.onSourceChange ?? 'Follow'})`, async () => {
        const lines = await linesFor({ limits, world: [] }, { object: following, oldObject })
        expect(lines[0]).to.match(/^\[Policy\] spec.sourceRef: deployment\/cart in namespace shop does not exist/)
      })
  })

  it('predicts nothing from a source that is being deleted', async () => {
    const source = aDeployment()
    const leaving = { ...source, metadata: { ...source.metadata, deletionTimestamp: '2026-11-21T11:00:00Z' } }
    expect(await linesFor({ world: [leaving, aService()] })).to.deep.equal([
      '[SourceNotFound] deployment/cart in shop is being deleted; the override is checked again when there is another',
    ])
  })

  it('says how to keep a null that kubectl dropped', async () => {
    const written = { spec: { overrideSpec: { template: { spec: { affinity: null } } } } }
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(written) }
    const [first, second] = await linesFor({}, { object: anExperiment({ metadata: { annotations } }) })
    expect(first).to.equal(
      '[NullDropped] kubectl apply dropped template.spec.affinity: null; use kubectl apply --server-side',
    )
    expect(second).to.match(/^\[Plan\] creates/)
  })

  it('predicts no share where the Services cannot be read, rather than a share of zero', async () => {
    expect(await linesFor({ unread: 'services' })).to.deep.equal([
      `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`,
      '[Plan] the share of requests is unknown: the Services could not be read',
    ])
  })

  it('says that the plan is unknown where the fork cannot be read, and what the fork would receive', async () => {
    const { experiment, fork } = stored()
    const request = { object: updated(experiment, { replicas: 2 }), oldObject: experiment }
    expect(await linesFor({ world: [...WORLD, fork], unread: FORK }, request)).to.deep.equal([
      '[Plan] the fork could not be read now (unreachable), so what is written is unknown',
      '[Plan] service/cart: about 100% of new connections (2 of 2 endpoints)',
      '[AloneBehindService] no other ready endpoint in service/cart: the fork gets all requests',
    ])
  })
})
