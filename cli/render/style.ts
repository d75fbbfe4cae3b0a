import type { Vars } from '../../common/program/env.ts'
import type { State } from '../../common/view/experiment-view.ts'

/** How something is marked: as a state, or as a step, a pod or a verdict that is like one. */
export type Mark = State

/** Which characters may be printed. */
export interface Style {
  readonly hasColour: boolean
  /** only ASCII */
  readonly isPlain: boolean
}

/** When colour is printed. */
export const COLOURS = ['auto', 'always', 'never'] as const

interface Asked {
  readonly color: (typeof COLOURS)[number]
  readonly ascii: boolean
  /** whether standard output is a terminal that can be painted */
  readonly isTerminal: boolean
}

/** What may be printed, by the flags, then `FORCE_COLOR`, `NO_COLOR` and the locale. */
export function styleOf({ color, ascii, isTerminal }: Asked, vars: Vars): Style {
  return {
    hasColour: color === 'auto' ? hasColour(vars, isTerminal) : color === 'always',
    isPlain: ascii || !isUtf8(vars),
  }
}

function hasColour({ FORCE_COLOR: forced, NO_COLOR: refused }: Vars, isTerminal: boolean): boolean {
  if (forced) return forced !== '0' && forced !== 'false'
  return isTerminal && !refused
}

/** Of the variables that say the locale, the first that is not empty counts. */
const isUtf8 = ({ LC_ALL, LC_CTYPE, LANG }: Vars): boolean => /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '')

const RED = 31
const GREEN = 32
const YELLOW = 33
const CYAN = 36
const GREY = 90

const MARKS: Readonly<Record<Mark, readonly [character: string, plain: string, colour: number]>> = {
  Terminating: ['…', '.', GREY],
  Ended: ['○', '-', GREY],
  Failed: ['✖', 'X', RED],
  Stalled: ['!', '!', RED],
  Paused: ['‖', '=', YELLOW],
  Progressing: ['◌', '~', CYAN],
  Idle: ['·', '0', GREY],
  Running: ['✔', '+', GREEN],
}

/** The mark as it is printed: one column wide. */
export function markOf(mark: Mark, { hasColour, isPlain }: Style): string {
  const [character, plain, colour] = MARKS[mark]
  const shown = isPlain ? plain : character
  return hasColour ? `\u001b[${colour}m${shown}\u001b[39m` : shown
}
