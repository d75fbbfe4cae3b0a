import { type BinaryName, type Build, goBuildArgs } from './binaries.ts'
import { GO_ENV } from './go.ts'
import { MODULE_FOLDER, readPins } from './pins.ts'
import type { Supervisor } from './processes.ts'

/**
 * Builds with the installed Go, under the supervisor and with its temporary files in the supervisor's directory: a
 * build takes minutes, and whoever is killed meanwhile must not leave a compiler running.
 */
export const goBuild =
  (supervisor: Supervisor, signal: AbortSignal): Build =>
  async (name, output) => {
    signal.throwIfAborted()
    const go = await supervisor.start({
      name: `go-build-${name}`,
      command: 'go',
      args: goBuildArgs(name as BinaryName, output, readPins()),
      env: { ...GO_ENV, GOTMPDIR: supervisor.stateDirectory },
      cwd: MODULE_FOLDER,
    })
    const giveUp = () => void go.stop('SIGKILL')
    signal.addEventListener('abort', giveUp, { once: true })
    const { code, lastLines } = await go.exited
    signal.removeEventListener('abort', giveUp)
    signal.throwIfAborted()
    if (code !== 0)
      throw new Error(`building ${name} failed (\`go build\` ended with code ${code}); its last lines:\n${lastLines}`)
  }
