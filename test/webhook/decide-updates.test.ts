import { expect } from 'chai'
import { REQUESTED_BY } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, FORK, imageOverride, pinnedTo } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, aService, linesOf, validatorDeps } from './reviews.ts'
import { stored, updated } from './stored.ts'

const SCHEMA = deploymentSchema()

async function linesFor(
  world: readonly KubeObject[],
  request: Parameters<typeof aRequest>[0],
): Promise<readonly string[]> {
  return linesOf(await validator(validatorDeps(aReader(world).kube, SCHEMA))(aRequest(request)))
}

const overriding = (overrideSpec: JsonObject, replicas = 1) => anExperiment({ overrideSpec, replicas })

describe('the decision on an update', () => {
  const WORLD = [aDeployment(), aService()]
  const STANDS = '[Plan] creates nothing until this is corrected'

  it('An old finding on update warns.', async () => {
    const [first, second] = await linesFor(WORLD, {
      object: overriding({ zzz: 1, yyy: 2 }, 3),
      oldObject: overriding({ zzz: 1 }),
    })
    expect(first).to.equal('spec.overrideSpec.yyy: unknown field; valid fields: minReadySeconds, strategy, template')
    expect(second).to.equal(undefined)
    const warnings = await linesFor(WORLD, { object: overriding({ zzz: 1 }, 3), oldObject: overriding({ zzz: 1 }) })
    expect(warnings[0]).to.equal(
      '[InvalidOverride] spec.overrideSpec.zzz: unknown field; valid fields: minReadySeconds, strategy, template',
    )
    expect(warnings.slice(1)).to.deep.equal([STANDS])
  })

  it('says that a fork which exists stays as it is while an old mistake stands', async () => {
    const { experiment, fork } = stored({}, { schema: SCHEMA })
    const wrong = updated(experiment, { overrideSpec: { zzz: 1 } })
    const lines = await linesFor([...WORLD, fork], {
      object: updated(wrong, { ...wrong.spec, replicas: 3 }),
      oldObject: wrong,
    })
    expect(lines.slice(1)).to.deep.equal(['[Plan] changes nothing until this is corrected; the fork keeps 1 pod'])
  })

  it('warns about an old mistake that breaks a rule, and lets the experiment be scaled and ended', async () => {
    const spec = { overrideSpec: { selector: {} }, ttlSeconds: 86_400 }
    const metadata = { creationTimestamp: '2026-11-21T11:00:00Z' }
    const mistake = '[InvalidOverride] spec.overrideSpec.selector: the fork has its own selector; remove this'
    const oldObject = anExperiment({ ...spec, metadata })
    expect(
      await linesFor(WORLD, { object: anExperiment({ ...spec, metadata, replicas: 0 }), oldObject }),
    ).to.deep.equal([mistake, STANDS, '[Plan] removed 2026-11-22T11:00Z (in 23h)'])
    // an experiment ends even if it has mistakes
    expect(
      await linesFor(WORLD, { object: anExperiment({ ...spec, metadata, ttlSeconds: 60 }), oldObject }),
    ).to.deep.equal([
      mistake,
      '[Plan] expired 1m after creation (2026-11-21T11:01Z); raise spec.ttlSeconds to run it again',
    ])
  })

  it('plans again once the old mistake is corrected', async () => {
    const { experiment, fork } = stored({}, { schema: SCHEMA })
    const oldObject = updated(experiment, { overrideSpec: { selector: {} } })
    const [line] = await linesFor([...WORLD, fork], { object: updated(experiment, {}), oldObject })
    expect(line).to.match(/^\[Plan\] changes nothing/)
  })

  it('also plans nothing if the old mistake is only in the merged spec', async () => {
    const lacking = { template: { spec: { affinity: { deep: {} } } } }
    expect(await linesFor(WORLD, { object: overriding(lacking, 2), oldObject: overriding(lacking) })).to.deep.equal([
      '[InvalidOverride] spec.overrideSpec.template.spec.affinity.deep.key: required: neither the source nor the override has it; set it',
      STANDS,
    ])
  })

  it('refuses an old mistake with another value', async () => {
    const found = await linesFor(WORLD, { object: overriding({ zzz: 2 }), oldObject: overriding({ zzz: 1 }) })
    expect(found).to.deep.equal([
      'spec.overrideSpec.zzz: unknown field; valid fields: minReadySeconds, strategy, template',
    ])
  })

  it('refuses a new mistake of the merged spec beside an old mistake of the override', async () => {
    const lacking = { selector: {}, template: { spec: { affinity: { deep: {} } } } }
    const lines = await linesFor(WORLD, { object: overriding(lacking), oldObject: overriding({ selector: {} }) })
    expect(lines).to.have.length(1)
    expect(lines[0]).to.match(/^spec\.overrideSpec\.template\.spec\.affinity/)
  })

  describe('with a stored override that cannot be merged', () => {
    const twice = { template: { spec: { containers: [{ name: 'cart', env: [{ name: 'A' }, { name: 'A' }] }] } } }
    const noKey = { template: { spec: { containers: [{ image: 'example/cart:2' }] } } }
    const noArgument = { template: { spec: { containers: [{ name: 'cart', args: [null] }] } } }
    const overrides: Record<string, readonly [overrideSpec: JsonObject, type?: 'Strategic']> = {
      'because it names a variable twice': [twice],
      'because it has a null in a list': [noArgument],
      'because it removes the template': [{ template: null }],
      'because its template is a string': [{ template: 'x' }],
      'because an item has no key': [noKey, 'Strategic'],
    }
    for (const [sentence, [overrideSpec, overrideType]] of Object.entries(overrides)) {
      const spec = { overrideSpec, ...(overrideType ? { overrideType } : {}) }
      const request = { object: anExperiment({ ...spec, ttlSeconds: 3_600 }), oldObject: anExperiment(spec) }

      it(`${sentence}, warns once and says that nothing is written`, async () => {
        const lines = await linesFor(WORLD, request)
        expect(lines[0]).to.match(/^\[InvalidOverride\] spec\.overrideSpec\.template/)
        expect(lines.slice(1)).to.deep.equal([STANDS, '[Plan] removed 2026-11-21T13:00Z (in 1h)'])
      })

      it(`${sentence}, refuses one more mistake`, async () => {
        const object = anExperiment({ ...spec, overrideSpec: { ...overrideSpec, strategy: { rollingUpdate: [null] } } })
        const lines = await linesFor(WORLD, { object, oldObject: anExperiment(spec) })
        expect(lines[0]).to.match(/^spec\.overrideSpec\.strategy\.rollingUpdate/)
      })
    }

    it('warns about it also while there is no schema', async () => {
      const spec = { overrideSpec: { template: 'x' } }
      const request = { object: anExperiment({ ...spec, ttlSeconds: 3_600 }), oldObject: anExperiment(spec) }
      const validate = validator(validatorDeps(aReader(WORLD).kube, undefined))
      expect(linesOf(await validate(aRequest(request)))).to.include(
        '[InvalidOverride] spec.overrideSpec.template: expected object, got string',
      )
    })
  })

  const by = (username: string, replicas: number) => {
    const experiment = anExperiment({ replicas })
    return { ...experiment, metadata: { ...experiment.metadata, annotations: { [REQUESTED_BY]: username } } }
  }
  const FORGED = `metadata.annotations["${REQUESTED_BY}"]: is set by the webhook to the name of the requester; remove it`

  it('A forged requester is refused when mutation was skipped.', async () => {
    expect(await linesFor(WORLD, { object: by('root', 1) })).to.deep.equal([FORGED])
    expect(await linesFor(WORLD, { object: by('root', 2), oldObject: by('bob', 1) })).to.deep.equal([FORGED])
    for (const username of ['bob', 'alice']) {
      const [line] = await linesFor(WORLD, { object: by(username, 2), oldObject: by('bob', 1) })
      expect(line).to.match(/^\[Plan\] creates .*: 2 pods/)
    }
  })

  describe('of an experiment that has expired, or is made to expire', () => {
    const lasting = (ttlSeconds: number, replicas = 1) =>
      anExperiment({
        ttlSeconds,
        replicas,
        overrideSpec: imageOverride('example/cart:2'),
        metadata: { creationTimestamp: '2026-11-21T11:00:00Z' },
      })

    it('creates the fork again, and compares it with its source', async () => {
      expect(await linesFor(WORLD, { object: lasting(86_400), oldObject: lasting(60, 2) })).to.deep.equal([
        `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`,
        '[Plan] containers[cart].image: example/cart:1 -> example/cart:2',
        '[Plan] service/cart: about 100% of new connections (1 of 1 endpoints)',
        '[AloneBehindService] no other ready endpoint in service/cart: the fork gets all requests',
        '[Plan] removed 2026-11-22T11:00Z (in 23h)',
      ])
    })

    it('deletes the fork of an experiment that is made to expire', async () => {
      const { experiment, fork } = stored(
        { metadata: { creationTimestamp: '2026-11-21T11:00:00Z' } },
        { schema: SCHEMA },
      )
      const object = updated(experiment, { ttlSeconds: 60 })
      expect(await linesFor([...WORLD, fork], { object, oldObject: experiment })).to.deep.equal([
        `[Plan] scales deployment/${FORK} down to 0 pods`,
        '[Plan] expired 1m after creation (2026-11-21T11:01Z); raise spec.ttlSeconds to run it again',
      ])
    })

    it('plans no fork if there is none any more', async () => {
      const over = ['[Plan] expired 1m after creation (2026-11-21T11:01Z); raise spec.ttlSeconds to run it again']
      expect(await linesFor(WORLD, { object: lasting(60, 2), oldObject: lasting(60) })).to.deep.equal(over)
      expect(await linesFor(WORLD, { object: lasting(60), oldObject: lasting(86_400) })).to.deep.equal(over)
    })
  })

  it('admits an update whose source can no longer be forked, and warns', async () => {
    const source = aDeployment({ labels: { 'experiment-controller.example.com/is-experiment': 'true' } })
    const lines = await linesFor([source], { object: anExperiment({ replicas: 2 }), oldObject: anExperiment() })
    expect(lines).to.deep.equal([
      '[SourceIsExperiment] spec.sourceRef.name: deployment/cart is itself the fork of an experiment; name its source',
      STANDS,
    ])
    const [refusal] = await linesFor([source], { object: anExperiment() })
    expect(refusal).to.match(/^spec.sourceRef.name: deployment\/cart is itself the fork of an experiment/)
  })

  describe('of a pinned experiment', () => {
    const { revision, status } = pinnedTo(aDeployment({ image: 'example/cart:0' }))
    const pinned = (replicas: number) => anExperiment({ replicas, onSourceChange: 'Pin', status })
    const object = anExperiment({
      replicas: 2,
      onSourceChange: 'Pin',
      overrideSpec: imageOverride('example/cart:rc'),
      status,
    })

    it('derives the fork from the pinned base', async () => {
      const before = anExperiment({ onSourceChange: 'Pin', overrideSpec: { minReadySeconds: 3 }, status })
      const lines = await linesFor([aDeployment({ image: 'example/cart:1' }), aService(), revision], {
        object,
        oldObject: before,
      })
      expect(lines).to.include('[Plan] containers[cart].image: example/cart:0 -> example/cart:rc')
    })

    it('derives the fork although the source is gone', async () => {
      const lines = await linesFor([aService(), revision], { object, oldObject: pinned(1) })
      expect(lines[0]).to.equal(`[Plan] creates deployment/${FORK} in shop: 2 pods, from deployment/cart`)
    })

    it('S1: plans nothing where somebody replaced the revision', async () => {
      const forged = pinnedTo(aDeployment({ image: 'example/evil:1' })).revision
      const foreign = { ...revision, metadata: { name: FORK, namespace: 'shop' } }
      for (const found of [forged, foreign]) {
        const lines = await linesFor([aDeployment(), aService(), found], { object, oldObject: pinned(1) })
        expect(lines[0]).to.match(/^\[PinnedBaseLost\] the ControllerRevision that keeps the base/)
        expect(lines.join()).not.to.match(/creates|updates|evil/)
      }
    })
  })
})
