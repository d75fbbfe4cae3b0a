/** Canaries of tests: what they show, what is said to them, and the fork that they have. */
import { expect } from 'chai'
import { COMMAND } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { CanaryStep } from '../../common/api/strategy.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS, forkOf, type Place } from './product.ts'

type Kind = 'deployments' | 'statefulSets' | 'rollouts'

/** Says `word` to the run of an experiment. Resolves to what kubectl printed, and its exit code. */
export const say = ({ kubectl }: Place, name: string, word: string) =>
  kubectl(['annotate', '--overwrite', `expd/${name}`, `${COMMAND}=${word}`])

/** `word`, and for `resume` the present step: without it, it is refused just after the last one. */
async function bound({ experimentAt }: Place, name: string, word: string): Promise<string> {
  if (word !== 'resume') return word
  return `resume step=${((await experimentAt(name)).status?.strategy?.stepIndex ?? 0) + 1}`
}

/**
 * The same, where the word must be accepted. On a busy machine the webhook may be too slow to stamp it. Then it is
 * repeated, as the answer says.
 */
export async function says(place: Place, name: string, word: string): Promise<void> {
  const { code, text } = await eventually(`${name} to be told ${word}`, DEADLINE_MS, async () => {
    const answer = await say(place, name, await bound(place, name, word))
    if (answer.code !== 0 && answer.text.includes('because the mutating webhook did not answer in time'))
      throw new Error(answer.text)
    return answer
  })
  expect(code, text).to.equal(0)
}

/** Functions for the canaries in a place. */
export function canariesIn(place: () => Place) {
  const fork = async (name: string, kind: Kind = 'deployments'): Promise<KubeObject> =>
    place().api.get(place().path(kind, forkOf(await place().experimentAt(name))))
  const podsOf = async (name: string, kind?: Kind) => at(await fork(name, kind), 'spec', 'replicas')
  return {
    fork,
    podsOf,
    /** Creates an experiment with these steps. Its source has its name, if none is given. */
    canary: (name: string, steps: readonly CanaryStep[], of: JsonObject & { source?: string } = {}) =>
      place().experiment(name, { source: name, ...of, strategy: { canary: { steps } } }),
    /** Waits until the column STEP shows `step`, for example `1/5 Paused`. */
    shows: (name: string, step: string) => place().shows(name, step, ({ status }) => status?.strategy?.step === step),
    /** Waits until the fork shall have `pods`. */
    hasPods: (name: string, pods: number, kind?: Kind) =>
      eventually(`the fork of ${name} to have ${pods} pods`, DEADLINE_MS, async () => {
        const found = await podsOf(name, kind)
        if (found !== pods) throw new Error(`it has ${found}`)
      }),
    say: (name: string, word: string) => say(place(), name, word),
    says: (name: string, word: string) => says(place(), name, word),
    setStatus: (name: string, status: object | null) =>
      place().kubectl([
        'patch',
        `expd/${name}`,
        '--subresource=status',
        '--type=merge',
        '-p',
        JSON.stringify({ status }),
      ]),
    scaleSource: (name: string, replicas: number) =>
      place().api.patch(place().path('deployments', name), { spec: { replicas } }),
  }
}
