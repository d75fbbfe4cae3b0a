/** A thread of `bench verdicts`: plays some experiments of a story. */
import { parentPort, workerData } from 'node:worker_threads'
import { AT_THE_LIMIT, HARMLESS, played } from './verdict-stories.ts'
import { TABLE } from './verdict-table.ts'
import { playedWorld } from './world-play.ts'
import { WORLD_STORIES } from './world-stories.ts'

const { name, from, to, ends } = workerData
const world = WORLD_STORIES[name as string]
const story = { ...HARMLESS, ...AT_THE_LIMIT }[name as string] ?? TABLE[name as string]?.story
if (!story && !world) throw new Error(`no story called ${name}`)
const endings = []
for (let seed = from; seed < to; seed += 1)
  endings.push(world ? playedWorld(world, seed) : story && played(story, seed, ends))
parentPort?.postMessage(endings)
