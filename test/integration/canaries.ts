/** Canaries of tests: what they show, what is said to them, and the fork that they have. */
import { expect } from 'chai'
import { COMMAND } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { CanaryStep } from '../../common/api/strategy.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS, forkOf, type Place } from './product.ts'

type Kind = 'deployments' | 'statefulSets' | 'rollouts'

/** Functions for the canaries in a place. */
export function canariesIn(place: () => Place) {
  const fork = async (name: string, kind: Kind = 'deployments'): Promise<KubeObject> =>
    place().api.get(place().path(kind, forkOf(await place().experimentAt(name))))
  const podsOf = async (name: string, kind?: Kind) => at(await fork(name, kind), 'spec', 'replicas')
  const say = (name: string, word: string) =>
    place().kubectl(['annotate', '--overwrite', `expd/${name}`, `${COMMAND}=${word}`])
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
    /** Says `word` to a run. */
    say,
    /** The same, where it must be accepted. */
    says: async (name: string, word: string) => {
      const { code, text } = await say(name, word)
      expect(code, text).to.equal(0)
    },
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
