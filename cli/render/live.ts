import { createLogUpdate } from 'log-update'
import type { Timers } from '../../common/program/clock.ts'
import type { Terminal } from '../process/io.ts'
import { fitted } from './cut.ts'
import type { Style } from './style.ts'

/** At most four frames a second: more can nobody read, and each costs the terminal a repaint. */
const FRAME_MS = 250
/** How often a frame is painted again whose times run. */
const TICK_MS = 1_000

/** A place on a terminal that is painted again and again. */
export interface Live {
  /** Shows `frame`, which is asked for its lines at each painting. */
  show(frame: Frame): void
  /** Paints the last frame once more, and leaves it there, with the cursor below. */
  end(): void
}

/** The lines of a frame now, on so many columns. */
export type Frame = (width: number) => readonly string[]

interface LiveOptions {
  readonly terminal: Terminal
  readonly timers: Timers
  readonly style: Style
}

/** Paints on `terminal` in place. What is too high is cut at its end. */
export function live({ terminal, timers, style }: LiveOptions): Live {
  // it would hide the cursor of standard error, and leave it hidden where the process is killed
  const log = createLogUpdate(terminal, { showCursor: true })
  let frame: Frame = () => []
  let paintedAt = Number.NEGATIVE_INFINITY
  let cancel = () => {}
  const paint = () => {
    cancel()
    paintedAt = timers.now()
    const { columns, rows } = terminal
    log(fitted(frame(columns), { columns, rows }, style).join('\n'))
    cancel = timers.after(TICK_MS, paint)
  }
  return {
    show: (next) => {
      frame = next
      cancel()
      cancel = timers.after(Math.max(0, paintedAt + FRAME_MS - timers.now()), paint)
    },
    end: () => {
      paint()
      cancel()
      log.done()
    },
  }
}
