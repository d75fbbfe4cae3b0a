/** The commands of a page in docs/, and the output that the page shows. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A command of a page. */
export interface Step {
  readonly command: string
  /** lines of the output, among others; `…` stands for any text */
  readonly says: readonly string[]
  /** whether the page shows a refusal */
  readonly isRefused: boolean
}

/** A page of the documentation. */
export class Page {
  readonly text: string

  constructor(file: string) {
    this.text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8')
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
        isRefused: says.some((line) => /is invalid|^Error/.test(line)),
      }))
  }

  /** Commands in the middle of a sentence. */
  inline(): readonly string[] {
    return [...this.text.matchAll(/`(kubectl [^`]+)`/g)].map(([, command = '']) => command.replaceAll('\n', ' '))
  }

  /** Writes the code blocks that begin with a file name into `folder`, changed by `adapted`. */
  async writeFiles(folder: string, adapted = (block: string) => block): Promise<void> {
    for (const block of this.blocks('yaml')) {
      const [, name] = /^# (\S+\.yaml)\n/.exec(block) ?? []
      if (name !== undefined) await writeFile(join(folder, name), adapted(block))
    }
  }

  /** The languages of its code blocks. A test checks that there is no other, because it would not be run. */
  languages(): readonly string[] {
    return [...this.text.matchAll(/^```(\w+)$/gm)].map(([, language = '']) => language)
  }
}

/** The words of a command, as a shell splits them. */
export const wordsOf = (command: string): readonly string[] =>
  (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))

/** The pattern that a line of a page stands for. `…` also stands for the spaces between columns. */
export const patternOf = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
    'm',
  )
