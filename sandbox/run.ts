import { spawn } from 'node:child_process'

/** The result of a command. */
export interface Ran {
  /** The exit code; 128 if a signal ended the command. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Standard input, working directory and environment of a command. */
export interface RunOptions {
  readonly input?: string | undefined
  readonly cwd?: string
  /** The complete environment; by default that of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** the user and group that run it; only root may choose */
  readonly as?: { readonly uid: number; readonly gid: number } | undefined
}

/**
 * Runs a short command until it ends.
 * @throws the system's error if the command cannot be started (`ENOENT`: there is no such program)
 */
export function run(
  command: string,
  args: readonly string[],
  { input = '', cwd, env, as }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...(cwd && { cwd }), ...(env && { env }), ...as, stdio: 'pipe' })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 128, stdout, stderr }))
    child.stdin.on('error', () => undefined) // a command may end before it has read its input; its exit code says why
    child.stdin.end(input)
  })
}
