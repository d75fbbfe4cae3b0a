import { expect } from 'chai'
import { parse } from 'yaml'
import { at } from '../../common/json/json.ts'
import { argoCrds, argoManifests } from '../../sandbox/modules.ts'
import { explainedIfFailed } from '../explained.ts'
import { inParallel } from '../in-parallel.ts'
import { needs } from '../needs.ts'
import {
  countOf,
  fieldsOf,
  manifestOf,
  type Outcome,
  OWN_CRD,
  outcomeOf,
  type Pasted,
  pastedFrom,
  rolloutCrd,
  samplesOf,
  schemaOf,
  sourceOf,
  tableOf,
} from './pasted.ts'
import { usesProduct } from './product.ts'

const canaryOf = (crd: unknown): unknown => schemaOf(crd, 'canary')
const stepOf = (crd: unknown): unknown => at(canaryOf(crd), 'properties', 'steps', 'items')

/** What a template of Argo's tests has in place of its name. */
const PLACEHOLDER = 'REPLACEME'

/** The lines of a plan that are about steps. */
const STEPS = /^(steps: |then )/

describe('canaries of Argo, pasted', () => {
  const place = usesProduct()
  needs('argoFiles')
  const pasted: Pasted[] = []
  const outcomes = new Map<Pasted, Outcome>()
  let argo: unknown

  before('each is applied, on a Deployment with the pods of its Rollout', async function () {
    this.timeout(180_000)
    argo = rolloutCrd((await argoCrds()).map((text) => parse(text)))
    const files = (await argoManifests()).map(({ path, text }) => ({
      path,
      text: text.replaceAll(PLACEHOLDER, 'named'),
    }))
    const wanted = files.filter(({ path }) => /^(examples|test\/e2e\/functional)\//.test(path))
    pasted.push(...wanted.flatMap((file) => pastedFrom(file, 'canary')))
    await inParallel(4, [...pasted.entries()], async ([index, each]) => {
      const name = `pasted-${index}`
      await place().api.create(place().path('deployments'), sourceOf(each, name))
      const manifest = manifestOf(name, { source: name, strategy: each.strategy })
      const { code, text } = await place().kubectl(['create', '-f', '-'], manifest)
      outcomes.set(each, outcomeOf(code, text, STEPS))
    })
  })
  explainedIfFailed(() => tableOf(pasted, outcomes))

  it('are more than forty, some admitted and some refused', () => {
    expect(outcomes.size).to.equal(pasted.length).and.to.be.above(40)
    expect(countOf(outcomes, 'admitted')).to.be.above(2)
    expect(countOf(outcomes, 'refused')).to.be.above(20)
  })

  it('are stored as they were sent, with a plan for each step, if they are admitted', async () => {
    for (const [index, each] of pasted.entries()) {
      const outcome = outcomes.get(each)
      if (outcome?.is !== 'admitted') continue
      const stored = await place().experimentAt(`pasted-${index}`)
      expect(stored.spec.strategy, each.file).to.deep.equal(each.strategy)
      expect(outcome.lines[0], each.file).to.match(/^steps: /)
    }
  })

  it('are refused with a path and a remedy otherwise', () => {
    for (const [{ file }, { is, lines }] of outcomes) {
      if (is === 'admitted') continue
      expect(lines, file).to.not.be.empty
      for (const line of lines)
        expect(line, file).to.match(/^spec\.strategy\.canary\.\S+: .*(; (remove|set|add|write|move) | instead$)/)
    }
  })

  it('have no field of which our API does not know the name and the type', async () => {
    const ours = await place().api.get(OWN_CRD)
    expect(Object.keys(fieldsOf(canaryOf(argo)))).to.not.be.empty
    expect(fieldsOf(canaryOf(ours))).to.deep.include(fieldsOf(canaryOf(argo)))
    // a text such as 10% is known, too, so that a rule can say what to write
    const setWeight = 'IntOrString'
    expect(fieldsOf(stepOf(ours))).to.deep.include({ ...fieldsOf(stepOf(argo)), setWeight })
  })

  it('lose no field of Argo in silence: each that we do not take is refused at its path', async () => {
    const taken = ['steps', 'maxSurge', 'maxUnavailable', 'scaleDownDelaySeconds', 'setWeight', 'pause']
    const [canary, steps] = [samplesOf(canaryOf(argo), taken), samplesOf(stepOf(argo), [...taken, 'analysis'])]
    const strategy = {
      canary: { ...Object.fromEntries(canary), steps: steps.map(([key, value]) => ({ [key]: value })) },
    }
    const manifest = manifestOf('everything', { source: 'none', strategy })
    const { text } = await place().kubectl(['create', '-f', '-'], manifest)
    const fields = [...canary.map(([key]) => key), ...steps.map(([key], index) => `steps[${index}].${key}`)]
    expect(outcomeOf(1, text, STEPS).lines.map((line) => line.replace(/: .*/, ''))).to.have.members(
      fields.map((field) => `spec.strategy.canary.${field}`),
    )
  })
})
