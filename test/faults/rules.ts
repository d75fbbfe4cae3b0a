/** Which calls and which events a fault concerns, and when. Several faults at once, each where it belongs. */
import { isEqual } from '../../common/json/json.ts'
import { diceOf } from '../fuzz/admission/dice.ts'
import type { ApiCall, Interference } from './api-call.ts'

/** Asked once for each call that matches, in their order. */
export type When = (call: ApiCall) => boolean

/** Calls of which all these fields have these values. */
export type Match = Partial<Omit<ApiCall, 'query'>>

export interface Rule extends Interference {
  readonly of: Match
  /** default: always */
  readonly when?: When
}

/** The calls from the `from`-th on, to the `to`-th. They are counted from 1. */
export function between(from: number, to: number): When {
  let count = 0
  return () => {
    count += 1
    return from <= count && count <= to
  }
}

/** A part of the calls, the same for the same seed. */
export function sometimes(percent: number, seed: number): When {
  const dice = diceOf(seed)
  return () => dice.percent(percent)
}

/** Those of the calls of `all` that `some` picks. It counts only these. */
export const among =
  (all: When, some: When): When =>
  (call) =>
    all(call) && some(call)

/** What an event on an object is about. */
export interface Event {
  readonly type: string
  /** `namespace/name` */
  readonly key: string
}

/** The event in a line of a watch. */
export function eventOf(line: string): Event {
  const { type, object } = JSON.parse(line)
  return { type, key: `${object?.metadata?.namespace}/${object?.metadata?.name}` }
}

/** A rule that waits for an event on its way to the caller, and the calls and lines before and after it. */
export function around(of: Match, event: Event): { readonly rule: Rule; readonly before: When; readonly after: When } {
  let hasPassed = false
  const onLine: Interference['onLine'] = (_, line) => {
    if (isEqual(eventOf(line), event)) hasPassed = true
    return undefined
  }
  return { rule: { of: { ...of, isWatch: true }, onLine }, before: () => !hasPassed, after: () => hasPassed }
}

/** Lines of a watch, kept back. */
export interface Freeze {
  readonly rule: Rule
  /** Resolves when a line waits. */
  readonly holds: Promise<void>
  readonly release: () => void
}

/** Keeps back all lines of the watches that match, until it is released. The connections stay open. */
export function freeze(of: Match, when?: When): Freeze {
  const [holding, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const onLine: Interference['onLine'] = async () => {
    holding.resolve()
    await released.promise
    return undefined
  }
  const rule = { of: { ...of, isWatch: true }, onLine, ...(when ? { when } : {}) }
  return { rule, holds: holding.promise, release: released.resolve }
}

/** The rules in force. The first one that decides about a call or a line does; the others are asked nevertheless. */
export class Rules {
  readonly #rules = new Set<Rule>()

  /** Returns a function that ends the rule. */
  add(rule: Rule): () => void {
    this.#rules.add(rule)
    return () => void this.#rules.delete(rule)
  }

  /** What a proxy does under these rules, also under those that come and go later. */
  readonly interference: Required<Pick<Interference, 'onCall' | 'onAnswer' | 'onLine' | 'onWatch'>> = {
    onCall: (call) => this.#first('onCall', call, (rule) => rule.onCall?.(call)),
    onAnswer: (call, answer) => this.#first('onAnswer', call, (rule) => rule.onAnswer?.(call, answer)),
    onLine: (call, line) => this.#first('onLine', call, (rule) => rule.onLine?.(call, line)),
    onWatch: (call, watch) => {
      for (const rule of this.#of('onWatch', call)) rule.onWatch?.(call, watch)
    },
  }

  async #first<T>(
    hook: keyof Interference,
    call: ApiCall,
    ask: (rule: Rule) => T | undefined | Promise<T | undefined>,
  ): Promise<T | undefined> {
    let first: T | undefined
    for (const answer of this.#of(hook, call).map(ask)) first ??= await answer
    return first
  }

  /** The rules with this hook for this call. */
  #of(hook: keyof Interference, call: ApiCall): readonly Rule[] {
    return [...this.#rules].filter((rule) => rule[hook] && matches(call, rule.of) && (rule.when?.(call) ?? true))
  }
}

const matches = (call: ApiCall, of: Match): boolean =>
  (Object.keys(of) as (keyof Match)[]).every((field) => call[field] === of[field])
