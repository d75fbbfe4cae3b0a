import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const IMPORT = /^(?:import|export)\s+(?:type\s+)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm
const known = new Map<string, readonly string[]>()

/** The imports of `file`: files by their path from the root, packages by their name. */
export function importsOf(file: string): readonly string[] {
  const found =
    known.get(file) ??
    [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, from, bare]) => {
      const target = from ?? bare ?? ''
      return target.startsWith('.') ? join(dirname(file), target) : target
    })
  known.set(file, found)
  return found
}

/** A cycle among `nodes`, such as `a > b > a`; undefined if there is none. */
export function firstCycle(nodes: readonly string[], next: (node: string) => readonly string[]): string | undefined {
  const all = new Set(nodes)
  const done = new Set<string>()
  const visit = (node: string, way: readonly string[]): string | undefined => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node].join(' > ')
    if (done.has(node) || !all.has(node)) return undefined
    for (const each of next(node)) {
      const found = visit(each, [...way, node])
      if (found) return found
    }
    done.add(node)
    return undefined
  }
  return nodes.map((node) => visit(node, [])).find((found) => found !== undefined)
}

/** A function of a file, by the line in which it begins. */
interface FunctionLines {
  readonly line: number
  readonly lines: number
}

/**
 * The functions and methods of a source, outer ones first. It relies on our formatter: the last line of a function has
 * the indentation of its first line.
 */
export function functionsOf(text: string): readonly FunctionLines[] {
  const all = text.split('\n')
  return all.flatMap((line, index) => {
    const isStart =
      /^( *)(?:export )?(?:async )?(?:function\b|#?\w+\(.*\{$|constructor\(|get \w+\(|const \w+.*(?:=>|=) ?[({]?$|const \w+ = .*=> .*[{(]$)/.test(
        line,
      ) && !/^ *(?:if|for|while|switch|return|describe|it)\b/.test(line)
    if (!isStart) return []
    const indent = /^ */.exec(line)?.[0] ?? ''
    const end = all.findIndex(
      (other, at) => at > index && new RegExp(`^${indent}[})\\]]`).test(other) && !/\{$/.test(other),
    )
    return end < 0 ? [] : [{ line: index + 1, lines: end - index + 1 }]
  })
}
