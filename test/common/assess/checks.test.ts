import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import type { ExperimentDeployment, FieldError } from '../../../common/api/types.ts'
import { firstBlocked, kindNotAvailable, overrideErrors, schemaNotRead } from '../../../common/assess/checks.ts'
import type { SpecFacts } from '../../../common/facts/facts.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { SpecSchema } from '../../../common/override/spec-schema.ts'
import {
  ANY_SCHEMA,
  aDeployment,
  anExperiment,
  aStatefulSet,
  FORK,
  installing,
  NO_POLICIES,
  pinnedTo,
} from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { deploymentSchema } from '../schema/openapi.ts'

const ODD: FieldError = { field: 'spec.overrideSpec.x', message: 'odd', cause: 'FieldValueInvalid' }
const BLUE_GREEN = anExperiment({ strategy: { blueGreen: { activeService: 'cart' } } })
const TILL = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'till' } })
const NOT_READ =
  'the controller may not read the labels of the namespace of the experiment, or of the namespace of its source'

/** The reason and the message of the first check that fails. */
function blockedBy(of: Partial<SpecFacts>, mistakes: readonly FieldError[] = []): readonly string[] {
  const found = firstBlocked({ ...someFacts(), ...of }, () => mistakes)
  return found ? [found.decision.reason, found.decision.message] : []
}

describe('the checks before a fork is derived', () => {
  const absent = { kind: ABSENT }
  const excluded = { isExcluded: true }
  const excludedSource = {
    experiment: TILL,
    policies: known({ ...NO_POLICIES, isShared: false, isSourceExcluded: true }),
  }
  const notShared = { experiment: TILL, policies: known({ ...NO_POLICIES, isShared: false }) }
  const unread = { experiment: TILL, policies: unknown('nobody may read it') }
  const revisionTaken = { revisionHolder: { ...aDeployment({ name: FORK }), kind: 'ControllerRevision' } }
  const taken = { nameHolder: aDeployment({ name: FORK }) }
  const installed = installing('gate', 'cutOver')
  const cases: Record<string, readonly [Partial<SpecFacts>, ...string[]]> = {
    pass: [{}],
    'wait for a kind that the cluster does not serve': [
      absent,
      'KindNotAvailable',
      'the cluster has no kind Deployment (apps/v1) yet',
    ],
    'wait for a version that can fork the kind': [
      { kind: unknown('this version'), experiment: anExperiment({ sourceRef: { kind: 'Job', name: 'cart' } }) },
      'KindNotAvailable',
      'spec.sourceRef.kind: this version cannot fork a Job',
    ],
    'stop in a namespace without reviews': [
      excluded,
      'NamespaceExcluded',
      'admission does not check the permissions of those who create experiments in shop; create it in another namespace',
    ],
    'stop for a gated fork without the component that opens it': [
      { experiment: anExperiment({ strategy: { canary: {} }, traffic: { mode: 'Gated' } }) },
      'NotInstalled',
      'spec.traffic.mode: this installation has no component "gate"; use Shared, or ask an administrator for the component',
    ],
    'stop for a blue-green without the component that changes Services': [
      { experiment: BLUE_GREEN },
      'NotInstalled',
      'spec.strategy.blueGreen: this installation has no component "cut-over"; use canary, or ask an administrator for the component',
    ],
    'stop for an analysis without the component that runs it': [
      { experiment: anExperiment({ analysis: {} }) },
      'NotInstalled',
      'spec.analysis: this installation has no component "analysis"; remove it, or ask an administrator for the component',
    ],
    'pass for an analysis with its component': [
      { experiment: anExperiment({ analysis: {} }), installed: installing('analysis') },
    ],
    'pass for a blue-green with both components': [{ experiment: BLUE_GREEN, installed }],
    'stop for a blue-green of a source with claims, whose fork would have empty volumes': [
      {
        experiment: BLUE_GREEN,
        installed,
        source: known({
          object: aStatefulSet({ spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } }),
          referents: [],
        }),
      },
      'SourceHasClaims',
      'spec.strategy.blueGreen: statefulset/cart has volumeClaimTemplates, so the fork would serve production from empty volumes; use canary, or another source',
    ],
    'stop without consent, and say nothing about what is in the other namespace': [
      notShared,
      'SourceNotAllowed',
      'spec.sourceRef.namespace: namespace "till" does not share its workloads with "shop"; an ExperimentPolicy for it can, with allowSourcesFrom',
    ],
    'S12: stop for a source in a namespace that the webhooks exclude': [
      excludedSource,
      'SourceNamespaceExcluded',
      'spec.sourceRef.namespace: workloads in namespace "till" are never forked from elsewhere, whatever policies allow; name another source',
    ],
    'stop for a source in a namespace that the installation does not serve': [
      {
        ...excludedSource,
        policies: known({ ...NO_POLICIES, isShared: false, isSourceExcluded: true, onlyNamespace: 'shop' }),
      },
      'SourceNamespaceExcluded',
      'spec.sourceRef.namespace: this installation serves only namespace "shop"; name a source there',
    ],
    'wait where consent cannot be read': [unread, 'PolicyNotRead', NOT_READ],
    'do not need the policies for a source of the same namespace': [{ policies: unknown('nobody may read it') }],
    'stop where another object has the name of the fork': [
      taken,
      'NameConflict',
      `deployment/${FORK} already exists and is not managed by this experiment`,
    ],
    'R5: stop where another object has the name of the revision that keeps the base': [
      { ...revisionTaken, experiment: anExperiment({ onSourceChange: 'Pin' }) },
      'NameConflict',
      `controllerrevision/${FORK} already exists and is not managed by this experiment`,
    ],
    'do not need the name of the revision where none is created': [revisionTaken],
    'do not need the name of the revision once the base is pinned': [
      { ...revisionTaken, experiment: anExperiment({ onSourceChange: 'Pin', status: pinnedTo().status }) },
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(blockedBy(given)).to.deep.equal(expected))

  it('report mistakes of the override before a name that is taken, and after everything else', () => {
    expect(blockedBy(taken, [ODD])[0]).to.equal('InvalidOverride')
    expect(blockedBy(unread, [ODD])[0]).to.equal('PolicyNotRead')
    expect(blockedBy({ ...notShared, ...excluded }, [ODD])[0]).to.equal('NamespaceExcluded')
    expect(blockedBy({ ...notShared, ...excluded, ...absent }, [ODD])[0]).to.equal('KindNotAvailable')
  })

  it('have errors only for mistakes of the author', () => {
    const errorsOf = (of: Partial<SpecFacts>) => firstBlocked({ ...someFacts(), ...of }, () => [])?.errors
    expect(errorsOf(notShared)).to.have.length(1)
    for (const given of [absent, excluded, unread, taken]) expect(errorsOf(given)).to.deep.equal([])
  })

  it('look again soon for a kind and for a schema, because nothing announces them', () => {
    expect(kindNotAvailable({ ...someFacts(), kind: ABSENT }).decision).to.have.property('retryAfterMs')
    expect(schemaNotRead(someFacts()).decision).to.deep.equal({
      is: 'waiting',
      retryAfterMs: 5_000,
      reason: 'SchemaNotAvailable',
      message: 'override not checked yet: no schema of Deployment was fetched',
    })
  })
})

describe('the mistakes of an override by itself', () => {
  const SCHEMA = deploymentSchema()
  const linesOf = (experiment: ExperimentDeployment, schema: SpecSchema | undefined = SCHEMA) =>
    overrideErrors(experiment, schema).map(({ field, message }) => `${field}: ${message}`)
  const fieldsOf = (overrideSpec: JsonObject, schema: SpecSchema | undefined = SCHEMA) =>
    overrideErrors(anExperiment({ overrideSpec }), schema).map(({ field }) => field)

  it('are none where there are none', () => expect(linesOf(anExperiment())).to.deep.equal([]))

  it('are those of rules and schema, in the order of the document', () =>
    expect(fieldsOf({ zzz: 1, replicas: 3, template: { spec: { yyy: 1 } } })).to.deep.equal([
      'spec.overrideSpec.zzz',
      'spec.overrideSpec.replicas',
      'spec.overrideSpec.template.spec.yyy',
    ]))

  it('are reported once per field, with the message of the rule, which names the remedy', () => {
    const replicas: FieldError = { ...ODD, field: 'spec.overrideSpec.replicas' }
    const schema = { ...ANY_SCHEMA, check: () => [replicas, ODD] }
    const [other, rule, ...more] = linesOf(anExperiment({ overrideSpec: { replicas: 3 } }), schema)
    expect([other, more]).to.deep.equal(['spec.overrideSpec.x: odd', []])
    expect(rule).to.match(/^spec\.overrideSpec\.replicas: .* spec\.replicas$/)
  })

  it('are only those of rules where there is no schema', () =>
    expect(overrideErrors(anExperiment({ overrideSpec: { zzz: 1, replicas: 3 } }), undefined)).to.have.length(1))

  it('include what cannot be merged', () =>
    expect(fieldsOf({ template: { spec: { containers: [{ name: 'cart', args: [null] }] } } })).to.not.deep.equal([]))

  it('are one for a whole manifest, which becomes another document once it is moved up', () =>
    expect(fieldsOf({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { zzz: 1 } })).to.deep.equal([
      'spec.overrideSpec.spec',
    ]))

  it('are those that the decoder found where the override is beyond the limits', () =>
    expect(overrideErrors({ ...anExperiment(), overrideErrors: [ODD] }, SCHEMA)).to.deep.equal([ODD]))
})
