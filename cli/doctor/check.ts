import type { Random } from '../../common/program/clock.ts'
import type { Text } from '../../common/view/text.ts'
import type { Io } from '../process/io.ts'
import type { Cluster } from './cluster.ts'
import type { Expected } from './expected.ts'
import type { Installation } from './installation.ts'

/** What a check may know. */
export interface Facts extends Pick<Io, 'clock' | 'timers' | 'signal'> {
  readonly cluster: Cluster
  readonly installation: Installation
  readonly expected: Expected
  readonly random: Random
}

/** What a check found: `unknown` if the caller may not read it. */
export interface Finding {
  readonly result: 'ok' | 'warn' | 'bad' | 'unknown'
  /** no running time is in it: the same situation gives the same text */
  readonly seen: Text
  /** what to do, as a command or a sentence */
  readonly remedy?: Text
}

/** One question about an installation. */
export interface Check {
  readonly name: string
  /** the names of checks before it in the list: if one of them is bad, this one cannot say anything */
  readonly needs: readonly string[]
  /** Answers it. @throws nothing but bugs */
  readonly look: (facts: Facts) => Promise<Finding>
}

/** As it should be. */
export const ok = (seen: Text): Finding => ({ result: 'ok', seen })
/** It works, but somebody should do something. */
export const warn = (seen: Text, remedy: Text): Finding => ({ result: 'warn', seen, remedy })
/** It does not work. */
export const bad = (seen: Text, remedy: Text): Finding => ({ result: 'bad', seen, remedy })
/** Nobody can say without what could not be read. */
export const notKnown = (seen: Text): Finding => ({ result: 'unknown', seen })
