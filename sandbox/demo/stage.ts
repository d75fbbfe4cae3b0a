import { COMMAND } from '../../common/api/names.ts'
import type { ControlPlane } from '../control-plane.ts'
import { eventually } from '../eventually.ts'

/** The namespace of the demo. */
export const NAMESPACE = 'shop'

/** What a step of the demo can do: show a command with its real output, and check the output. */
export interface Stage {
  readonly plane: ControlPlane
  /** Prints a line of explanation. */
  readonly explain: (line: string) => void
  /** Prints `$ kubectl …` and its output. @throws Error if it fails */
  readonly kubectl: (args: string, input?: string) => Promise<string>
  /** As `kubectl`, for a command that must fail. @throws Error if it succeeds, or its output lacks one of `says` */
  readonly refused: (args: string, input: string, says: readonly string[]) => Promise<void>
  /** Runs a command silently until its output is `wanted`. @throws Error with both after `deadlineMs` */
  readonly awaits: (args: string, wanted: string | RegExp, deadlineMs?: number) => Promise<void>
}

/** A step of the demo: its title, and what it does. */
export interface Step {
  readonly title: string
  readonly play: (stage: Stage) => Promise<void>
}

/** Commands to the run of the experiment `name`, and waits for its steps. */
export const runOf = (name: string) => ({
  say: ({ kubectl }: Stage, word: string) => kubectl(`annotate --overwrite expd/${name} ${COMMAND}=${word}`),
  /** Waits until it is at a step, such as `1/7 Paused`. */
  isAt: ({ awaits }: Stage, step: string) =>
    awaits(`get expd ${name} -o 'jsonpath={.status.strategy.step}'`, step, 60_000),
})

interface StageOptions {
  readonly plane: ControlPlane
  readonly print: (line: string) => void
  readonly isColoured: boolean
}

/** A stage that prints with `print`. `args` are split at spaces, except in single quotes. */
export function stageOf({ plane, print, isColoured }: StageOptions): Stage {
  const style = (code: number, text: string) => (isColoured ? `\x1b[${code}m${text}\x1b[0m` : text)
  const run = (args: string, input?: string) =>
    plane.kubectl(wordsOf(`-n ${NAMESPACE} ${args}`), input === undefined ? {} : { input })

  async function shown(args: string, input?: string) {
    print(style(1, `\n$ kubectl -n ${NAMESPACE} ${args}${input === undefined ? '' : " <<'EOF'"}`))
    if (input !== undefined) print(`${input.trimEnd()}\nEOF`)
    const { code, stdout, stderr } = await run(args, input)
    for (const text of [stderr, stdout]) if (text.trim()) print(text.trimEnd())
    return { code, stdout, stderr }
  }

  return {
    plane,
    explain: (line) => print(style(36, `\n# ${line}`)),
    async kubectl(args, input) {
      const { code, stdout, stderr } = await shown(args, input)
      if (code !== 0) throw new Error(`kubectl ${args} failed with ${code}: ${stderr.trim()}`)
      return `${stderr}${stdout}`
    },
    async refused(args, input, says) {
      const { code, stdout, stderr } = await shown(args, input)
      if (code === 0) throw new Error(`kubectl ${args} succeeded, but should have been refused`)
      const missing = says.filter((words) => !`${stdout}${stderr}`.includes(words))
      if (missing.length > 0) throw new Error(`the refusal does not say: ${missing.join(' / ')}`)
    },
    async awaits(args, wanted, deadlineMs = 30_000) {
      await eventually(`kubectl ${args} to say ${wanted}`, deadlineMs, async () => {
        const { stdout, stderr } = await run(args)
        const found = `${stdout}${stderr}`.trim()
        if (typeof wanted === 'string' ? found !== wanted : !wanted.test(found)) throw new Error(found)
      })
    },
  }
}

/** `a 'b c' d` → a, b c, d */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
