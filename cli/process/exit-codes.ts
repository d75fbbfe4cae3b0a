/** How the program ends. Scripts depend on these numbers. */
export const EXIT = {
  /** done, or the goal is reached */
  done: 0,
  /** it could not be done: no connection, no such object, or somebody changed it meanwhile */
  failed: 1,
  /** the command is not used as its help says; nothing was sent */
  usage: 2,
  /** the API server answered 403 or 422 */
  refused: 3,
  /** the experiment failed: the verdict Fail, aborted or rolled back */
  experimentFailed: 4,
  /** the goal cannot be reached for another reason */
  outOfReach: 5,
  /** `--timeout` is over */
  timeout: 124,
  /** Ctrl-C */
  interrupted: 130,
} as const

/** One of `EXIT`. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
