/** The commands of a page in docs/, and what the page says that they say. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Step {
  readonly command: string
  /** lines that are said, among others; `…` stands for anything */
  readonly says: readonly string[]
  /** whether the page tells of a refusal */
  readonly isRefused: boolean
}

/** A page of the documentation. */
export class Page {
  readonly text: string

  constructor(file: string) {
    this.text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8')
  }

  /** What stands between fences of `language`. */
  blocks(language: string): readonly string[] {
    return [...this.text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block)
  }

  /** Every command of its blocks, in order. */
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

  /** Its blocks that begin with a file name: by that name, in `folder`, as `adapted` to the place. */
  async writeFiles(folder: string, adapted = (block: string) => block): Promise<void> {
    for (const block of this.blocks('yaml')) {
      const [, name] = /^# (\S+\.yaml)\n/.exec(block) ?? []
      if (name !== undefined) await writeFile(join(folder, name), adapted(block))
    }
  }

  /** The languages of its fences. A block of another would be run by nobody. */
  languages(): readonly string[] {
    return [...this.text.matchAll(/^```(\w+)$/gm)].map(([, language = '']) => language)
  }
}

/** The words of a command, as a shell parts them. */
export const wordsOf = (command: string): readonly string[] =>
  (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))

/** What a line of a page stands for. Spaces of a table are as many as its columns want. */
export const patternOf = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
    'm',
  )
