/** The commands of a page in docs/, and the output that the page shows. */
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'

const WRITES = process.env.WRITE_PAGES === '1'

/** A command of a page. */
export interface Step {
  readonly command: string
  /** lines of the output; the last may be `...` */
  readonly says: readonly string[]
  /** whether the page shows a refusal */
  readonly isRefused: boolean
}

/** The pages for admins, in an order in which all of their commands can be run in one cluster. */
export const ADMIN_PAGES = ['install.md', 'secure.md', 'troubleshooting.md', 'operate.md'] as const

/** The pages about strategies. Each begins in an empty namespace. */
export const STRATEGY_PAGES = ['strategies.md', 'blue-green.md', 'sources.md'] as const

/** A page of the documentation, or several that are read one after the other. */
export class Page {
  readonly text: string
  readonly #files: readonly URL[]

  constructor(...files: readonly string[]) {
    this.#files = files.map((file) => new URL(`../../docs/${file}`, import.meta.url))
    this.text = this.#files.map((file) => readFileSync(file, 'utf8')).join('\n')
  }

  /** The code blocks of `language`. */
  blocks(language: string): readonly string[] {
    return [...this.text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block)
  }

  /** Every command of its code blocks, in order. */
  steps(): readonly Step[] {
    return this.blocks('console')
      .flatMap((block) => block.split(/^\$ /m).filter((text) => text.trim() !== ''))
      .map((text) => text.trimEnd().split('\n'))
      .map(([command = '', ...says]) => ({
        command,
        says,
        isRefused: says.some((line) => /is invalid|^error/i.test(line)),
      }))
  }

  /**
   * Asserts that `output` is what the page shows. A last line `...` on the page stands for all further lines. What
   * `kubectl rollout status` waits for is not shown, nor what kubectl logs by itself. With WRITE_PAGES=1 it writes the
   * output into the page instead, as after a change of messages.
   */
  expectOutput({ command, says }: Step, output: string): void {
    const shown = linesOf(says.join('\n'))
    const isCut = shown.at(-1) === '...'
    const expected = isCut ? shown.slice(0, -1) : shown
    const said = withoutProgress(command, linesOf(output))
    const lines = isCut ? said.slice(0, expected.length) : said
    if (WRITES && !isDeepStrictEqual(lines, expected)) this.#correct({ command, says, output })
    else expect(lines, output).to.deep.equal(expected)
  }

  #correct({ command, says, output }: Pick<Step, 'command' | 'says'> & { readonly output: string }): void {
    const real = withoutProgress(
      command,
      output.split('\n').map((line) => line.trimEnd()),
    )
    const step = (lines: readonly string[]) => [`$ ${command}`, ...lines, ''].join('\n')
    const shown = new RegExp(`^${RegExp.escape(step(says))}(?=\\$ |\`\`\`)`, 'm')
    for (const file of this.#files) {
      const text = readFileSync(file, 'utf8')
      const corrected = text.replace(shown, () => step(real.join('\n').replace(/^\n+/, '').trimEnd().split('\n')))
      if (corrected === text) continue
      writeFileSync(file, corrected)
      return
    }
  }

  /** Commands in the middle of a sentence. */
  inline(): readonly string[] {
    return [...this.text.matchAll(/`(kubectl [^`]+)`/g)].map(([, command = '']) => command.replaceAll('\n', ' '))
  }

  /**
   * Writes the code blocks that begin with a file name into `folder`, changed by `adapted`. They find the manifests of
   * this repository where the page says that they are.
   */
  async writeFiles(folder: string, adapted = (block: string) => block): Promise<void> {
    for (const block of this.blocks('yaml')) {
      const [, name] = /^# (\S+\.yaml)\n/.exec(block) ?? []
      if (name === undefined) continue
      const file = join(folder, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, adapted(block).replaceAll('../manifests', relative(dirname(file), 'manifests')))
    }
  }

  /** The languages of its code blocks, without pictures. A test checks that there is no other: it runs these. */
  languages(): readonly string[] {
    const all = [...this.text.matchAll(/^```(\w+)$/gm)].map(([, language = '']) => language)
    return all.filter((language) => language !== 'mermaid')
  }
}

/** A line that kubectl logs by itself. `kubectl wait` may say so that its watch ended when the condition was met. */
const LOGGED = /^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\.go:\d+\] /

/** The lines of an output without those that only tell what the command waits for: that depends on the moment. */
const withoutProgress = (command: string, lines: readonly string[]): readonly string[] =>
  lines.filter((line, index) => {
    if (command.startsWith('kubectl rollout status') && line.startsWith('Waiting for ')) return false
    const isPassed =
      command.startsWith('kubectl experiment status') &&
      CHANGE.test(line) &&
      lines.slice(index + 1).some((later) => CHANGE.test(later))
    return !isPassed && !LOGGED.test(line)
  })

/** A change that `kubectl experiment status` prints. Only the last one is where it stays. */
const CHANGE = /^(?:TIME|\d{4}-\S+Z) [a-z0-9-]+\/\S+ [A-Z]/

/** The words of a command, as a shell splits them. */
export const wordsOf = (command: string): readonly string[] =>
  (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))

/** What differs in each run, in an output: ids, times, looks so far, and so the widths of columns. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/-experiment-[\da-f]{10}-[\da-z]{6,10}-[\da-z]{5}\b/g, '-experiment-ID-POD'],
  [/-experiment-[\da-f]{10}(-[\da-z]{6,10})?\b/g, '-experiment-ID'],
  [/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'UID'],
  [/\bresourceVersion: "\d+"/g, 'resourceVersion: VERSION'],
  [/\bnode-\d\b/g, 'NODE'],
  [/\b\d+ looks, \d+ requests\b/g, 'LOOKS'],
  [/\b\d+ beside \d+\b/g, 'SAMPLES'],
  [/\b(waiting for the first window|health harm 1 of 40)$/, 'NOTHING YET'],
  [/\b[\da-f]{64}\b/g, 'WHOLE'],
  [/\bexperiment-id:[\da-f]{10}\b/g, 'experiment-id:ID'],
  [/\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?)?/g, 'TIME'],
  [/\b(\d+[dhms])+\b/g, 'DURATION'],
  [/\b(Wait +)\d+(?= +\d+ )/g, '$1LOOKS'],
  [/ {2,}/g, '  '],
]

/** The lines of an output, comparable with those of another run. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => MASKS.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), line).trim())
    .filter((line) => line !== '')
