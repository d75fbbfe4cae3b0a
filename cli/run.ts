import { CommanderError } from 'commander'
import { text } from '../common/view/text.ts'
import { EXIT, type ExitCode } from './process/exit-codes.ts'
import { explained, linesOf } from './process/explain.ts'
import { Stop } from './process/stop.ts'
import { type Program, parsed, programOf } from './program.ts'

/** What a call of the program is, without the code that tells how it ended. */
export type Call = Omit<Program, 'ended'>

/** Runs the program with the words after its name. Never throws: an error becomes lines and an exit code. */
export async function runProgram(words: readonly string[], { io, connect }: Call): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const ended = (with_: ExitCode) => {
    code = with_
  }
  const program = programOf({ io, connect, ended })
  try {
    if (words.length === 0) io.out(program.helpInformation())
    else await program.parseAsync(words.map(parsed), { from: 'user' })
    return code
  } catch (error) {
    if (io.signal.aborted) return EXIT.interrupted
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done
    const stop =
      error instanceof CommanderError
        ? misused(error, { words, known: program.commands.map((each) => each.name()) })
        : explained(error)
    io.err(linesOf(stop))
    return stop.exitCode
  }
}

interface Used {
  readonly words: readonly string[]
  /** the names of all commands */
  readonly known: readonly string[]
}

/** A message of the parser: `error: unknown option '--wacth'`, and perhaps `(Did you mean --watch?)` below. */
function misused({ code, message }: CommanderError, { words, known }: Used): Stop {
  const [first = '', suggestion = ''] =
    code === NO_HELP ? [`unknown command '${words.at(-1)}'`] : withoutValue(message.replace(/^error: /, '')).split('\n')
  const command = words.find((word) => known.includes(word))
  const see = `See: kubectl experiment ${command === undefined ? '' : `${command} `}--help`
  return new Stop(EXIT.usage, text(first), suggestion === '' ? see : `${suggestion.replace(/^\((.*)\)$/, '$1')} ${see}`)
}

/** The parser was asked to explain a command that there is not. */
const NO_HELP = 'commander.help'

/** A flag that is written wrong may have a value that is secret: `--tokn=…`. */
const withoutValue = (message: string): string => message.replace(/^(unknown option '[^'=]*)=.*'/s, "$1'")
