import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { situationOf } from '../../../common/situation/situation-of.ts'
import { formerFindings, presentFindings } from '../../../webhook/ratchet/compared-findings.ts'
import { policyOutcome } from '../../../webhook/ratchet/policy-findings.ts'
import { anExperiment, aPolicy, NO_POLICIES } from '../../builders.ts'
import { assess, decidePolicy } from '../../common/of-facts.ts'
import { someFacts } from '../../common/plan/some-facts.ts'
import { aRun, aRunExperiment, aSource, START } from '../../common/plan/some-run.ts'

type SpecOf = Parameters<typeof anExperiment>[0]

interface Given {
  readonly policy: Parameters<typeof aPolicy>[0]
  readonly before?: SpecOf
  readonly now: SpecOf
}

/** An update at 12:00 of an experiment that was created at 11:00. */
function updateOf({ policy, before, now }: Given) {
  const of = (spec: SpecOf) => anExperiment({ ...spec, metadata: { creationTimestamp: '2026-11-21T11:00:00Z' } })
  const facts = {
    ...someFacts({ experiment: of(now), policies: { ...NO_POLICIES, policies: [aPolicy(policy)] } }),
    now: new Date('2026-11-21T12:00:00Z'),
  }
  const previous = before && of(before)
  const stored = previous && assess({ ...facts, experiment: previous })
  return { situation: situationOf(facts), now: assess(facts), previous, before: () => stored }
}

/** The fields that are refused, and how many warnings there are. */
function refusedIn(given: Given) {
  const update = updateOf(given)
  const findings = presentFindings(update, decidePolicy(update.situation.facts, update.now))
  const outcome = policyOutcome({ spec: update.situation.facts.experiment.spec, findings }, () =>
    formerFindings(update),
  )
  return { fields: outcome.errors.map(({ field }) => field), warnings: outcome.warnings.length }
}

const pod = (spec: JsonObject) => ({ overrideSpec: { template: { spec } } })
const labelled = (names: readonly string[], others: JsonObject = {}) => ({
  overrideSpec: {
    template: { metadata: { labels: { ...Object.fromEntries(names.map((name) => [name, 'x'])), ...others } } },
  },
})
const FIFTY = Array.from({ length: 50 }, (_, index) => `l${index}`)
const LABELS = { deniedOverridePaths: ['template.metadata.labels'] }
const AT = 'spec.overrideSpec.template'

describe('the findings of policies on an update, beside more known ones than a list has', () => {
  it('have what is new', () => {
    const env = Array.from({ length: 25 }, (_, index) => ({ name: `V${index}`, value: 'x' }))
    const before = { containers: [{ name: 'cart', image: 'example/cart:1', env }] }
    const policy = { deniedOverridePaths: ['template.spec.**.env', 'template.spec.hostNetwork'] }
    expect(refusedIn({ policy, before: pod(before), now: pod({ ...before, hostNetwork: true }) })).to.deep.equal({
      fields: [`${AT}.spec.hostNetwork`],
      warnings: 20,
    })
  })

  it('have a new image', () => {
    const initContainers = FIFTY.map((name) => ({ name, image: 'example/init:1' }))
    const volumes = [{ name: 'data', image: { reference: 'example/data:1' } }]
    const given = { policy: { allowedImages: [] }, before: pod({ initContainers }) }
    expect(refusedIn({ ...given, now: pod({ initContainers, volumes }) }).fields).to.deep.equal([
      `${AT}.spec.volumes[0].image.reference`,
    ])
  })

  it('have a known place with another value', () => {
    const before = labelled(FIFTY, { l49: 'y' })
    expect(refusedIn({ policy: LABELS, before, now: labelled(FIFTY) }).fields).to.deep.equal([
      `${AT}.metadata.labels.l49`,
    ])
  })

  it('have nothing new where the first of them are taken away, or their order changes', () => {
    for (const names of [FIFTY.slice(30), FIFTY.toReversed()])
      expect(refusedIn({ policy: LABELS, before: labelled(FIFTY), now: labelled(names) }).fields).to.deep.equal([])
  })

  it('are all new of a new experiment, and of an expired one that is to run again', () => {
    const now = labelled(FIFTY)
    expect(refusedIn({ policy: LABELS, now }).fields).to.have.length(21)
    const before = { ...now, ttlSeconds: 60 }
    expect(refusedIn({ policy: LABELS, before, now }).fields).to.have.length(21)
    expect(refusedIn({ policy: LABELS, before, now: before }).fields).to.deep.equal([])
  })

  it('are known of an experiment whose promotion goes on after its TTL', () => {
    const metadata = { creationTimestamp: START.toISOString() }
    const run = aRun(aRunExperiment({ metadata, ttlSeconds: 10, strategy: undefined, promotion: {} }))
    run.rest()
    run.world.source = aSource(10, 'example/cart:2')
    run.rest()
    run.wait(11)
    const previous = run.world.experiment
    const policies = known({ ...NO_POLICIES, policies: [aPolicy({ requireAnalysis: true })] })
    const stored = { ...run.facts(), policies }
    const facts = { ...stored, experiment: { ...previous, spec: { ...previous.spec, ttlSeconds: 3_600 } } }
    const found = formerFindings({
      situation: situationOf(facts),
      now: assess(facts),
      previous,
      before: () => assess(stored),
    })
    expect(found?.findings.map(({ error }) => error.field)).to.deep.equal(['spec.analysis'])
  })
})
