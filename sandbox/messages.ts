/** A long-lived command, as the supervisor starts it. */
export interface ProcessSpec {
  /** For messages and the name of the log. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** Takes standard output and standard error, appended. Default: `logs/NAME.log` in the state directory. */
  readonly logFile?: string
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
  /** False when nobody asked for it: it crashed, or someone else ended it. */
  readonly isAsked: boolean
  /** The end of its log. */
  readonly lastLines: string
}

/** What the parent tells the supervisor. */
export type Order =
  | { readonly do: 'start'; readonly id: number; readonly spec: ProcessSpec }
  | { readonly do: 'stop'; readonly id: number; readonly signal: NodeJS.Signals; readonly graceMs: number }
  | { readonly do: 'end' }

/** What the supervisor tells its parent. */
export type Report =
  | { readonly is: 'ready'; readonly stateDirectory: string }
  | { readonly is: 'started'; readonly id: number; readonly pid: number }
  | { readonly is: 'refused'; readonly id: number; readonly message: string }
  | { readonly is: 'exited'; readonly id: number; readonly exit: Exit }
