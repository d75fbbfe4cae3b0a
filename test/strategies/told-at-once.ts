/** Stories that mostly wait, told many at once. */
import { inParallel } from '../in-parallel.ts'

/** What is told, by a name. */
interface Stories {
  readonly names: readonly string[]
  readonly tell: (name: string) => Promise<void>
  /** how many are told at once */
  readonly lanes: number
}

/**
 * In a `describe`, after what the stories need: tells all of them before the first test, and prints how long each took.
 * Returns what a test of a story waits for.
 */
export function usesStories({ names, tell, lanes }: Stories): (name: string) => Promise<void> {
  const told = new Map<string, Promise<void>>()
  before('all stories are told', () =>
    inParallel(lanes, names, async (name) => {
      const [fromMs, story] = [Date.now(), tell(name)]
      told.set(name, story)
      const ended = await story.then(
        () => '',
        (error: Error) => `, ${error.message}`,
      )
      console.log(`      ${name}: ${Math.round((Date.now() - fromMs) / 1_000)} s${ended}`)
    }),
  )
  return (name) => told.get(name) ?? Promise.reject(new Error(`there is no story ${name}`))
}
