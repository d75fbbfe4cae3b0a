import { EXIT, type ExitCode } from './exit-codes.ts'

interface StopOptions extends ErrorOptions {
  /** what else the API server said, line by line */
  readonly causes?: readonly string[]
}

/** Ends a command: what is wrong in one line, then each cause, then what to do. */
export class Stop extends Error {
  override readonly name = 'Stop'
  readonly exitCode: ExitCode
  readonly remedy: string
  readonly causes: readonly string[]

  /** @param remedy what to do, as a sentence or a command */
  constructor(exitCode: ExitCode, message: string, remedy: string, { causes = [], ...options }: StopOptions = {}) {
    super(message, options)
    this.exitCode = exitCode
    this.remedy = remedy
    this.causes = causes
  }
}

/** The end of a command that is used in a wrong way: `where` is the flag or argument with its value. */
export const misuse = (where: string, message: string, remedy: string): Stop =>
  new Stop(EXIT.usage, `${where}: ${message}`, remedy)
