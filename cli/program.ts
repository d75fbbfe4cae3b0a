import { Command, Option } from 'commander'
import { COMMAND_VERBS, type CommandVerb, STOPPING } from '../common/strategy/command-text.ts'
import type { Connect } from './cluster/connection.ts'
import { command, examples, type OutputFlags } from './command.ts'
import type { GetFlags } from './commands/get.ts'
import { CONFIRMED } from './commands/patch.ts'
import type { Session } from './commands/session.ts'
import type { DoctorFlags } from './doctor/doctor.ts'
import { secondsOf, secondsOrZero } from './flags/duration.ts'
import { GOALS, type Goal, goalOf } from './flags/goal.ts'
import { wholeOf } from './flags/numbers.ts'
import { type EnvFlag, envOf, type ImageFlag, imageOf } from './flags/of-container.ts'
import { stepsOf } from './flags/steps.ts'
import { EXIT, type ExitCode } from './process/exit-codes.ts'
import type { Io } from './process/io.ts'
import { misuse } from './process/stop.ts'
import { styleOf } from './render/style.ts'

/** What the commands need. Each loads its own code when it runs, so that help is there at once. */
export interface Program {
  readonly io: Io
  readonly connect: Connect
  /** called with the exit code of the command that has run */
  readonly ended: (code: ExitCode) => void
}

const SUMMARY = 'Watch and steer experiments: forks of a workload beside it, behind the same Service.'

const EXAMPLES = `
Examples:
  kubectl experiment create cart --image registry.example/cart:2.0.0 --steps 10%,1h,50%,pause
  kubectl experiment get -w
  kubectl experiment status cart-2-0-0 --for passed --timeout 2h
  kubectl experiment promote cart-2-0-0

Flags follow the command: kubectl refuses them before it.
"kubectl experiment COMMAND --help" explains a command.`

/** The program with its commands, flags and help. A wrong use throws a CommanderError. */
export function programOf(program: Program): Command {
  const root = new Command('kubectl experiment')
    .description(SUMMARY)
    .usage('COMMAND [NAME] [flags]')
    .addHelpText('after', EXAMPLES)
    .helpCommand('help [COMMAND]', 'explain a command')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ subcommandTerm: (each) => each.name() })
    .configureOutput({ writeOut: program.io.out, writeErr: () => undefined })
    .exitOverride()
  for (const add of [addGet, addStatus, addAnalysis, addCreate, addRunCommands, addExtend, addOthers])
    add(root, program)
  return root
}

/** Of a flag without a value, the parser would take the next word for its value. */
const TEMPLATES_FLAG = '--analysis-templates'

/** The words that the parser understands for some that kubectl has: `--watch=false`, `--analysis=http`. */
export const parsed = (word: string): string => PARSED.get(word) ?? word.replace(/^--analysis=/, `${TEMPLATES_FLAG}=`)

const PARSED: ReadonlyMap<string, string> = new Map([
  ['--watch=false', '--no-watch'],
  ['--watch=true', '--watch'],
])

/** Whether the command in `words` changes something in the cluster. Flags follow a command. */
export const writes = ([command = '']: readonly string[]): boolean => WRITERS.has(command)

const WRITERS: ReadonlySet<string> = new Set([...COMMAND_VERBS, 'create', 'extend'])

const styleFor = ({ io }: Pick<Program, 'io'>, { color, ascii = false }: OutputFlags) =>
  styleOf({ color, ascii, isTerminal: io.terminal !== undefined }, io.vars)

/** Runs `work` with the session that the flags of `from` mean, and tells how it ended. */
async function run({ io, connect, ended }: Program, flags: OutputFlags, work: (session: Session) => Promise<ExitCode>) {
  const style = styleFor({ io }, flags)
  const connection = await connect(flags)
  try {
    ended(await work({ ...connection, io, style }))
  } finally {
    await connection.client.close()
  }
}

function addGet(root: Command, program: Program): void {
  command(root, ['get', '[NAME]'], 'list experiments, or show one with its fork, its pods and its analysis')
    .argument('[NAME]')
    .option('-A, --all-namespaces', 'list those of all namespaces')
    .option('-l, --selector <labels>', 'list those with these labels, such as team=shop')
    .option('-w, --watch', 'show each change, until Ctrl-C')
    .addOption(new Option('--no-watch').hideHelp())
    .addOption(new Option('-o, --output <form>', 'the form of the output').choices(['wide', 'json', 'yaml', 'name']))
    .option('--no-headers', 'print no line with titles')
    .option('--show-values', 'show the values of all changes; they may be secret')
    .addHelpText('after', examples('get', 'get -A -o wide', 'get faster-cart -w', 'get faster-cart -o json'))
    .action(async (name: string | undefined, flags: OutputFlags & GetFlags) => {
      if (name !== undefined && flags.allNamespaces)
        throw misuse('--all-namespaces', 'one experiment is in one namespace', 'Leave out -A, or the name.')
      if (name !== undefined && flags.selector !== undefined)
        throw misuse(`--selector ${flags.selector}`, 'one experiment needs no labels', 'Leave out -l, or the name.')
      const { details, list } = await import('./commands/get.ts')
      await run(program, flags, (session) =>
        name === undefined ? list(session, flags) : details(session, name, flags),
      )
    })
}

function addStatus(root: Command, program: Program): void {
  command(root, ['status', 'NAME'], 'wait until an experiment has reached a goal, and print a line for each change')
    .argument('<NAME>')
    .addOption(
      new Option('--for <goal>', `what to wait for: ${GOALS.join(', ')}`)
        .argParser(goalOf)
        .default({ is: 'ready' } satisfies Goal, 'ready'),
    )
    .option(
      '--timeout <duration>',
      'how long to wait, such as 10m; 0: without end',
      (value) => secondsOrZero('--timeout', value),
      0,
    )
    .option('-w, --watch', 'wait; with --watch=false the present state is judged once', true)
    .addOption(new Option('--no-watch').hideHelp())
    .addHelpText(
      'after',
      examples('status faster-cart', 'status faster-cart --for passed --timeout 2h', 'status faster-cart --for step=2'),
    )
    .addHelpText(
      'after',
      '\nIt ends with 0 at the goal, 4 if the experiment failed, 5 if the goal is out of reach, 124 if the time is over.',
    )
    .action(async (name: string, flags: OutputFlags & { for: Goal; timeout: number; watch: boolean }) => {
      const { status } = await import('./commands/status.ts')
      const { for: goal, timeout: timeoutSeconds, watch } = flags
      await run(program, flags, (session) => status(session, name, { goal, timeoutSeconds, watch }))
    })
}

function addAnalysis(root: Command, program: Program): void {
  command(root, ['analysis', 'NAME'], 'show the evidence of an analysis, metric by metric')
    .argument('<NAME>')
    .addOption(new Option('-o, --output <form>', 'the form of the output').choices(['json', 'yaml']))
    .addHelpText('after', examples('analysis faster-cart', 'analysis faster-cart -o json'))
    .action(async (name: string, flags: OutputFlags & { output?: 'json' | 'yaml' }) => {
      const { analysis } = await import('./commands/analysis.ts')
      await run(program, flags, (session) => analysis(session, name, flags.output))
    })
}

interface CreateOptions extends OutputFlags {
  readonly image?: readonly ImageFlag[]
  readonly env?: readonly EnvFlag[]
  readonly replicas?: number
  readonly ttl?: number
  readonly steps?: ReturnType<typeof stepsOf>
  readonly analysis?: true
  readonly analysisTemplates?: string
  readonly name?: string
  readonly dryRun?: 'client' | 'server'
  readonly output?: 'yaml' | 'json' | 'name'
}

function addCreate(root: Command, program: Program): void {
  command(root, ['create', '[KIND/]SOURCE'], 'create an experiment on a workload')
    .argument('<SOURCE>', 'a Deployment, or statefulset/NAME, rollout/NAME')
    .option(
      '--image <[container=]image>',
      'another image; may be repeated',
      (value, before: readonly ImageFlag[] = []) => [...before, imageOf(value)],
    )
    .option(
      '--env <[container:]key=value>',
      'another variable; may be repeated',
      (value, before: readonly EnvFlag[] = []) => [...before, envOf(value)],
    )
    .option('--replicas <number>', 'how many pods; default: 1, or what the steps say', (value) =>
      wholeOf('--replicas', value, 0),
    )
    .option('--ttl <duration>', 'when the experiment ends, such as 2h; default: never', (value) =>
      secondsOf('--ttl', value),
    )
    .option('--steps <list>', 'weights and pauses, such as 10%,1h,50%,pause', stepsOf)
    .option(
      '--analysis',
      'compare the fork with its source: about restarts, or with --analysis=NAME[,NAME] by templates',
    )
    .addOption(new Option(`${TEMPLATES_FLAG} <names>`).hideHelp())
    .option('--name <name>', 'the name of the experiment; default: that of the source and the tag of the image')
    .addOption(
      new Option('--dry-run <where>', 'create nothing: print the manifest, or ask the API server').choices([
        'client',
        'server',
      ]),
    )
    .addOption(new Option('-o, --output <form>', 'the form of the output').choices(['yaml', 'json', 'name']))
    .addHelpText(
      'after',
      examples(
        'create cart --image registry.example/cart:2.0.0',
        'create statefulset/db --image db=registry.example/db:17 --env db:LOG=debug --ttl 2h',
        'create cart --image registry.example/cart:2.0.0 --steps 10%,1h,50%,pause --analysis=http',
        'create cart --env FLAG=on --dry-run=client -o yaml',
      ),
    )
    .addHelpText(
      'after',
      '\nAfter the steps the run waits for "promote". What else an experiment can have is written in a manifest.',
    )
    .action(async (source: string, flags: CreateOptions) => {
      const { create, sourceOf } = await import('./commands/create.ts')
      const {
        image: images = [],
        env = [],
        ttl: ttlSeconds,
        analysis,
        analysisTemplates,
        replicas,
        steps,
        name,
        dryRun,
        output,
      } = flags
      const templates = analysisTemplates?.split(',') ?? (analysis ? [] : undefined)
      if (templates?.includes(''))
        throw misuse(`--analysis=${analysisTemplates}`, 'an empty name', 'Write --analysis=NAME[,NAME].')
      const argument = sourceOf(source)
      await run(program, flags, (session) =>
        create(session, argument, {
          ...{ images, env },
          ...(replicas === undefined ? {} : { replicas }),
          ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
          ...(steps === undefined ? {} : { steps }),
          ...(templates === undefined ? {} : { analysis: templates }),
          ...(name === undefined ? {} : { name }),
          ...(dryRun === undefined ? {} : { dryRun }),
          ...(output === undefined ? {} : { output }),
        }),
      )
    })
}

const VERB_TEXTS: Readonly<Record<CommandVerb, string>> = {
  pause: 'hold a run where it is',
  resume: 'let a run that is paused go on',
  promote: 'give the change to the source',
  abort: 'end a run, and take the pods of the fork',
  undo: 'take a promotion back',
  retry: 'begin a run again that was aborted',
}

function addRunCommands(root: Command, program: Program): void {
  for (const verb of COMMAND_VERBS) {
    const added = command(root, [verb, 'NAME'], VERB_TEXTS[verb]).argument('<NAME>')
    if (CONFIRMED.includes(verb)) added.option('-y, --yes', 'do not ask')
    if (!STOPPING.includes(verb))
      added.option('--revision <digits>', 'only for the run with this revision, of at least ten digits')
    added
      .addHelpText(
        'after',
        examples(
          `${verb} faster-cart`,
          ...(CONFIRMED.includes(verb) ? [`${verb} faster-cart --yes --revision 1f2e3d4c5b`] : []),
        ),
      )
      .action(async (name: string, flags: OutputFlags & { yes?: boolean; revision?: string }) => {
        const { giveCommand } = await import('./commands/run-command.ts')
        await run(program, flags, (session) => giveCommand(session, verb, { ...flags, name }))
      })
  }
}

function addExtend(root: Command, program: Program): void {
  command(root, ['extend', 'NAME DURATION'], 'let an experiment end so long from now')
    .argument('<NAME>')
    .argument('<DURATION>', 'such as 2h', (value: string) => secondsOf('DURATION', value))
    .addHelpText('after', examples('extend faster-cart 2h'))
    .action(async (name: string, seconds: number, flags: OutputFlags) => {
      const { extend } = await import('./commands/extend.ts')
      await run(program, flags, (session) => extend(session, { name, seconds }))
    })
}

const OF_PROGRAMS = 'the namespace of webhook and controller; default: as the webhook configuration says'

function addOthers(root: Command, program: Program): void {
  const { io, ended } = program
  command(root, ['version', ''], 'print the versions of this program, the webhook and the controller').action(
    async (flags: OutputFlags) => {
      const { version } = await import('./commands/version.ts')
      program.ended(
        await version({ io: program.io, style: styleFor(program, flags), connect: () => program.connect(flags) }),
      )
    },
  )
  command(root, ['doctor', '', OF_PROGRAMS], 'look whether the product is installed as it should be')
    .option('--wait <duration>', 'repeat it so long, until nothing is bad', (value) => secondsOf('--wait', value), 0)
    .addOption(new Option('-o, --output <form>', 'the form of the output').choices(['json']))
    .addHelpText('after', examples('doctor', 'doctor -n experiment-controller-system --wait 2m'))
    .action(async (flags: OutputFlags & DoctorFlags) => {
      const { doctor } = await import('./doctor/doctor.ts')
      await run(program, flags, (session) => doctor(session, flags))
    })
  root
    .command('completion')
    .description('print the program that completes words; save it as kubectl_complete-experiment')
    .helpOption('-h, --help', 'show this help')
    .addHelpText(
      'after',
      '\nExamples:\n  kubectl experiment completion > ~/bin/kubectl_complete-experiment && chmod +x ~/bin/kubectl_complete-experiment',
    )
    .action(async () => {
      const { COMPLETION_SCRIPT } = await import('./commands/completion.ts')
      io.out(COMPLETION_SCRIPT)
      ended(EXIT.done)
    })
}
