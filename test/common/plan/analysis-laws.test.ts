import { expect } from 'chai'
import fc from 'fast-check'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import { decodeStatus } from '../../../common/api/decode-status.ts'
import type { Strategy } from '../../../common/api/strategy.ts'
import { canonicalJson } from '../../../common/json/canonical.ts'
import { imageOverride } from '../../builders.ts'
import { LONG } from '../../property.ts'
import { plan, statusOf } from '../of-facts.ts'
import { ANALYSIS, anAnalysis, told } from './an-analysis.ts'
import { aSource, type RunOf } from './some-run.ts'

type Analysis = ReturnType<typeof anAnalysis>

const STRATEGIES: readonly (Strategy | undefined)[] = [
  undefined,
  { canary: { steps: [{ setWeight: 10 }, { analysis: {} }, { setWeight: 30 }, { pause: {} }] } },
]
const aSpec = fc.record({
  strategy: fc.constantFrom(...STRATEGIES),
  mode: fc.constantFrom('Manual', 'Automatic'),
  onTimeout: fc.constantFrom('RollBack', 'Keep', 'Promote'),
  continueAfterPass: fc.boolean(),
})
type Of = typeof aSpec extends fc.Arbitrary<infer T> ? T : never

const analysisOf = ({ onTimeout, continueAfterPass }: Of): AnalysisSpec =>
  ({ ...ANALYSIS, maxSeconds: 300, onTimeout, continueAfterPass }) as AnalysisSpec
const specOf = (of: Of): RunOf => ({
  strategy: of.strategy,
  ...(of.strategy ? { promotion: { mode: of.mode } as NonNullable<RunOf['promotion']> } : {}),
  analysis: analysisOf(of),
})

/** What may happen between two passes. */
const EVENTS: Readonly<Record<string, (analysis: Analysis, of: Of) => void>> = {
  ...Object.fromEntries(
    (['Wait', 'Pass', 'Fail'] as const).map((decision) => [
      decision,
      ({ world, analyses, wait }: Analysis) => {
        wait(60)
        if (analyses.run) analyses.decided(world.now, decision)
      },
    ]),
  ),
  'eight days': ({ wait }) => wait(8 * 86_400),
  'another override': ({ edit }, of) => edit({ ...specOf(of), overrideSpec: imageOverride('example/cart:3') as never }),
  'the first override': ({ edit }, of) =>
    edit({ ...specOf(of), overrideSpec: imageOverride('example/cart:2') as never }),
  'another attempt': ({ edit }, of) => edit({ ...specOf(of), analysis: { ...analysisOf(of), attempt: 2 } }),
  'no source': ({ world }) => {
    world.source = undefined
  },
  'a source': ({ world }) => {
    world.source = aSource()
  },
  'no fork': ({ world }) => {
    world.fork = undefined
  },
  'no runs': ({ analyses }) => analyses.forget(),
  abort: ({ say }) => say('abort'),
  retry: ({ say }) => say('retry'),
  promote: ({ say }) => say('promote'),
}
const someEvents = fc.array(fc.constantFrom(...Object.keys(EVENTS)), { maxLength: 8 })

/** Calls `check` after each event, before any pass. */
const always = (check: (analysis: Analysis) => void) =>
  fc.assert(
    fc.property(aSpec, someEvents, (of, events) => {
      const analysis = anAnalysis(specOf(of))
      for (const event of events) {
        EVENTS[event]?.(analysis, of)
        check(analysis)
        analysis.rest()
      }
    }),
    LONG,
  )

describe('an analysis, whatever happens', () => {
  it('gives an equal plan and status to equal facts', () =>
    always(({ facts }) => {
      const [one, two] = [facts(), facts()].map((seen) => {
        const { writes, conclusion } = plan(seen)
        return canonicalJson({ writes, status: statusOf(seen, conclusion) } as never)
      })
      expect(one).to.equal(two)
    }))

  it('rests, and then changes nothing more until something happens', () =>
    always((analysis) => {
      analysis.rest()
      expect(told(analysis.rest())).to.deep.equal([])
    }))

  it('has at most one run that goes on', () =>
    always((analysis) => {
      analysis.rest()
      const going = analysis.analyses.runs.filter(({ status }) => status?.finishedAt === undefined)
      expect(going.length).to.be.at.most(1)
    }))

  it('writes each run at most once in a pass, and none after its verdict', () =>
    always((analysis) => {
      const names = plan(analysis.facts()).writes.flatMap((write) =>
        write.role === 'analysisRun' && write.verb === 'patch' ? [write.of.metadata.name] : [],
      )
      expect(new Set(names).size).to.equal(names.length)
      const written = analysis.analyses.runs.filter(({ metadata }) => names.includes(metadata.name))
      for (const { status } of written)
        if (status?.finishedAt !== undefined) expect(['Aborted', 'Pass']).to.include(status.verdict)
    }))

  it('never leaves pods to a fork whose question has failed, unless the source may have its change', () =>
    always((analysis) => {
      analysis.rest()
      const { status } = analysis.world.experiment
      const isPromoting = status?.promotion !== undefined
      if (status?.analysis?.verdict === 'Fail' && analysis.world.source && !isPromoting)
        expect(analysis.pods() ?? 0).to.equal(0)
    }))

  it('stores a status that is read back as it is', () =>
    always((analysis) => {
      const { status } = analysis.world.experiment
      expect(decodeStatus(JSON.parse(JSON.stringify(status ?? {})))).to.deep.equal(status)
    }))
})
