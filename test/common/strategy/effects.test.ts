import { expect } from 'chai'
import type { ExperimentDeploymentSpec } from '../../../common/api/types.ts'
import { resultOfCommand } from '../../../common/strategy/command.ts'
import { COMMAND_VERBS, type CommandVerb } from '../../../common/strategy/command-text.ts'
import { compileSteps, type RunStep } from '../../../common/strategy/compile.ts'
import { type Effect, effectsAhead, effectsOf } from '../../../common/strategy/effects.ts'
import { next } from '../../../common/strategy/next.ts'
import type { Run } from '../../../common/strategy/run.ts'
import { type StrategyRunSpec, strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { anExperiment } from '../../builders.ts'

type Of = Partial<Pick<ExperimentDeploymentSpec, 'strategy' | 'promotion' | 'analysis'>>

function specOf(of: Of): StrategyRunSpec {
  const spec = strategyRunSpec(anExperiment(of).spec)
  if (!spec) throw new Error('no run')
  return spec
}

const [AUTOMATIC, EXPORT] = [{ mode: 'Automatic' }, { mode: 'Export' }] as const
const PREVIEWED = { activeService: 'cart', previewService: 'preview' } as const
const CANARY = {
  canary: { steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: { duration: '1h' } }] },
}

/** Each kind of run, with its steps. */
const SPECS = {
  /** setWeight, pause, setWeight, pause 1h, await, promote, drain */
  canary: { strategy: CANARY },
  /** setWeight, pause, setWeight, pause 1h, promote, drain */
  automatic: { strategy: CANARY, promotion: AUTOMATIC },
  exporting: { strategy: CANARY, promotion: EXPORT },
  /** setWeight, analysis, promote, drain */
  analyzed: { strategy: { canary: { steps: [{ setWeight: 20 }] } }, analysis: {}, promotion: AUTOMATIC },
  /** size, preview, pause, size, cutOver, pause 30s, await, promote, return, drain */
  blueGreen: { strategy: { blueGreen: PREVIEWED } },
  /** size, preview, pause 60s, size, cutOver, pause 30s, promote, return, drain */
  unasked: {
    strategy: { blueGreen: { ...PREVIEWED, autoPromotionEnabled: true, autoPromotionSeconds: 60 } },
    promotion: AUTOMATIC,
  },
  /** size, size, cutOver, pause 30s, await, promote, return, drain */
  alone: { strategy: { blueGreen: { activeService: 'cart' } } },
  promotion: { promotion: AUTOMATIC },
} as const satisfies Record<string, Of>
type Spec = keyof typeof SPECS

type Place = Pick<Run, 'path' | 'stepIndex' | 'held'>
const at = (stepIndex: number, of: Partial<Place> = {}): Place => ({ path: 'Forward', stepIndex, ...of })
const HELD = { held: true }

interface Asked {
  readonly of: Spec
  /** undefined: it has no run of this spec yet */
  readonly run?: Place
  readonly verb?: CommandVerb
  /** without a verb, the spec is edited */
  readonly isApproved?: boolean
}

const effects = ({ of, run, verb, isApproved = false }: Asked): readonly Effect[] => [
  ...effectsOf(verb ? { verb } : { isEdit: true }, { spec: specOf(SPECS[of]), run, isApproved }),
]

const CASES: Readonly<Record<string, readonly [Asked, ...Effect[]]>> = {
  'a new canary, which pauses': [{ of: 'canary' }],
  'a new automatic canary, which pauses': [{ of: 'automatic' }],
  'an automatic promotion without steps': [{ of: 'promotion' }, 'promote'],
  'an automatic promotion after a verdict': [{ of: 'analyzed' }, 'promote'],
  'a new blue-green': [{ of: 'blueGreen' }, 'preview'],
  'a new one that asks nobody': [{ of: 'unasked' }, 'preview', 'cutOver', 'promote'],
  'a new one without a preview': [{ of: 'alone' }, 'cutOver'],
  'an edit that keeps a run which moves to its pause': [{ of: 'automatic', run: at(0) }],
  'an edit that keeps a run at its pause': [{ of: 'automatic', run: at(1) }],
  'an edit that keeps a run after its last pause': [{ of: 'automatic', run: at(2) }, 'promote'],
  'an edit that keeps a run at a pause with a time': [{ of: 'automatic', run: at(3) }, 'promote'],
  'an edit that keeps a held run': [{ of: 'automatic', run: at(3, HELD) }],
  'an edit that keeps an aborted run': [{ of: 'automatic', run: at(1, { path: 'Abort' }) }],
  'an edit while it waits for a promotion': [{ of: 'canary', run: at(4) }],
  'an approval while it waits for a promotion': [{ of: 'canary', run: at(4), isApproved: true }, 'promote'],
  'an approval before a pause': [{ of: 'canary', run: at(1), isApproved: true }],
  'an approval at a pause with a time': [{ of: 'canary', run: at(3), isApproved: true }, 'promote'],
  'an edit during the promotion': [{ of: 'canary', run: at(5) }, 'promote'],
  'an edit after the promotion': [{ of: 'canary', run: at(6) }],
  'an edit at a step that no run has': [{ of: 'promotion', run: at(99) }, 'promote'],
  'resume of a pause before another wait': [{ of: 'canary', verb: 'resume', run: at(1) }],
  'resume of the last pause of an automatic run': [{ of: 'automatic', verb: 'resume', run: at(1) }, 'promote'],
  'resume of a run that others promote': [{ of: 'exporting', verb: 'resume', run: at(3) }],
  'resume of a wait for a verdict': [{ of: 'analyzed', verb: 'resume', run: at(1) }, 'promote'],
  'resume of an approved run': [{ of: 'canary', verb: 'resume', run: at(3), isApproved: true }, 'promote'],
  'resume of a run that is held before its pause': [{ of: 'automatic', verb: 'resume', run: at(0, HELD) }],
  'resume of a run that is held while it waits': [{ of: 'canary', verb: 'resume', run: at(4, HELD) }],
  'resume of a run that is held at its promotion': [{ of: 'canary', verb: 'resume', run: at(5, HELD) }, 'promote'],
  'resume of an aborted run': [{ of: 'automatic', verb: 'resume', run: at(1, { path: 'Abort' }) }],
  'resume of a preview': [{ of: 'blueGreen', verb: 'resume', run: at(2) }, 'cutOver'],
  'resume of a run that is held before its preview': [{ of: 'blueGreen', verb: 'resume', run: at(0, HELD) }, 'preview'],
  'resume of a run that is held at its cut-over': [{ of: 'blueGreen', verb: 'resume', run: at(4, HELD) }, 'cutOver'],
  'resume after the cut-over': [{ of: 'blueGreen', verb: 'resume', run: at(5) }],
  'resume before a run is known': [{ of: 'blueGreen', verb: 'resume' }, 'cutOver'],
  'retry of a canary': [{ of: 'canary', verb: 'retry', run: at(1, { path: 'Abort' }) }],
  'retry of an automatic promotion': [{ of: 'promotion', verb: 'retry', run: at(0, { path: 'Undo' }) }, 'promote'],
  'retry of a blue-green': [{ of: 'blueGreen', verb: 'retry', run: at(3, { path: 'Abort' }) }, 'preview'],
  'promote of a canary': [{ of: 'canary', verb: 'promote', run: at(0) }, 'promote'],
  'promote where others write the source': [{ of: 'exporting', verb: 'promote', run: at(0) }, 'promote'],
  'promote before the preview': [
    { of: 'blueGreen', verb: 'promote', run: at(0) },
    ...(['preview', 'cutOver', 'promote'] as const),
  ],
  'promote of a preview': [{ of: 'blueGreen', verb: 'promote', run: at(2) }, 'cutOver', 'promote'],
  'promote after the cut-over, which may have lost its pin': [
    { of: 'blueGreen', verb: 'promote', run: at(6) },
    ...(['cutOver', 'promote'] as const),
  ],
  'promote before a run is known': [{ of: 'blueGreen', verb: 'promote' }, 'cutOver', 'promote'],
  undo: [{ of: 'blueGreen', verb: 'undo', run: at(9) }, 'restore'],
  abort: [{ of: 'unasked', verb: 'abort', run: at(2) }],
  pause: [{ of: 'unasked', verb: 'pause', run: at(2) }],
}

describe('N32: what a request lets a run do without another word', () => {
  for (const [sentence, [asked, ...expected]] of Object.entries(CASES))
    it(`N32: ${sentence}: ${expected.join(', ') || 'nothing'}`, () =>
      expect(effects(asked)).to.have.members(expected).and.to.have.lengthOf(expected.length))

  it('N32: both what an edit and what a command do', () => {
    const run = { spec: specOf(SPECS.unasked), run: at(8), isApproved: false }
    expect([...effectsOf({ isEdit: true, verb: 'undo' }, run)]).to.deep.equal(['restore'])
    expect([...effectsOf({}, run)]).to.deep.equal([])
  })
})

const NOW = new Date('2026-11-21T14:05:03.120Z')
const SINCE = '2026-11-21T14:00:00.000Z'
const whole = (place: Place): Run => ({ run: 'aaaa', revision: '1f2e', since: SINCE, ...place })

/** The steps at which `run` is, one after the other, when all that it waits for happens and nobody says anything. */
function reached(spec: StrategyRunSpec, run: Run, isApproved: boolean): readonly RunStep[] {
  const steps = compileSteps(spec, run.path)
  const step = steps[run.stepIndex]
  if (!step || run.held) return []
  const facts = { now: NOW, elapsedMs: Infinity, isReached: true, isFailed: false, isApproved, hasPassed: true }
  const found = next(run, steps, facts)
  return [step, ...(found.is === 'move' ? reached(spec, found.run, isApproved) : [])]
}

/** The effects of steps that write to others. */
const written = ({ mode }: StrategyRunSpec, steps: readonly RunStep[]): ReadonlySet<string> =>
  new Set(
    steps
      .map(({ is }) => is)
      .filter((is) => is === 'preview' || is === 'cutOver' || (is === 'promote' && mode !== 'Export')),
  )

describe('N32: the effects of a request and the steps of a run agree', () => {
  for (const [name, of] of Object.entries<Of>(SPECS))
    for (const isApproved of [false, true])
      it(`N32: ${name}${isApproved ? ', approved' : ''}: at each step, held or not`, () => {
        const spec = specOf(of)
        for (const stepIndex of compileSteps(spec, 'Forward').keys())
          for (const held of [false, true]) {
            const place = at(stepIndex, held ? HELD : {})
            const ahead = effectsAhead({ spec, run: place, isApproved })
            expect(new Set(ahead), JSON.stringify(place)).to.deep.equal(
              written(spec, reached(spec, whole(place), isApproved)),
            )
            for (const verb of COMMAND_VERBS.filter((each) => each !== 'undo'))
              expectObeyed({ spec, place, isApproved, verb })
          }
      })
})

interface Obeyed {
  readonly spec: StrategyRunSpec
  readonly place: Place
  readonly isApproved: boolean
  readonly verb: CommandVerb
}

/** Compares the effects of a command with what the run does that obeys it. */
function expectObeyed({ spec, place, isApproved, verb }: Obeyed): void {
  const [run, steps] = [whole(place), compileSteps(spec, place.path)]
  const stamp = { step: place.stepIndex, revision: run.revision, at: NOW.toISOString() }
  const context = { now: NOW, promotion: undefined, mayHaveWritten: false }
  const answer = resultOfCommand({ verb, stamp }, run, steps, context)
  if (answer.is !== 'Done') return
  const does = written(spec, reached(spec, answer.run, isApproved))
  const found = effectsOf({ verb }, { spec, run: place, isApproved })
  const because = `${verb} at ${JSON.stringify(place)}`
  // a promote also makes up for steps that it skips, and needs the right where others write the source
  if (verb === 'promote') for (const each of does) expect([...found], because).to.include(each)
  else expect(found, because).to.deep.equal(does)
}
