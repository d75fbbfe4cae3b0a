import { expect } from 'chai'
import { CONFIRMED, patchOf } from '../../../cli/commands/patch.ts'
import { EXIT } from '../../../cli/process/exit-codes.ts'
import type { ExperimentDeployment, ExperimentDeploymentSpec } from '../../../common/api/types.ts'
import { COMMAND_VERBS, type CommandVerb } from '../../../common/strategy/command-text.ts'
import type { ExperimentView } from '../../../common/view/experiment-view.ts'
import { stateOf } from '../../../common/view/state.ts'
import { text } from '../../../common/view/text.ts'
import { ApiError } from '../../../sandbox/api.ts'
import { imageOverride } from '../../builders.ts'
import { says } from '../../integration/canaries.ts'
import { aSource, DEADLINE_MS, type Place, placeIn } from '../../integration/product.ts'
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

type Story = Pick<ExperimentDeploymentSpec, 'strategy' | 'traffic'> & {
  /** each command, and where the run stays then, as in the column STEP */
  readonly path: readonly (readonly [did: string, step: string])[]
}

/** Runs that go from one situation to the next by a command, by the names of their experiments. */
const STORIES: Readonly<Record<string, Story>> = {
  canary: {
    strategy: {
      canary: { steps: [{ setWeight: 50 }, { pause: {} }, { setWeight: 40 }, { pause: { duration: '1h' } }] },
    },
    path: [
      ['', '1/7'],
      ['pause', '1/7'],
      ['resume', '3/7'],
      ['abort', '1/1'],
      ['retry', '1/7'],
      ['promote', '7/7'],
      ['undo', '2/2'],
      ['retry', '1/7'],
    ],
  },
  waits: {
    strategy: { canary: { steps: [{ setWeight: 50 }] } },
    path: [
      ['', '1/4'],
      ['pause', '1/4'],
      ['promote', '4/4'],
      ['undo', '2/2'],
      ['retry', '1/4'],
      ['abort', '1/1'],
    ],
  },
  green: {
    strategy: {
      blueGreen: {
        activeService: 'green',
        autoPromotionEnabled: false,
        scaleDownDelaySeconds: 3_600,
        abortScaleDownDelaySeconds: 1,
      },
    },
    path: [
      ['', '1/9'],
      ['resume', '4/9'],
      ['abort', '4/4'],
      ['retry', '1/9'],
      ['promote', '8/9'],
    ],
  },
  empty: {
    strategy: { canary: { steps: [{ setWeight: 0 }, { pause: {} }] } },
    path: [
      ['', '1/5'],
      ['resume', '2/5'],
      ['abort', '1/1'],
    ],
  },
  shut: {
    traffic: { mode: 'Gated' },
    strategy: { canary: { steps: [{ pause: {} }, { setWeight: 50 }, { pause: {} }] } },
    path: [
      ['', '0/6'],
      ['pause', '0/6'],
      ['resume', '2/6'],
      ['promote', '6/6'],
      ['undo', '2/2'],
    ],
  },
}

/** Whether a run has obeyed a command, and stays at `step` then. */
const rests = (found: ExperimentDeployment, { did, step }: { readonly did: string; readonly step: string }): boolean =>
  found.status?.strategy?.step?.split(' ')[0] === step &&
  (did === '' || found.status?.strategy?.command?.verb === did) &&
  stateOf(found) !== 'Progressing'

describe('what a view offers, on the real control plane', function () {
  this.timeout(4 * DEADLINE_MS)
  const scenes = usesScenes()
  const plugin = usesPlugin()
  const answers: Answer[] = []
  const situations = new Set<string>()

  async function viewOf(name: string, as: Account): Promise<ExperimentView> {
    const { code, stdout, stderr } = await plugin().kubectl(['experiment', 'get', name, '-o', 'json'], { as })
    expect(code, stderr).to.equal(0)
    return JSON.parse(stdout)
  }

  /** Asks the webhook about each command, as the plugin does, in a dry run. */
  async function ask(place: Place, name: string, as: Account, after = ''): Promise<void> {
    const view = await viewOf(name, as)
    const situation = `${name}${after}, ${view.state}, ${view.because.reason}, step ${view.run?.stepIndex ?? '-'}`
    situations.add(situation)
    const { annotations } = (await place.experimentAt(name)).metadata
    for (const { verb, isOffered } of view.actions) {
      const patch = patchOf(verb, { view, hasAnnotations: annotations !== undefined })
      const refusal = await place.api.patch(`${place.path('experiments', name)}?dryRun=All`, patch, 'json').then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof ApiError && [403, 422].includes(error.status)) return error.message
          throw error
        },
      )
      answers.push({ situation, verb, isOffered, ...(refusal === undefined ? {} : { refusal }) })
      if (isOffered && refusal !== undefined) await isPrinted({ verb, name, as, refusal })
    }
  }

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

  it('is asked of each step of some runs', async () => {
    await scenes().api.create('/api/v1/namespaces', { metadata: { name: OFFERS.namespace } })
    const place = await placeIn(OFFERS.namespace)
    await Promise.all(
      Object.entries(STORIES).map(async ([name, { path, ...spec }]) => {
        await aSource(place, name, { replicas: 2 })
        await created(place, name, {
          source: name,
          overrideSpec: imageOverride('registry.example/cart:2'),
          ...spec,
        })
        for (const [index, [did, step]] of path.entries()) {
          if (did !== '') await told(place, name, did)
          await place.shows(name, step, (found) => rests(found, { did, step }))
          await ask(place, name, OFFERS, `, ${index} ${did}`)
        }
      }),
    )
  })

  const told = async (place: Place, name: string, did: string) => {
    if (did !== 'promote') return says(place, name, did)
    const { status } = await place.experimentAt(name)
    return says(place, name, `promote ${status?.strategy?.wholeRevision}`)
  }

  it('was asked in 40 situations and more, and each command was offered in one', () => {
    expect(situations.size, [...situations].join('\n')).to.be.at.least(40)
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
