/** `node --expose-gc webhook-schemas.ts FOLDER`: prints what it takes to compile all schemas, as JSON. */

import { keptCatalog } from './webhook-documents.ts'

/** What compiling takes, in a process of its own. */
export interface Compiling {
  readonly ms: number
  /** what the compiled schemas keep, in bytes */
  readonly heapBytes: number
  /** by how much the process has grown in the end, garbage included, in bytes */
  readonly residentBytes: number
}

const heap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const [folder = ''] = process.argv.slice(2)
const before = { heap: heap(), resident: process.memoryUsage.rss() }
const started = performance.now()
const catalog = await keptCatalog(folder)
const ms = performance.now() - started
const residentBytes = process.memoryUsage.rss() - before.resident
const compiling: Compiling = { ms, residentBytes, heapBytes: heap() - before.heap }
if (catalog.isComplete) console.log(JSON.stringify(compiling)) // held until here
