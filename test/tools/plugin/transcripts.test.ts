import { expect } from 'chai'
import { EXIT } from '../../../cli/process/exit-codes.ts'
import { COMMAND_VERBS } from '../../../common/strategy/command-text.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { Page, type Step, wordsOf } from '../../integration/document.ts'
import { DEADLINE_MS } from '../../integration/product.ts'
import { type Account, usesPlugin } from './plugin.ts'
import { ACCOUNTS, usesScenes } from './scenes.ts'

const transcript = (name: string) => new Page(`../test/tools/plugin/transcripts/${name}.md`)
/** What each account sees. `edit` comes last: it changes what the others look at. */
const TRANSCRIPTS: readonly (readonly [file: string, Account])[] = [
  ['experiments-only', ACCOUNTS.carol],
  ['view', ACCOUNTS.bob],
  ['terminal', ACCOUNTS.alice],
  ['edit', ACCOUNTS.alice],
  ['admin', ACCOUNTS.admin],
]
const COMMANDS = ['get', 'status', 'analysis', 'create', ...COMMAND_VERBS, 'extend', 'version', 'completion']

/** `output` with how the command ended, if that is not 0. */
const endedWith = (output: string, code: number): string =>
  code === 0 ? output : `${output.trimEnd()}\n[exit code ${code}]\n`

/** What is on a terminal, for people. */
const visible = (output: string): string => output.replaceAll('\r\n', '\n').replaceAll('\u001b', '␛')

/** They take four minutes, and are for whoever changes what is printed: `WHOLE=1` runs them. */
const whole = process.env.WHOLE === undefined ? () => undefined : describe

whole('what the plugin prints, on the real control plane', () => {
  usesScenes()
  const plugin = usesPlugin()

  /** Without a terminal, both streams in the order in which they are written. */
  const piped = async ({ command }: Step, as: Account): Promise<string> => {
    const { code, stdout } = await plugin().shell(`${command} 2>&1`, { as })
    return endedWith(stdout, code)
  }
  const onTerminal = async ({ command }: Step, as: Account): Promise<string> => {
    const input = command.includes(' promote ') ? 'n\n' : '' // to the question
    const { code, stdout } = await plugin().onTerminal(wordsOf(command).slice(1), { as, input })
    return endedWith(visible(stdout), code)
  }

  for (const [name, as] of TRANSCRIPTS) {
    const page = transcript(name)
    for (const step of page.steps())
      it(`is as ${name}.md shows it: ${step.command}`, async function () {
        this.timeout(2 * DEADLINE_MS)
        const once = async () => page.expectOutput(step, await (name === 'terminal' ? onTerminal : piped)(step, as))
        // what is read changes for a moment after a command; and within a minute the status names the pod that fails
        await (/^kubectl experiment get|--watch=false/.test(step.command)
          ? eventually('it', DEADLINE_MS, once)
          : once())
      })
  }

  it('is shown for every command and every exit code', () => {
    const shown = TRANSCRIPTS.map(([name]) => transcript(name))
    const words = shown.flatMap((page) => page.steps().map(({ command }) => command.split(' ')))
    expect(words.map((each) => each[each.indexOf('experiment') + 1])).to.include.members(COMMANDS)
    const codes = shown.flatMap(({ text }) =>
      [...text.matchAll(/^\[exit code (\d+)\]$/gm)].map(([, code]) => Number(code)),
    )
    expect(new Set([0, ...codes])).to.deep.equal(new Set(Object.values(EXIT)))
  })
})
