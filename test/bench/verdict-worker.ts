/** A thread of `bench verdicts`: plays some experiments of a story. */
import { parentPort, workerData } from 'node:worker_threads'
import { AT_THE_LIMIT, HARMLESS, played } from './verdict-stories.ts'
import { TABLE } from './verdict-table.ts'

const { name, from, to, ends } = workerData
const story = { ...HARMLESS, ...AT_THE_LIMIT }[name as string] ?? TABLE[name as string]?.story
if (!story) throw new Error(`no story called ${name}`)
const endings = []
for (let seed = from; seed < to; seed += 1) endings.push(played(story, seed, ends))
parentPort?.postMessage(endings)
