/** `node --expose-gc webhook-schemas.ts FOLDER`: prints the cost of compiling all schemas, as JSON. */

import { keptCatalog } from './webhook-documents.ts'

/** The cost of compiling, in a separate process. */
export interface Compiling {
  readonly ms: number
  /** the memory that the compiled schemas keep, in bytes */
  readonly heapBytes: number
  /** the growth of the process, garbage included, in bytes */
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
if (catalog.isComplete) console.log(JSON.stringify(compiling)) // keeps the catalog alive until here
