import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** What the user of a script may write. */
interface CommandLine<Options extends ParseArgsOptionsConfig> {
  /** Without `--help`, which every script has. */
  readonly options?: Options
  readonly allowPositionals?: boolean
}

/** The arguments of a script, and what ends it if they make no sense. */
type Arguments<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
> & {
  /** Prints the mistake and the usage as an error, and ends the process with 2. */
  readonly refuse: (mistake: string) => never
}

/**
 * Reads the arguments of this process. `--help` prints `usage` and ends it with 0. An argument that the script does not
 * have is refused.
 */
export function commandLine<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  { options, allowPositionals = false }: CommandLine<Options> = {},
): Arguments<Options> {
  const refuse = (mistake: string): never => {
    console.error(`${mistake}\n\n${usage}`)
    process.exit(2)
  }
  try {
    const { values, positionals } = parseArgs({
      options: { ...options, help: { type: 'boolean' } },
      allowPositionals,
    })
    if (values.help) {
      console.log(usage)
      process.exit(0)
    }
    return { values, positionals, refuse } as Arguments<Options>
  } catch (error) {
    const [firstSentence = ''] = String((error as Error).message).split('. ')
    return refuse(firstSentence)
  }
}
