import type { Build, BuildArgs } from './binaries.ts'
import { GO_ENV } from './go.ts'
import type { ModuleFolder } from './pins.ts'
import { type Supervisor, startSupervisor } from './processes.ts'

/** What a build needs. */
interface Workshop {
  readonly supervisor: Supervisor
  /** Aborts the build. */
  readonly signal?: AbortSignal
}

/**
 * Builds with the installed Go. The build takes minutes, so it runs under the supervisor, with its temporary files in
 * the supervisor's directory: if this process is killed, no compiler keeps running.
 */
export const goBuild =
  ({ supervisor, signal }: Workshop, module: ModuleFolder, args: BuildArgs): Build =>
  async (name, output) => {
    signal?.throwIfAborted()
    const go = await supervisor.start({
      name: `go-build-${name}`,
      command: 'go',
      args: args(name, output),
      env: { ...GO_ENV, GOTMPDIR: supervisor.stateDirectory },
      cwd: module,
    })
    const giveUp = () => void go.stop('SIGKILL')
    signal?.addEventListener('abort', giveUp, { once: true })
    const { code, lastLines } = await go.exited
    signal?.removeEventListener('abort', giveUp)
    signal?.throwIfAborted()
    if (code !== 0)
      throw new Error(`building ${name} failed (\`go build\` ended with code ${code}); its last lines:\n${lastLines}`)
  }

/** The same under a supervisor that lives as long as the build. */
export const supervisedBuild =
  (module: ModuleFolder, args: BuildArgs): Build =>
  async (name, output) => {
    const supervisor = await startSupervisor()
    try {
      await goBuild({ supervisor }, module, args)(name, output)
    } finally {
      await supervisor.stop()
    }
  }
