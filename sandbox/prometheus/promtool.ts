import { join } from 'node:path'
import { type BuildArgs, buildMissing, type Say } from '../binaries.ts'
import { cacheOf } from '../go.ts'
import { goBuild } from '../go-build.ts'
import { MODULES } from '../pins.ts'
import { startSupervisor } from '../processes.ts'

const buildArgs: BuildArgs = (_name, output) => [
  'build',
  '-trimpath',
  '-ldflags=-s -w',
  '-o',
  output,
  'github.com/prometheus/prometheus/cmd/promtool',
]

/**
 * The path of promtool, which tests rules with the engine of Prometheus. Builds it first if needed, which takes
 * minutes, once.
 */
export async function promtool(say: Say): Promise<string> {
  const folder = join(await cacheOf(MODULES.prometheus), 'bin')
  const supervisor = await startSupervisor()
  try {
    await buildMissing(folder, ['promtool'], { build: goBuild({ supervisor }, MODULES.prometheus, buildArgs), say })
  } finally {
    await supervisor.stop()
  }
  return join(folder, 'promtool')
}
