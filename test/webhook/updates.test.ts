import { expect } from 'chai'
import { REQUESTED_BY } from '../../common/api/names.ts'
import type { JsonObject, KubeObject } from '../../common/api/object.ts'
import { baseOf } from '../../common/workload/base.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { ownerReference } from '../../common/workload/identity.ts'
import { NO_SHAPE } from '../../common/workload/shape.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, FORK, imageOverride } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader, aRequest, aService, linesOf, surroundings } from './reviews.ts'

const SCHEMA = deploymentSchema()

async function told(world: readonly KubeObject[], request: Parameters<typeof aRequest>[0]): Promise<readonly string[]> {
  return linesOf(await validator(surroundings(aReader(world).kube, SCHEMA))(aRequest(request)))
}

const overriding = (overrideSpec: JsonObject, replicas = 1) => anExperiment({ overrideSpec, replicas })

describe('an update', () => {
  const WORLD = [aDeployment(), aService()]
  const STANDS = '[Plan] nothing is made or changed until this is corrected'

  it('An old finding on update warns.', async () => {
    const [first, second] = await told(WORLD, {
      object: overriding({ zzz: 1, yyy: 2 }, 3),
      oldObject: overriding({ zzz: 1 }),
    })
    expect(first).to.equal('spec.overrideSpec.yyy: unknown field; known here: minReadySeconds, strategy, template')
    expect(second).to.equal(undefined)
    const warnings = await told(WORLD, { object: overriding({ zzz: 1 }, 3), oldObject: overriding({ zzz: 1 }) })
    expect(warnings[0]).to.equal(
      '[InvalidOverride] spec.overrideSpec.zzz: unknown field; known here: minReadySeconds, strategy, template',
    )
    expect(warnings.slice(1)).to.deep.equal([STANDS])
  })

  it('of what breaks a rule of ours by its structure is told of that, and can be scaled and ended', async () => {
    const spec = { overrideSpec: { selector: {} }, ttlSeconds: 86_400 }
    const metadata = { creationTimestamp: '2026-11-21T11:00:00Z' }
    const mistake =
      '[InvalidOverride] spec.overrideSpec.selector: the experiment selects its pods by a label of its own; remove this'
    const oldObject = anExperiment({ ...spec, metadata })
    expect(await told(WORLD, { object: anExperiment({ ...spec, metadata, replicas: 0 }), oldObject })).to.deep.equal([
      mistake,
      STANDS,
      '[Plan] removed 2026-11-22T11:00Z (in 23h)',
    ])
    // it ends whatever is wrong with it
    expect(await told(WORLD, { object: anExperiment({ ...spec, metadata, ttlSeconds: 60 }), oldObject })).to.deep.equal(
      [mistake, '[Plan] over since 2026-11-21T11:01Z; raise spec.ttlSeconds to revive it'],
    )
  })

  it('is planned again once the old mistake is corrected', async () => {
    const lines = await told(WORLD, { object: overriding({}), oldObject: overriding({ selector: {} }) })
    expect(lines[0]).to.match(/^\[Plan\] changes nothing/)
  })

  it('of a mistake in the whole alone plans nothing either', async () => {
    const lacking = { template: { spec: { affinity: { deep: {} } } } }
    expect(await told(WORLD, { object: overriding(lacking, 2), oldObject: overriding(lacking) })).to.deep.equal([
      '[InvalidOverride] spec.overrideSpec.template.spec.affinity....quired: neither the source nor the override has it; set it',
      STANDS,
    ])
  })

  it('is refused for an old finding of another value', async () => {
    const found = await told(WORLD, { object: overriding({ zzz: 2 }), oldObject: overriding({ zzz: 1 }) })
    expect(found).to.deep.equal([
      'spec.overrideSpec.zzz: unknown field; known here: minReadySeconds, strategy, template',
    ])
  })

  describe('of a stored override that can be merged with nothing', () => {
    const twice = { template: { spec: { containers: [{ name: 'cart', env: [{ name: 'A' }, { name: 'A' }] }] } } }
    const noKey = { template: { spec: { containers: [{ image: 'example/cart:2' }] } } }
    const noArgument = { template: { spec: { containers: [{ name: 'cart', args: [null] }] } } }
    const stored: Record<string, readonly [overrideSpec: JsonObject, type?: 'Strategic']> = {
      'for a variable that is there twice': [twice],
      'for a null in a list': [noArgument],
      'for a template that is removed': [{ template: null }],
      'for a template that is text': [{ template: 'x' }],
      'for an item without its key': [noKey, 'Strategic'],
    }
    for (const [sentence, [overrideSpec, overrideType]] of Object.entries(stored)) {
      const spec = { overrideSpec, ...(overrideType ? { overrideType } : {}) }
      const request = { object: anExperiment({ ...spec, ttlSeconds: 3_600 }), oldObject: anExperiment(spec) }

      it(`${sentence}, is told of it once, and that nothing happens`, async () => {
        const lines = await told(WORLD, request)
        expect(lines[0]).to.match(/^\[InvalidOverride\] spec\.overrideSpec\.template/)
        expect(lines.slice(1)).to.deep.equal([STANDS, '[Plan] removed 2026-11-21T13:00Z (in 1h)'])
      })

      it(`${sentence}, is refused for one more`, async () => {
        const object = anExperiment({ ...spec, overrideSpec: { ...overrideSpec, strategy: { rollingUpdate: [null] } } })
        const lines = await told(WORLD, { object, oldObject: anExperiment(spec) })
        expect(lines[0]).to.match(/^spec\.overrideSpec\.strategy\.rollingUpdate/)
      })
    }

    it('is told of it while there is no schema', async () => {
      const spec = { overrideSpec: { template: 'x' } }
      const request = { object: anExperiment({ ...spec, ttlSeconds: 3_600 }), oldObject: anExperiment(spec) }
      const validate = validator(surroundings(aReader(WORLD).kube, undefined))
      expect(linesOf(await validate(aRequest(request)))).to.include(
        '[InvalidOverride] spec.overrideSpec.template: expected object, got string',
      )
    })
  })

  const by = (username: string, replicas: number) => {
    const experiment = anExperiment({ replicas })
    return { ...experiment, metadata: { ...experiment.metadata, annotations: { [REQUESTED_BY]: username } } }
  }
  const FORGED = `metadata.annotations["${REQUESTED_BY}"]: is set by the webhook to who asks; remove it`

  it('A forged requester is refused when mutation was skipped.', async () => {
    expect(await told(WORLD, { object: by('root', 1) })).to.deep.equal([FORGED])
    expect(await told(WORLD, { object: by('root', 2), oldObject: by('bob', 1) })).to.deep.equal([FORGED])
    expect(await told(WORLD, { object: by('bob', 2), oldObject: by('bob', 1) })).to.include('[Plan] replicas: 1 -> 2')
    expect(await told(WORLD, { object: by('alice', 2), oldObject: by('bob', 1) })).to.include('[Plan] replicas: 1 -> 2')
  })

  describe('of what is over, or is to be', () => {
    const lasting = (ttlSeconds: number, replicas = 1) =>
      anExperiment({
        ttlSeconds,
        replicas,
        overrideSpec: imageOverride('example/cart:2'),
        metadata: { creationTimestamp: '2026-11-21T11:00:00Z' },
      })

    it('revives it by a fork that is made anew, whose changes are those from its source', async () => {
      expect(await told(WORLD, { object: lasting(86_400), oldObject: lasting(60, 2) })).to.deep.equal([
        `[Plan] creates deployment/${FORK} again in shop: 1 pod, from deployment/cart`,
        '[Plan] containers[cart].image: example/cart:1 -> example/cart:2',
        '[Plan] service/cart: about 100% of new connections (1 of 1 endpoints)',
        '[Plan] removed 2026-11-22T11:00Z (in 23h)',
      ])
    })

    it('plans no fork that goes, or is gone', async () => {
      const over = ['[Plan] over since 2026-11-21T11:01Z; raise spec.ttlSeconds to revive it']
      expect(await told(WORLD, { object: lasting(60, 2), oldObject: lasting(60) })).to.deep.equal(over)
      expect(await told(WORLD, { object: lasting(60), oldObject: lasting(86_400) })).to.deep.equal(over)
    })
  })

  it('is admitted though its source can no longer be forked, and told so', async () => {
    const source = aDeployment({ labels: { 'experiment-controller.example.com/is-experiment': 'true' } })
    const lines = await told([source], { object: anExperiment({ replicas: 2 }), oldObject: anExperiment() })
    expect(lines).to.deep.equal([
      '[SourceNotForkable] spec.sourceRef.name: deployment/cart is itself an experiment; name the workload it was made from',
      '[Plan] nothing is made or changed until this is corrected',
    ])
    const [refusal] = await told([source], { object: anExperiment() })
    expect(refusal).to.match(/^spec.sourceRef.name: deployment\/cart is itself an experiment/)
  })

  describe('of a pinned experiment', () => {
    const pinned = (replicas: number) => anExperiment({ replicas, onSourceChange: 'Pin' })
    const old = aDeployment({ image: 'example/cart:0' })
    const based = baseOf(deployment, { source: old, referents: [], shape: NO_SHAPE })
    if (based.is !== 'base') throw new Error('no base')
    const revision: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: FORK, namespace: 'shop', ownerReferences: [ownerReference(anExperiment())] },
      data: { base: based.base, source: { uid: 'u', generation: 1, templateHash: 'x' } },
    }
    const object = {
      ...pinned(2),
      spec: { ...pinned(2).spec, overrideSpec: imageOverride('example/cart:rc') },
    }

    it('is predicted from what it is pinned to', async () => {
      const before = { ...pinned(1), spec: { ...pinned(1).spec, overrideSpec: { minReadySeconds: 3 } } }
      const lines = await told([aDeployment({ image: 'example/cart:1' }), aService(), revision], {
        object,
        oldObject: before,
      })
      expect(lines).to.include('[Plan] containers[cart].image: example/cart:0 -> example/cart:rc')
    })

    it('is predicted although the source is gone', async () => {
      const lines = await told([aService(), revision], { object, oldObject: pinned(1) })
      expect(lines[0]).to.equal(`[Plan] updates deployment/${FORK} in shop: 2 pods, from deployment/cart`)
    })

    it('is predicted from the source where the revision is somebody else’s', async () => {
      const foreign = { ...revision, metadata: { name: FORK, namespace: 'shop' } }
      const lines = await told([aDeployment({ image: 'example/cart:1' }), aService(), foreign], {
        object,
        oldObject: pinned(1),
      })
      expect(lines).to.include('[Plan] containers[cart].image: example/cart:1 -> example/cart:rc')
    })
  })
})
