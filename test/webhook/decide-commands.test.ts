import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { COMMAND } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { isEqual, type JsonObject } from '../../common/json/json.ts'
import { COMMAND_VERBS, type CommandVerb } from '../../common/strategy/command-text.ts'
import { mutator } from '../../webhook/mutate.ts'
import { validator } from '../../webhook/validate.ts'
import { installing } from '../builders.ts'
import { hasExpired } from '../common/of-facts.ts'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld, START } from '../common/plan/some-run.ts'
import { imageIn } from '../common/run/promotions.ts'
import { aRequest, linesOf } from './reviews.ts'
import { depsOf } from './under-policies.ts'

const FIELD = `metadata.annotations["${COMMAND}"]: `
const STEPS = { canary: { steps: [{ setWeight: 10 }, { pause: {} }] } }

/** A run that goes on as far as it does by itself, then by each of `verbs`. */
function after(verbs: readonly string[], of: RunOf = {}): RunWorld {
  const run = aRun(aRunExperiment({ strategy: STEPS, promotion: { mode: 'Manual' }, ...of }))
  run.rest()
  for (const verb of verbs) {
    run.say(verb)
    run.rest()
  }
  return run
}
/** `run` once `change` happened, and nothing else: the next pass sees it. */
function then(run: RunWorld, change: (run: RunWorld) => unknown): RunWorld {
  change(run)
  return run
}
const rests = (run: RunWorld, change: (run: RunWorld) => unknown) => then(then(run, change), ({ rest }) => rest())
const unsettled = (): KubeObject => {
  const { status: _status, ...source } = aSource()
  return source
}
const AUTOMATIC = { promotion: { mode: 'Automatic' } } as const
/** An hour, after which `LIMITED` has expired. */
const LIMITED = { ttlSeconds: 3_600, metadata: { creationTimestamp: START.toISOString() } }
const expires = (run: RunWorld) => {
  rests(run, ({ wait }) => wait(3_600))
  expect(hasExpired(run.facts())).to.equal(true)
  return run
}

const atPromotion = () =>
  rests(
    then(after(['resume']), (run) => {
      run.world.source = unsettled()
    }),
    (run) => run.say('promote'),
  )
const annotated = (): KubeObject => {
  const { template, ...spec } = aSource().spec as { template: JsonObject }
  return { ...aSource(), spec: { ...spec, template: { ...template, metadata: { labels: { app: 'cart', a: 'b' } } } } }
}

/** A run in each state, as it is stored when a command comes. */
const STATES: Readonly<Record<string, () => RunWorld>> = {
  'before its pods are ready': () => {
    const run = aRun(aRunExperiment({ strategy: STEPS }), { isHealthy: false })
    run.rest()
    return run
  },
  'at a pause': () => after([]),
  'held at a pause': () => after(['pause']),
  'while it waits to be promoted': () => after(['resume']),
  'held while it waits to be promoted': () => after(['resume', 'pause']),
  'at its promotion, before a source that is not settled': atPromotion,
  'held at its promotion': () => rests(atPromotion(), (run) => run.say('pause')),
  'at its promotion, over a newer value': () =>
    rests(after(['resume']), (run) => {
      run.say('promote')
      run.world.source = aSource(10, 'example/cart:3')
    }),
  'at its promotion, over a newer value, once the record is stored': () =>
    rests(after(['resume']), (run) => {
      run.say('promote')
      while (!run.world.record) run.pass()
      run.world.source = aSource(10, 'example/cart:3')
    }),
  'at its promotion, once the record is stored': () =>
    then(after(['resume']), (run) => {
      run.say('promote')
      while (!run.world.record) run.pass()
    }),
  'while others are to make the change': () => after(['resume'], { promotion: { mode: 'Export' } }),
  'promoted, with its fork': () => after(['promote']),
  'promoted, and reverted': () =>
    rests(after(['promote']), (run) => {
      run.world.source = aSource()
    }),
  promoted: () => rests(after(['promote']), ({ wait }) => wait(30)),
  'promoted by others, with its fork': () =>
    rests(after(['resume']), (run) => {
      run.world.source = aSource(10, 'example/cart:2')
    }),
  'while it is aborted': () =>
    then(after([]), (run) => {
      run.say('abort')
      run.pass()
    }),
  aborted: () => after(['abort']),
  'while it is undone': () =>
    then(after(['promote']), (run) => {
      run.say('undo')
      run.pass()
    }),
  undone: () => after(['promote', 'undo']),
  'after an undo that was aborted': () =>
    rests(after(['promote']), (run) => {
      run.say('undo')
      run.pass()
      run.say('abort')
    }),
  'begun again': () => after(['abort', 'retry']),
  'expired at a pause': () => expires(after([], LIMITED)),
  'expired after its promotion': () => expires(after(['promote'], LIMITED)),
  'expired, with the record of a source that was not written': () =>
    expires(
      then(after(['resume'], LIMITED), (run) => {
        run.say('promote')
        while (!run.world.record) run.pass()
        run.world.source = unsettled()
      }),
    ),
  'while it is deleted': () =>
    then(after([]), ({ world }) => {
      const { metadata, ...others } = world.experiment
      world.experiment = { ...others, metadata: { ...metadata, deletionTimestamp: world.now.toISOString() } }
    }),
  'while its source has changed, and no pass has seen that': () =>
    then(after([]), (run) => {
      run.world.source = annotated()
    }),
  'while its source has changed, and it waits to be promoted': () =>
    then(after(['resume']), (run) => {
      run.world.source = annotated()
    }),
  'without its source': () =>
    rests(after([]), (run) => {
      run.world.source = undefined
    }),
  'automatic, at a pause': () => after([], AUTOMATIC),
  'automatic, over a newer value': () =>
    rests(after([], AUTOMATIC), (run) => {
      run.world.source = aSource(10, 'example/cart:3')
      run.say('resume')
    }),
}

/** What both webhooks answer to `text`, and what the next pass makes of it. A minute is over since the last event. */
async function said(state: () => RunWorld, text: string) {
  const run = state()
  run.wait(60)
  const { world } = run
  const { experiment, source, fork, record } = world
  const objects = [source, fork, record].filter((each) => each !== undefined)
  const deps = { ...depsOf({ world: objects }), clock: () => world.now, installed: installing('promotion') }
  const sent = { ...experiment, metadata: { ...experiment.metadata, annotations: { [COMMAND]: text } } }
  const mutated = await mutator(deps)(aRequest({ object: { ...sent }, oldObject: { ...experiment } }))
  const patch = (mutated.allowed ? (mutated.patch ?? []) : []) as Operation[]
  const { newDocument } = jsonPatch.applyPatch(structuredClone(sent), patch)
  const decision = await validator(deps)(aRequest({ object: { ...newDocument }, oldObject: { ...experiment } }))
  world.experiment = newDocument as ExperimentDeployment
  run.pass()
  const before = experiment.status?.strategy?.command
  const command = run.strategy()?.command
  return {
    run,
    isAdmitted: decision.is === 'admitted',
    lines: linesOf(decision),
    command: isEqual(command, before) ? undefined : command,
  }
}

/** The commands that a text tells somebody to give now. */
const named = (text: string): readonly CommandVerb[] =>
  COMMAND_VERBS.filter((verb) =>
    [`use ${verb}`, `"${verb}"`, `waits for ${verb}`, `command=${verb}`, `the command ${verb}`, `${verb} ends`].some(
      (words) => text.includes(words),
    ),
  )

describe('the answer to a command, for each verb in each state', () => {
  for (const [state, aRunIn] of Object.entries(STATES))
    for (const verb of COMMAND_VERBS)
      it(`N8: is one, and true: ${verb}, ${state}`, async () => {
        const { isAdmitted, lines, command } = await said(aRunIn, verb)
        const text = lines.join('\n')
        expect(command?.answer === 'Done', `${text}\nthe controller: ${command?.answer} ${command?.message}`).to.equal(
          isAdmitted,
        )
        if (isAdmitted) {
          expect(text).to.contain(command?.message)
          expect(text).to.not.match(/repeat it|was given/)
          return
        }
        expect(lines).to.have.lengthOf(1)
        expect(text.startsWith(`${FIELD}${verb}: `) || text.startsWith(`${FIELD}${verb} was given`), text).to.equal(
          true,
        )
        for (const remedy of named(text))
          expect((await said(aRunIn, remedy)).isAdmitted, `${text}: ${remedy}`).to.equal(true)
      })
})

describe('the command promote over a newer value', () => {
  for (const state of ['at its promotion, over a newer value', 'automatic, over a newer value'])
    it(`N12: is carried out, because its plan shows that value: ${state}`, async () => {
      const { run, lines } = await said(STATES[state] ?? expect.fail(state), 'promote')
      expect(lines.join('\n')).to.contain('containers[cart].image: example/cart:3 -> example/cart:2')
      run.rest()
      expect(imageIn(run)).to.equal('example/cart:2')
    })
})

describe('what the status of a run tells somebody to give', () => {
  // of an event that no pass has seen, the status cannot tell; and an expired one needs more time first, as it says
  const isOther = (state: string) => /deleted|source has changed|expired/.test(state)
  for (const [state, aRunIn] of Object.entries(STATES).filter(([state]) => !isOther(state)))
    it(`N8: is admitted: ${state}`, async () => {
      const { conditions = [] } = aRunIn().world.experiment.status ?? {}
      const wanted = new Set(conditions.flatMap(({ message }) => named(message)))
      for (const verb of wanted) expect((await said(aRunIn, verb)).lines.join(), verb).to.not.contain(FIELD)
    })
})
