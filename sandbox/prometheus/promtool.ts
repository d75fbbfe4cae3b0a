import { join } from 'node:path'
import type { Program } from '../binaries.ts'
import { cacheOf } from '../go.ts'
import { mayUse } from '../needs.ts'
import { MODULES } from '../pins.ts'

/** Tests rules with the engine of Prometheus. */
export const PROMTOOL: Program = {
  name: 'promtool',
  module: MODULES.prometheus,
  args: (_name, output) => [
    'build',
    '-trimpath',
    '-ldflags=-s -w',
    '-o',
    output,
    'github.com/prometheus/prometheus/cmd/promtool',
  ],
}

/** The path of promtool. `prepare` builds it. */
export async function promtool(): Promise<string> {
  mayUse('promtool')
  return join(await cacheOf(MODULES.prometheus), 'bin', PROMTOOL.name)
}
