import { expect } from 'chai'
import { COMMAND } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { type CommandVerb, formatCommand } from '../../common/strategy/command-text.ts'
import { replicasOf } from '../../common/workload/status.ts'
import { aDeployment, anExperiment, imageOverride } from '../builders.ts'
import { aController, PATHS, stored } from '../fakes/controller.ts'
import { imagesOf } from '../integration/product.ts'

const [FORMER, PROMOTED] = ['example/cart:1', 'example/cart:2']
/** Longer than any test waits. */
const DRAIN_SECONDS = 3_600

/** What a Deployment reports when all of its pods are available. */
const available = (of: KubeObject) => {
  const count = replicasOf(of)
  const counts = { replicas: count, updatedReplicas: count, readyReplicas: count, availableReplicas: count }
  return { status: { observedGeneration: of.metadata.generation ?? 0, ...counts } }
}

/** A canary of two weights, whose source can be promoted, and the people and controllers around it. */
async function aCanary() {
  const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }]
  const strategy = { canary: { steps, scaleDownDelaySeconds: DRAIN_SECONDS } }
  const source = stored(aDeployment({ image: FORMER }))
  const experiment = anExperiment({ overrideSpec: imageOverride(PROMOTED), strategy })
  const objects = { [PATHS.experiment]: stored(experiment), [PATHS.source]: { ...source, ...available(source) } }
  const world = aController(objects, ['promotion'])
  /** Workloads that stay as they are, because their controller does nothing. */
  const stuck = new Set<string>()
  const play = (path: string) => {
    if (world.server.at(path) && !stuck.has(path)) world.change(path, available)
  }
  const pass = async () => {
    play(PATHS.fork)
    play(PATHS.source)
    await world.pass(3_000)
  }
  const step = () => world.status().strategy?.step
  const until = async (wanted: string) => {
    for (let tries = 0; tries < 40 && step() !== wanted; tries += 1) await pass()
    expect(step()).to.equal(wanted)
  }
  /** Says a verb, as the webhook stamps it. */
  const say = (verb: CommandVerb) => {
    const { stepIndex = 0, revision = '' } = world.status().strategy ?? {}
    const at = world.server.clock().toISOString()
    const command = formatCommand({ verb, stamp: { step: stepIndex, revision, at } })
    world.server.change(PATHS.experiment, (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { [COMMAND]: command } },
    }))
  }
  await world.controller.start()
  world.controller.lead()
  /** As somebody who may write it. */
  const empty = () => world.change(PATHS.experiment, () => ({ status: undefined }))
  return { world, stuck, pass, until, say, step, empty }
}

type Canary = Awaited<ReturnType<typeof aCanary>>

const imageOf = ({ world }: Canary) => imagesOf(world.at(PATHS.source))[0]
const writesOf = ({ world }: Canary) => world.server.diary.filter((line) => line === `patch ${PATHS.source}`).length

/** Until a person shall say whether to promote. */
async function awaits(canary: Canary): Promise<void> {
  await canary.until('1/6 Paused')
  canary.say('resume')
  await canary.until('3/6 Paused')
}

/** Until the source has the change, and the fork is still there. */
async function drains(canary: Canary): Promise<void> {
  await awaits(canary)
  canary.say('promote')
  await canary.until('5/6 Progressing')
}

async function ends(canary: Canary): Promise<void> {
  await drains(canary)
  await canary.world.pass(DRAIN_SECONDS * 1_000)
  await canary.until('6/6 Promoted')
}

/** Until the source was written, and does not say that it is ready. */
async function writes(canary: Canary, verb: CommandVerb, count: number): Promise<void> {
  canary.stuck.add(PATHS.source)
  canary.say(verb)
  for (let tries = 0; tries < 10; tries += 1) await canary.pass()
  expect(writesOf(canary)).to.equal(count)
}

interface Phase {
  /** Brings a new run there. */
  readonly reach: (canary: Canary) => Promise<void>
  readonly step: string
  /** how often the source is written until then, and the image that it has */
  readonly written: number
  readonly image: string
}

const PHASES: Readonly<Record<string, Phase>> = {
  'a weight': {
    reach: async (canary) => {
      canary.stuck.add(PATHS.fork)
      await canary.pass()
    },
    step: '0/6 Progressing',
    written: 0,
    image: FORMER,
  },
  'a pause': { reach: ({ until }) => until('1/6 Paused'), step: '1/6 Paused', written: 0, image: FORMER },
  'the wait for a promotion': { reach: awaits, step: '3/6 Paused', written: 0, image: FORMER },
  'a promotion': {
    reach: async (canary) => {
      await awaits(canary)
      await writes(canary, 'promote', 1)
    },
    step: '4/6 Progressing',
    written: 1,
    image: PROMOTED,
  },
  'the time after a promotion': { reach: drains, step: '5/6 Progressing', written: 1, image: PROMOTED },
  'the end of a promotion': { reach: ends, step: '6/6 Promoted', written: 1, image: PROMOTED },
  'an undo': {
    reach: async (canary) => {
      await ends(canary)
      await writes(canary, 'undo', 2)
    },
    step: '0/2 Undoing',
    written: 2,
    image: FORMER,
  },
  'the end of an undo': {
    reach: async (canary) => {
      await ends(canary)
      canary.say('undo')
      await canary.until('2/2 Undone')
    },
    step: '2/2 Undone',
    written: 2,
    image: FORMER,
  },
}

describe('a canary whose status somebody empties', () => {
  for (const [what, { reach, step, written, image }] of Object.entries(PHASES))
    it(`in ${what} begins again, and its source is not written again unasked`, async () => {
      const canary = await aCanary()
      await reach(canary)
      expect([canary.step(), writesOf(canary), imageOf(canary)]).to.deep.equal([step, written, image])
      canary.empty()
      canary.stuck.clear()
      await canary.until('1/6 Paused')
      canary.say('resume')
      const isWritten = image === PROMOTED
      await canary.until(isWritten ? '5/6 Progressing' : '3/6 Paused')
      for (let tries = 0; tries < 10; tries += 1) await canary.pass()
      expect([writesOf(canary), imageOf(canary)]).to.deep.equal([written, image])
      if (!isWritten) canary.say('promote')
      await canary.until('5/6 Progressing')
      expect([writesOf(canary), imageOf(canary)]).to.deep.equal([isWritten ? written : written + 1, PROMOTED])
      await canary.world.controller.stop()
    })

  it('after an abort is aborted again, because its annotation still says so', async () => {
    const canary = await aCanary()
    await canary.until('1/6 Paused')
    canary.say('abort')
    await canary.until('1/1 Aborted')
    canary.empty()
    await canary.until('1/1 Aborted')
    expect([writesOf(canary), imageOf(canary)]).to.deep.equal([0, FORMER])
    await canary.world.controller.stop()
  })
})
