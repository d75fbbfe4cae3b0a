/** The doctor as a person runs it, and what its remedies say to do. */
import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { expect } from 'chai'
import type { CheckResult } from '../../../cli/doctor/checks.ts'
import type { ControlPlane } from '../../../sandbox/control-plane.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { type Ran, run } from '../../../sandbox/run.ts'

const DEADLINE_MS = 30_000
/** Which results the doctor gives, by the name of the check. Those that are not named are ok. */
export type Results = Readonly<Record<string, CheckResult['result'] | `needs ${string}`>>

/** Runs `kubectl experiment doctor` with these flags. */
export const doctor = (kubeconfig: string, ...flags: readonly string[]): Promise<Ran> =>
  run(process.execPath, ['cli/main.ts', 'doctor', `--kubeconfig=${kubeconfig}`, ...flags], { env: ENV })

const ENV = { ...process.env, LANG: 'C.UTF-8' }

/** Runs it with `--wait`. Resolves when it has printed its first lines; `ended` resolves when it has ended. */
export async function waiting(kubeconfig: string) {
  const args = ['cli/main.ts', 'doctor', `--kubeconfig=${kubeconfig}`, '--wait=2m']
  const child = spawn(process.execPath, args, { env: ENV, stdio: ['ignore', 'pipe', 'inherit'] })
  let stdout = ''
  const printed = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    printed.resolve()
  })
  const ended = new Promise<{ readonly code: number | null; readonly stdout: string; readonly atMs: number }>(
    (resolve) =>
      child.once('close', (code) => {
        printed.resolve()
        resolve({ code, stdout, atMs: performance.now() })
      }),
  )
  await printed.promise
  return { ended }
}

/** What each check finds, and the exit code. */
export async function asked(kubeconfig: string, ...flags: readonly string[]) {
  const { code, stdout, stderr } = await doctor(kubeconfig, '-o', 'json', ...flags)
  expect(stderr).to.equal('')
  const { checks }: { readonly checks: readonly CheckResult[] } = JSON.parse(stdout)
  const named = (name: string) => {
    const found = checks.find((check) => check.name === name)
    if (!found) throw new Error(`no check ${name}`)
    return found
  }
  return { code, checks, named }
}

/** What is not ok. */
const unsound = (checks: readonly CheckResult[]) =>
  Object.fromEntries(
    checks
      .filter(({ result }) => result !== 'ok')
      .map(({ name, result, seen }) => [name, seen.startsWith('needs ') ? seen : result]),
  )

/** Waits until the doctor finds what is in `wanted`, and everything else ok. */
export const finds = (kubeconfig: string, wanted: Results, ...flags: readonly string[]) =>
  eventually(`the doctor to find ${JSON.stringify(wanted)}`, DEADLINE_MS, async () => {
    const found = await asked(kubeconfig, ...flags)
    expect(unsound(found.checks), JSON.stringify(found.checks, null, 1)).to.deep.equal(wanted)
    expect(found.code).to.equal(Object.values(wanted).includes('bad') ? 1 : 0)
    return found
  })

const COMMAND = /\b(?:kubectl|helm|npm run|cmctl) .*?(?=\. [A-Z]|; |$)/g

/** The commands in a remedy. */
export const commandsIn = (remedy = ''): readonly string[] => [...remedy.matchAll(COMMAND)].map(([command]) => command)

interface Where {
  readonly plane: ControlPlane
  /** the folder `overlay` of a person who has one */
  readonly overlay: string
  readonly helm?: string
}

/** Runs a command as it stands in a remedy. @throws AssertionError if it fails */
export async function carryOut(command: string, { plane, overlay, helm }: Where): Promise<void> {
  const [program = '', ...args] = command.split(' ')
  const env = { ...process.env, KUBECONFIG: plane.kubeconfig, HOME: plane.stateDirectory }
  const isPlugin = program === 'kubectl' && args[0] === 'experiment'
  const ran = isPlugin
    ? await run(process.execPath, ['cli/main.ts', ...args.slice(1)], { env })
    : await run(program === 'kubectl' ? plane.binaries.kubectl : program === 'helm' && helm ? helm : program, args, {
        env,
        // the overlay is beside the repository, whose folders other commands name
        ...(args.includes('overlay') ? { cwd: dirname(overlay) } : {}),
      })
  expect(ran.code, `${command}: ${ran.stdout}${ran.stderr}`).to.equal(0)
}
