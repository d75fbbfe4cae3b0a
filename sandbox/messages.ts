/** A long-running command for the supervisor to start. */
export interface ProcessSpec {
  /** Used in messages and as the name of the log. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The complete environment. Nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** Standard output and standard error are appended to it. Default: `logs/NAME.log` in the state directory. */
  readonly logFile?: string
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
  /** False if the supervisor did not stop it: it crashed, or another process killed it. */
  readonly isAsked: boolean
  /** The last lines of its log. */
  readonly lastLines: string
}

/** A message of the parent to the supervisor. */
export type Order =
  | { readonly do: 'start'; readonly id: number; readonly spec: ProcessSpec }
  | { readonly do: 'stop'; readonly id: number; readonly signal: NodeJS.Signals; readonly graceMs: number }
  | { readonly do: 'end' }

/** A message of the supervisor to its parent. */
export type Report =
  | { readonly is: 'ready'; readonly stateDirectory: string }
  | { readonly is: 'started'; readonly id: number; readonly pid: number }
  | { readonly is: 'refused'; readonly id: number; readonly message: string }
  | { readonly is: 'exited'; readonly id: number; readonly exit: Exit }
