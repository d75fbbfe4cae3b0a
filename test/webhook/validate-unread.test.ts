import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../common/api/object.ts'
import type { ExperimentPolicySpec } from '../../common/api/policy.ts'
import { KubeError } from '../../common/kube/errors.ts'
import { ownerReference } from '../../common/workload/identity.ts'
import { type Surroundings, validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aBase, aDeployment, anExperiment, FORK } from '../builders.ts'
import { policy } from './policed.ts'
import { aReader, aRequest, aService, linesOf, surroundings } from './reviews.ts'

const WORLD = [aDeployment(), aService()]

interface Given {
  readonly world?: readonly KubeObject[]
  /** the last part of the paths that cannot be read */
  readonly unread?: string
  readonly limits?: ExperimentPolicySpec
}

function validating({ world = WORLD, unread, limits }: Given) {
  const { kube } = aReader(world)
  const request: Surroundings['kube']['request'] = async (call) => {
    if (call.path.split('/').at(-1) === unread) throw new KubeError({ kind: 'unreachable', message: 'refused' })
    return kube.request(call)
  }
  const of = surroundings({ request }, ANY_SCHEMA)
  return validator({ ...of, policies: { ...of.policies, policies: () => (limits ? [policy(limits)] : []) } })
}

const told = async (given: Given, request: Parameters<typeof aRequest>[0] = {}) =>
  linesOf(await validating(given)(aRequest(request)))

const overriding = (overrideSpec: JsonObject) => ({ object: anExperiment({ overrideSpec }) })

describe('validate, of what is not known', () => {
  it('names the resource even where it cannot be decoded', async () => {
    const spec = { sourceRef: {}, overrideSpec: {} }
    const verdict = await validating({})(aRequest({ object: { metadata: { name: 'broken' }, spec } }))
    expect(verdict).to.deep.include({ is: 'invalid', name: 'broken' })
  })

  describe('where the others that a limit counts cannot be read', () => {
    const given = { unread: 'experimentdeployments', limits: { maxExperimentsPerSource: 9 } }

    it('admits nothing: it may be one too many', async () => {
      expect(await told(given)).to.deep.equal([
        'unchecked: the policies of this cluster could not be checked in time, try again',
      ])
    })

    it('tells the mistakes there are: trying again would mend none', async () => {
      expect(await told(given, overriding({ replicas: 2 }))).to.deep.equal([
        'spec.overrideSpec.replicas: not here; set spec.replicas',
      ])
    })

    it('does not ask for them where no limit counts any', async () => {
      const [line] = await told({ ...given, limits: { maxReplicas: 9 } })
      expect(line).to.match(/^\[Plan\] creates/)
    })
  })

  describe('where a source must be there', () => {
    const limits: ExperimentPolicySpec = { sourceMissing: 'Deny' }
    const revision: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: FORK, namespace: 'shop', ownerReferences: [ownerReference(anExperiment())] },
      data: { base: aBase(), source: { uid: 'u', generation: 1, templateHash: 'x' } },
    }
    const pinned = (replicas: number) => anExperiment({ replicas, onSourceChange: 'Pin' })

    it('takes one that is there', async () => {
      expect((await told({ limits }))[0]).to.match(/^\[Plan\] creates/)
    })

    it('takes none that cannot be read for missing', async () => {
      expect((await told({ limits, unread: 'cart' }))[0]).to.match(/^\[SourceUnread\]/)
    })

    it('wants none for what is pinned to what it was', async () => {
      const lines = await told({ limits, world: [revision] }, { object: pinned(2), oldObject: pinned(1) })
      expect(lines[0]).to.equal(`[Plan] updates deployment/${FORK} in shop: 2 pods, from deployment/cart`)
    })
  })

  describe('of a pinned experiment whose source is gone', () => {
    const limits: ExperimentPolicySpec = { sourceMissing: 'Deny' }
    const following = anExperiment({ replicas: 2 })
    const pinned = anExperiment({ onSourceChange: 'Pin', replicas: 2 })

    it('refuses nothing for a base that cannot be read: it may be there', async () => {
      const request = { object: pinned, oldObject: anExperiment({ onSourceChange: 'Pin' }) }
      const [line] = await told({ limits, world: [], unread: FORK }, request)
      expect(line).to.match(/^\[SourceUnread\] deployment\/cart could not be read now/)
    })

    it('refuses to have it follow what is not there, which is no old finding', async () => {
      const lines = await told({ limits, world: [] }, { object: following, oldObject: pinned })
      expect(lines).to.deep.equal(['spec.sourceRef: no deployment/cart in shop; create it first (policy "limits")'])
    })

    it('only tells one that followed before', async () => {
      const lines = await told({ limits, world: [] }, { object: following, oldObject: anExperiment() })
      expect(lines[0]).to.match(/^\[Policy\] spec.sourceRef: no deployment\/cart in shop/)
    })
  })

  it('foresees nothing of a source that is being deleted', async () => {
    const source = aDeployment()
    const leaving = { ...source, metadata: { ...source.metadata, deletionTimestamp: '2026-11-21T11:00:00Z' } }
    expect(await told({ world: [leaving, aService()] })).to.deep.equal([
      '[SourceNotFound] deployment/cart is being deleted; the override is checked again when there is another',
    ])
  })

  it('says of a null that kubectl dropped how to keep it', async () => {
    const written = { spec: { overrideSpec: { template: { spec: { affinity: null } } } } }
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(written) }
    const [first, second] = await told({}, { object: anExperiment({ metadata: { annotations } }) })
    expect(first).to.equal(
      '[NullDropped] kubectl apply dropped template.spec.affinity: null; use kubectl apply --server-side',
    )
    expect(second).to.match(/^\[Plan\] creates/)
  })

  it('expects no share where the Services cannot be read, rather than none', async () => {
    expect(await told({ unread: 'services' })).to.deep.equal([
      `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`,
      '[Plan] the share of requests is unknown: the Services could not be read',
    ])
  })
})
