import { Semaphore } from '../../common/program/semaphore.ts'

/** How often each test of a file that imports this one is run: `npm run test:faults -- --times` sets it. */
export const TIMES = Number(process.env.TIMES ?? 1)

/** Only tests with such a title begin: the command sets it, too. Grep alone would let the others begin unseen. */
export const WANTED = new RegExp(process.env.WANTED ?? '')

/** How many tests run at once if they are repeated. Without repetition all do. */
const AT_ONCE = 12

/**
 * Declares tests that are about namespaces of their own and mostly wait: many begin with the first. Each is declared as
 * often as it is to be run.
 */
export function sideBySide(tests: Readonly<Record<string, () => Promise<void>>>, atOnce = AT_ONCE): void {
  const wanted = Object.entries(tests).filter(([title]) => WANTED.test(title))
  const all = Array.from({ length: TIMES }, () => wanted).flat()
  const lanes = new Semaphore(TIMES === 1 ? all.length : atOnce)
  let running: readonly Promise<void>[] | undefined
  const begin = () =>
    all.map(([, run]) => {
      const ended = lanes.run(run, undefined)
      ended.catch(() => undefined) // its own test reports it
      return ended
    })
  for (const [index, [title]] of all.entries())
    it(title, () => {
      running ??= begin()
      return running[index]
    })
}

/** Declares a test that nothing may run beside, as often as it is to be run. */
export function oneByOne(title: string, run: () => Promise<void>): void {
  for (let time = 0; time < TIMES; time += 1) it(title, run)
}
