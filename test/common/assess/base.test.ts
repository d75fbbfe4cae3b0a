import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import { REVIEWED_TEMPLATE } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Reason } from '../../../common/api/reasons.ts'
import type { ExperimentDeployment, SourceStatus } from '../../../common/api/types.ts'
import { type ResolvedBase, resolveBase } from '../../../common/assess/base.ts'
import type { SpecFacts } from '../../../common/facts/facts.ts'
import { at, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { WorkloadKind } from '../../../common/workload/kind.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aDeployment, anExperiment, aRollout, FORK, pinnedTo } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'

interface Given extends Partial<SpecFacts> {
  readonly adapter?: WorkloadKind
}

const resolved = ({ adapter = deployment, ...of }: Given = {}): ResolvedBase =>
  resolveBase({ ...someFacts(), ...of }, adapter)

/** The reason and the message, and the fields of mistakes. */
function blockedBy(of: Given): readonly string[] {
  const found = resolved(of)
  if (found.is === 'base') return ['base']
  const { decision, errors } = found
  return [decision.reason, decision.message, ...errors.map(({ field }) => field)]
}

const sourceOf = (object: KubeObject): SpecFacts['source'] => known({ object, referents: [] })
const { revision: REVISION, status: STARTED } = pinnedTo(aDeployment({ image: 'example/cart:0' }))
const PINNED = anExperiment({ onSourceChange: 'Pin', status: STARTED })
const BEING_DELETED = aDeployment({ metadata: { deletionTimestamp: '2026-11-21T12:00:00Z' } })
const OUR_FORK = aDeployment({ labels: { 'experiment-controller.example.com/is-experiment': 'true' } })
const nested = (levels: number): JsonObject => (levels === 0 ? {} : { a: nested(levels - 1) })
const REFERRING = anExperiment({
  sourceRef: { kind: 'Rollout', name: 'cart' },
  metadata: { annotations: { [REVIEWED_TEMPLATE]: 'Deployment/base' } },
})
const IS_EXPERIMENT = 'deployment/cart is itself the fork of an experiment; name its source'

describe('R9: the wait for a template that does not exist', () => {
  const NOW = Date.parse('2026-11-21T10:00:00Z')
  const waitAfter = (missingMs: number, reason: Reason = 'SourceTemplateNotFound'): unknown => {
    const lastTransitionTime = new Date(NOW - missingMs).toISOString()
    const condition = { type: 'SourceResolved', status: 'False', reason, message: '', lastTransitionTime } as const
    const status = { conditions: [{ ...condition, observedGeneration: 1 }] }
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' }
    const source = sourceOf(aRollout({ workloadRef }))
    const found = resolved({ adapter: rollout, experiment: { ...REFERRING, status }, source, now: new Date(NOW) })
    return found.is === 'blocked' && found.decision.is === 'waiting' && found.decision.retryAfterMs
  }

  it('doubles the time since it is missing, from five seconds up to a minute', () => {
    const seconds = [0, 5, 10, 20, 40, 80, 3_600].map((missing) => waitAfter(1_000 * missing))
    expect(seconds).to.deep.equal([5_000, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000])
  })

  it('is short when it was not missing before, or when the clock went back', () => {
    expect(waitAfter(3_600_000, 'SourceNotFound')).to.equal(5_000)
    expect(waitAfter(-3_600_000)).to.equal(5_000)
  })
})

describe('the base of a fork', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'is the source': [{}, 'base'],
    'is not a source that is an experiment': [
      { source: sourceOf(OUR_FORK) },
      'SourceIsExperiment',
      `spec.sourceRef.name: ${IS_EXPERIMENT}`,
      'spec.sourceRef.name',
    ],
    'is not a source that cannot be forked, which is reported at the reference to it': [
      { source: sourceOf(aDeployment({ pod: { deep: nested(100) } })) },
      'SourceNotForkable',
      `spec.sourceRef.name: deployment/cart cannot be forked: spec.template.spec.deep${'.a'.repeat(62)}: nested deeper than 64 levels; flatten it in the source`,
      'spec.sourceRef.name',
    ],
    'waits for the template that a source refers to': [
      {
        adapter: rollout,
        experiment: REFERRING,
        source: sourceOf(aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } })),
      },
      'SourceTemplateNotFound',
      'spec.workloadRef: deployment/base does not exist in namespace shop',
    ],
    'waits for a source that does not exist, because the order of applies must not matter': [
      { source: ABSENT },
      'SourceNotFound',
      'no deployment/cart in shop yet; the override is checked again when it appears',
    ],
    'waits while the source is being deleted': [
      { source: sourceOf(BEING_DELETED) },
      'SourceNotFound',
      'deployment/cart in shop is being deleted; the override is checked again when there is another',
    ],
    'is missing for a fork that exists, and the fork stays': [
      { source: ABSENT, fork: known(aDeployment({ name: FORK })) },
      'SourceNotFound',
      'no deployment/cart in shop; the fork stays as it is',
    ],
    'is missing for a fork that exists while the source is being deleted': [
      { source: sourceOf(BEING_DELETED), fork: known(aDeployment({ name: FORK })) },
      'SourceNotFound',
      'deployment/cart in shop is being deleted; the fork stays as it is',
    ],
    'is unknown where the source could not be read': [
      { source: unknown('unreachable') },
      'SourceUnread',
      'deployment/cart could not be read now (unreachable)',
    ],
    'is unknown where the pinned base could not be read, although the source is known': [
      { experiment: PINNED, revision: unknown('unreachable') },
      'SourceUnread',
      'the pinned base, controllerrevision/cart-experiment-cd1aa1c99c, could not be read now (unreachable)',
    ],
    'is the source where an experiment that is not pinned has an unknown revision': [
      { revision: unknown('unreachable') },
      'base',
    ],
    'is the pinned base although the source is gone': [
      { experiment: PINNED, revision: known(REVISION), source: ABSENT },
      'base',
    ],
    'is the pinned base although the source could not be read': [
      { experiment: PINNED, revision: known(REVISION), source: unknown('unreachable') },
      'base',
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(blockedBy(given)).to.deep.equal(expected))

  it('looks again for a template soon, because nothing watches it', () => {
    const source = sourceOf(aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } }))
    expect(resolved({ adapter: rollout, source, experiment: REFERRING })).to.have.nested.property(
      'decision.retryAfterMs',
      5_000,
    )
  })
})

describe('the template of another object', () => {
  const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' }
  const base = aDeployment({ name: 'base', image: 'example/cart:secret' })
  const source: SpecFacts['source'] = known({ object: aRollout({ workloadRef }), referents: [base] })
  const annotated = (value?: string) =>
    anExperiment({
      sourceRef: { kind: 'Rollout', name: 'cart' },
      metadata: value === undefined ? {} : { annotations: { [REVIEWED_TEMPLATE]: value } },
    })

  it('is used where a review allowed to read this object', () =>
    expect(blockedBy({ adapter: rollout, source, experiment: annotated('Deployment/base') })).to.deep.equal(['base']))

  for (const value of [undefined, '', 'Deployment/other', 'ReplicaSet/base', 'base'])
    it(`S6: is not used where the review was about ${JSON.stringify(value ?? 'no object')}`, () => {
      const found = resolved({ adapter: rollout, source, experiment: annotated(value) })
      expect(found).to.have.deep.nested.include({ 'decision.is': 'stalled', 'decision.reason': 'TemplateNotReviewed' })
      expect(found).to.have.nested.property(
        'decision.message',
        'rollout/cart takes its template from deployment/base, and it was not checked whether you may read that; to have ' +
          `it checked, run: kubectl annotate --overwrite expd/faster-cart --namespace=shop ${REVIEWED_TEMPLATE}=Deployment/base`,
      )
    })
})

describe('the pinned base', () => {
  const baseImage = (of: Given) => {
    const found = resolved(of)
    return found.is === 'base'
      ? at(listOr(at(found.base.spec, 'template', 'spec', 'containers'))[0], 'image')
      : found.decision.reason
  }

  it('is what the revision keeps, and its source is the one in the status', () => {
    const found = resolved({ experiment: PINNED, revision: known(REVISION) })
    expect(baseImage({ experiment: PINNED, revision: known(REVISION) })).to.equal('example/cart:0')
    expect(found.is === 'base' && found.source()).to.deep.equal(STARTED.source)
  })

  it('does not count for an experiment that follows its source, or has not started', () => {
    for (const experiment of [anExperiment({ status: STARTED }), anExperiment({ onSourceChange: 'Pin' })])
      expect(baseImage({ experiment, revision: known(REVISION) })).to.equal('example/cart:1')
  })

  const replaced = pinnedTo(aDeployment({ image: 'example/evil:1' })).revision
  const lost: Record<string, SpecFacts['revision']> = {
    'another base': known(replaced),
    'no base': known({ ...REVISION, data: {} }),
    'no data': known({ ...REVISION, data: null }),
    'other annotations': known({
      ...REVISION,
      data: { base: { ...objectOr(at(REVISION, 'data', 'base')), annotations: { a: 'b' } } },
    }),
  }
  for (const [what, revision] of Object.entries({ ...lost, 'no revision at all': ABSENT }))
    it(`S1: is lost where somebody left ${what}, so the fork stays as it is`, () => {
      const found = resolved({ experiment: PINNED, revision })
      expect(found).to.deep.include({ is: 'blocked', errors: [] })
      expect(found).to.have.deep.nested.include({ 'decision.is': 'stalled', 'decision.reason': 'PinnedBaseLost' })
    })
})

describe('the source in the status', () => {
  const sourceStatusOf = (experiment: ExperimentDeployment, of: Given = {}): SourceStatus | undefined => {
    const found = resolved({ experiment, ...of })
    return found.is === 'base' ? found.source() : undefined
  }

  it('says what the fork was derived from', () => {
    const { templateHash, ...found } = sourceStatusOf(anExperiment()) ?? {}
    expect(found).to.deep.equal({ uid: 'uid-of-cart', generation: 1 })
    expect(templateHash).to.match(/^[0-9a-f]{64}$/)
  })

  it('stays as it was where uid and base are the same, which saves a write', () => {
    const before = sourceStatusOf(anExperiment())
    const scaled = sourceOf(aDeployment({ spec: { replicas: 5 }, metadata: { generation: 2 } }))
    const experiment = anExperiment(before ? { status: { source: before } } : {})
    expect(sourceStatusOf(experiment, { source: scaled })).to.deep.equal(before)
    const changed = sourceOf(aDeployment({ image: 'example/cart:2', metadata: { generation: 3 } }))
    expect(sourceStatusOf(experiment, { source: changed })).to.include({ generation: 3 })
  })

  const raised = (revision: string, generation: number) =>
    sourceOf(aDeployment({ metadata: { generation, annotations: { 'deployment.kubernetes.io/revision': revision } } }))

  it('R8: has the revision that the Deployment controller sets after the generation', () => {
    const before = sourceStatusOf(anExperiment(), { source: raised('1', 1) })
    expect(before).to.include({ generation: 1, revision: '1' })
    const experiment = anExperiment(before ? { status: { source: before } } : {})
    expect(sourceStatusOf(experiment, { source: raised('2', 1) })).to.deep.equal({ ...before, revision: '2' })
    expect(sourceStatusOf(experiment, { source: raised('2', 5) })).to.deep.equal({ ...before, revision: '2' })
  })

  it('R8: has that revision of a pinned base too, but not that of a later generation or of another source', () => {
    const of = (source: SpecFacts['source']) => sourceStatusOf(PINNED, { revision: known(REVISION), source })?.revision
    expect(of(raised('2', 1))).to.equal('2')
    expect(of(raised('3', 2))).to.equal(undefined)
    expect(of(sourceOf(aDeployment({ metadata: { uid: 'another' } })))).to.equal(undefined)
  })

  it('says that the base is pinned', () => {
    expect(sourceStatusOf(anExperiment({ onSourceChange: 'Pin' }))).to.include({ pinned: true })
    expect(sourceStatusOf(PINNED, { revision: known(REVISION), source: ABSENT })).to.deep.equal(STARTED.source)
  })
})
