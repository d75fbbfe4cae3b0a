import { join } from 'node:path'
import type { Program } from './binaries.ts'
import { cacheOf } from './go.ts'
import { mayUse } from './needs.ts'
import { MODULES } from './pins.ts'

const tool = (name: string, module: Program['module'], path: string): Program => ({
  name,
  module,
  args: (_name, output) => ['build', '-trimpath', '-ldflags=-s -w', '-o', output, path],
})

/** The programs beside the control plane that tests use, each from a Go module of its own. */
export const GO_TOOLS = {
  /** tests rules with the engine of Prometheus */
  promtool: tool('promtool', MODULES.prometheus, 'github.com/prometheus/prometheus/cmd/promtool'),
  helm: tool('helm', MODULES.helm, 'helm.sh/helm/v4/cmd/helm'),
  /** runs a script in the Lua of Argo CD */
  glua: tool('glua', MODULES.lua, 'github.com/yuin/gopher-lua/cmd/glua'),
} as const

/** The name of such a program. */
export type GoTool = keyof typeof GO_TOOLS

/** Whether `name` is one of them. */
export const isGoTool = (name: string): name is GoTool => Object.hasOwn(GO_TOOLS, name)

/** The path of a program. `prepare` builds it. @throws Error if tests run that have not declared it */
export async function goTool(name: GoTool): Promise<string> {
  mayUse(name)
  return join(await cacheOf(GO_TOOLS[name].module), 'bin', name)
}
