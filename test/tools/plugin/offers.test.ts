import { expect } from 'chai'
import { CONFIRMED, patchOf } from '../../../cli/commands/patch.ts'
import { EXIT } from '../../../cli/process/exit-codes.ts'
import type { CanaryStep, RunPhase } from '../../../common/api/strategy.ts'
import type { ExperimentDeployment, ExperimentDeploymentSpec } from '../../../common/api/types.ts'
import { COMMAND_VERBS, type CommandVerb } from '../../../common/strategy/command-text.ts'
import type { ExperimentView } from '../../../common/view/experiment-view.ts'
import { stateOf } from '../../../common/view/state.ts'
import { text } from '../../../common/view/text.ts'
import { ApiError } from '../../../sandbox/api.ts'
import { imageOverride } from '../../builders.ts'
import { inParallel } from '../../in-parallel.ts'
import { say } from '../../integration/canaries.ts'
import { aSource, DEADLINE_MS, type Place, placeIn } from '../../integration/product.ts'
import { seeded } from '../../seeded.ts'
import { type Account, usesPlugin } from './plugin.ts'
import { ACCOUNTS, created, SCENE_NAMES, usesScenes } from './scenes.ts'

const OFFERS = { user: 'admin', namespace: 'offers' } as const

/** What a command that arrives now is told. */
interface Answer {
  readonly situation: string
  readonly verb: CommandVerb
  readonly isOffered: boolean
  /** of the webhook; undefined: it is admitted */
  readonly refusal?: string
}

type Spec = Pick<ExperimentDeploymentSpec, 'strategy' | 'traffic'>

const canary = (...steps: readonly CanaryStep[]): Spec => ({ strategy: { canary: { steps } } })

/** What runs are of: a canary that pauses, one without pauses, a blue-green, a canary from no pods, and a gated one. */
const SPECS: Readonly<Record<string, Spec>> = {
  pauses: canary({ setWeight: 50 }, { pause: {} }, { setWeight: 40 }, { pause: { duration: '1h' } }),
  waits: canary({ setWeight: 50 }),
  green: {
    strategy: {
      blueGreen: {
        activeService: 'green',
        autoPromotionEnabled: false,
        scaleDownDelaySeconds: 1,
        abortScaleDownDelaySeconds: 1,
      },
    },
  },
  empty: canary({ setWeight: 0 }, { pause: {} }),
  shut: { ...canary({ pause: {} }, { setWeight: 50 }, { pause: {} }), traffic: { mode: 'Gated' } },
}

/** How many runs walk, and over how many situations each: with those of the scenes, 200 in all with `WHOLE=1`. */
const [WALKS, STOPS] = process.env.WHOLE === undefined ? [5, 5] : [25, 8]

/** Where a run stays after a command. */
const REST: Readonly<Record<CommandVerb, RunPhase>> = {
  ...{ pause: 'Paused', resume: 'Paused', retry: 'Paused' },
  ...{ promote: 'Promoted', abort: 'Aborted', undo: 'Undone' },
}

/** The spec for a source of this name, which is that of its Service, too. */
const ofSource = (spec: Spec, name: string): Spec =>
  spec.strategy?.blueGreen
    ? { ...spec, strategy: { blueGreen: { ...spec.strategy.blueGreen, activeService: name } } }
    : spec

/** Whether a run stays where it is, and has obeyed `verb` since the command of `before`. */
function rests(found: ExperimentDeployment, verb: CommandVerb | undefined, before: string | undefined): boolean {
  const { phase, command } = found.status?.strategy ?? {}
  if (verb === undefined) return phase === 'Paused'
  return phase === REST[verb] && command?.at !== before && stateOf(found) !== 'Progressing'
}

describe('what a view offers, on the real control plane', function () {
  this.timeout(process.env.WHOLE === undefined ? 4 * DEADLINE_MS : 20 * DEADLINE_MS)
  const scenes = usesScenes()
  const plugin = usesPlugin()
  const answers: Answer[] = []
  const situations = new Set<string>()

  async function viewOf(name: string, as: Account): Promise<ExperimentView> {
    const { code, stdout, stderr } = await plugin().kubectl(['experiment', 'get', name, '-o', 'json'], { as })
    expect(code, stderr).to.equal(0)
    return JSON.parse(stdout)
  }

  /**
   * Asks the webhook about each command, as the plugin does, in a dry run. Returns those that it admits. A run that has
   * gone on by itself meanwhile is asked about again.
   */
  async function ask(place: Place, name: string, as: Account, after = ''): Promise<readonly CommandVerb[]> {
    const view = await viewOf(name, as)
    const situation = situationIn(view, after)
    const { annotations } = (await place.experimentAt(name)).metadata
    const found: Answer[] = []
    for (const { verb, isOffered } of view.actions) {
      const patch = patchOf(verb, { view, hasAnnotations: annotations !== undefined })
      const refusal = await place.api.patch(`${place.path('experiments', name)}?dryRun=All`, patch, 'json').then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof ApiError && [403, 422].includes(error.status)) return error.message
          throw error
        },
      )
      found.push({ situation, verb, isOffered, ...(refusal === undefined ? {} : { refusal }) })
    }
    if (situationIn(await viewOf(name, as), after) !== situation) return ask(place, name, as, after)
    situations.add(situation)
    answers.push(...found)
    for (const { verb, isOffered, refusal } of found)
      if (isOffered && refusal !== undefined) await isPrinted({ verb, name, as, refusal })
    return found.filter(({ refusal }) => refusal === undefined).map(({ verb }) => verb)
  }

  const situationIn = ({ metadata: { name }, state, because, run }: ExperimentView, after: string) =>
    `${name}${after}, ${state}, ${because.reason}, step ${run?.stepIndex ?? '-'}`

  /** Nothing is changed: the dry run that comes first is refused. */
  async function isPrinted({
    verb,
    name,
    as,
    refusal,
  }: {
    verb: CommandVerb
    name: string
    as: Account
    refusal: string
  }) {
    const confirmed = CONFIRMED.includes(verb) ? ['--yes'] : []
    const { code, stderr } = await plugin().kubectl(['experiment', verb, name, ...confirmed], { as })
    expect(code, stderr).to.equal(EXIT.refused)
    const [, sentence = refusal] = /denied the request: (.*)$/s.exec(refusal) ?? []
    expect(stderr).to.contain(text(sentence))
  }

  it('is asked of each scene', async () => {
    await Promise.all(SCENE_NAMES.map((name) => ask(scenes(), name, ACCOUNTS.admin)))
  })

  /** Goes from one situation to the next by one of the commands that are offered there. */
  async function walk(place: Place, index: number): Promise<void> {
    const specs = Object.entries(SPECS)
    const [kind, spec] = specs[index % specs.length] ?? ['none', {}]
    const [name, random] = [`${kind}-${index}`, seeded(index)]
    await aSource(place, name, { replicas: 2 })
    await created(place, name, {
      source: name,
      overrideSpec: imageOverride('registry.example/cart:2'),
      ...ofSource(spec, name),
    })
    let [obeyed, before]: [CommandVerb?, string?] = []
    for (let stop = 0; stop < STOPS; stop++) {
      const { status } = await place.shows(name, `rest at stop ${stop}`, (found) => rests(found, obeyed, before))
      const offered = await ask(place, name, OFFERS, `, stop ${stop}`)
      const verb = offered[Math.floor(random() * offered.length)]
      if (verb === undefined) return
      const word = verb === 'promote' ? `promote ${status?.strategy?.wholeRevision}` : verb
      // a run that has gone on by itself meanwhile is asked about again
      if ((await say(place, name, word)).code === 0) [obeyed, before] = [verb, status?.strategy?.command?.at]
    }
  }

  it('is asked of runs, between commands that are offered', async () => {
    await scenes().api.create('/api/v1/namespaces', { metadata: { name: OFFERS.namespace } })
    const place = await placeIn(OFFERS.namespace)
    await inParallel(5, [...Array(WALKS).keys()], (index) => walk(place, index))
  })

  it('was asked in all situations, and each command was offered in one', () => {
    expect(situations.size, [...situations].join('\n')).to.be.at.least(SCENE_NAMES.length + WALKS * (STOPS - 1))
    const offered = new Set(answers.flatMap(({ verb, isOffered }) => (isOffered ? [verb] : [])))
    expect([...offered]).to.have.members([...COMMAND_VERBS])
  })

  it('is refused by the webhook where it is not offered', () => {
    const admitted = answers.filter(({ isOffered, refusal }) => !isOffered && refusal === undefined)
    expect(admitted.map(({ situation, verb }) => `${situation}: ${verb}`)).to.deep.equal([])
  })

  it('is admitted where it is offered, or refused for what a view does not read', () => {
    const unforeseen = answers.filter(({ isOffered, refusal }) => isOffered && refusal !== undefined)
    const lines = unforeseen.map(({ situation, verb, refusal }) => `${situation}: ${verb}: ${refusal}`)
    console.log([`offered, and refused all the same: ${lines.length} of ${answers.length}`, ...lines].join('\n  '))
    expect(lines.length, 'it is the exception').to.be.below(answers.length / 20)
  })
})
