/** What attempts have in common. */
import type { Actor, Running } from './world.ts'

/** The arguments of a merge patch. */
export const patchOf = (what: string, body: object): readonly string[] => [
  'patch',
  what,
  '--type=merge',
  '-p',
  JSON.stringify(body),
]

/** The arguments that scale an experiment. */
export const scale = ({ name }: Running, replicas: number) => ['scale', `expd/${name}`, `--replicas=${replicas}`]

/** `then` if the API server stored it, or else its refusal. */
export const stored = async (answer: Promise<string>, then: () => Promise<string>): Promise<string> =>
  (await answer) === 'done' ? then() : answer

/** Creates what the manifest describes. */
export const created = (who: Actor, manifest: object): Promise<string> => who.kubectl(['create', '-f', '-'], manifest)
