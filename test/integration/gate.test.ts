import { expect } from 'chai'
import { gatedHealth } from '../../common/fork/gated-health.ts'
import { gated } from '../../common/fork/gated-spec.ts'
import { forkHealth } from '../../common/fork/health.ts'
import { objectOr } from '../../common/json/json.ts'
import { type GatedPod, gateChanges } from '../../common/strategy/gate.ts'
import { podsNow } from '../../common/strategy/target.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { rollout } from '../../common/workload/rollout.ts'
import { ApiError } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { usesArgoRollouts } from './argo.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'
import { type GatedKind, gatedPods, gatedTemplate, gatedWorkload, setGate } from './gated.ts'

/** Shorter than the timeout of mocha, which cannot name the reason. */
const DEADLINE_MS = 50_000
const PODS = 4

/** Where an update of four pods stalls, by the number of those that are open. */
const STALLED: Readonly<Record<GatedKind, readonly [none: string, one: string]>> = {
  Deployment: ['2 of 5 new, open 0', '3 of 5 new, open 1'],
  StatefulSet: ['1 of 4 new, open 0', '2 of 4 new, open 1'],
  Rollout: ['2 of 5 new, open 0', '3 of 5 new, open 1'],
}

/** A path of each kind in a namespace. */
const PATHS: Readonly<Record<GatedKind, readonly [group: string, plural: string]>> = {
  Deployment: ['/apis/apps/v1', 'deployments'],
  StatefulSet: ['/apis/apps/v1', 'statefulsets'],
  Rollout: ['/apis/argoproj.io/v1alpha1', 'rollouts'],
}

describe('the gate of a fork, on the real control plane', () => {
  const plane = usesControlPlane()
  usesArgoRollouts()
  let namespace = ''
  before(async () => {
    namespace = await aNamespace()
  })

  const path = (kind: GatedKind, name = ''): string => {
    const [group, plural] = PATHS[kind]
    return `${group}/namespaces/${namespace}/${plural}${name && `/${name}`}`
  }
  const podsOf = (name: string) => gatedPods(plane().api, namespace, name)
  const imageOf = (tag: string): string => `registry.example/app:${tag}`

  /** Looks once, and opens and shuts pods. */
  async function pass(name: string, open: number, tag: string): Promise<readonly GatedPod[]> {
    const pods = await podsOf(name)
    const changes = gateChanges(pods, { open, revision: imageOf(tag) })
    const set = (pod: GatedPod, isOpen: boolean) =>
      setGate(plane().api, namespace, pod, isOpen).catch((error: unknown) => {
        if (!(error instanceof ApiError && [404, 422].includes(error.status))) throw error // it is deleted
      })
    await Promise.all([...changes.open.map((pod) => set(pod, true)), ...changes.shut.map((pod) => set(pod, false))])
    return pods
  }

  /** `2 of 4 new, open 1`, where only pods count as open that are also ready */
  function shown(pods: readonly GatedPod[], tag: string): string {
    const left = pods.filter(({ isBeingDeleted }) => !isBeingDeleted)
    const updated = left.filter(({ revision }) => revision === imageOf(tag))
    return `${updated.length} of ${left.length} new, open ${left.filter(({ isReady }) => isReady).length}`
  }

  /** Makes passes until the pods of `name` are as expected. */
  const comesTo = (expected: string, name: string, open: number, tag: string) =>
    eventually(`${name} to come to ${expected}`, DEADLINE_MS, async () =>
      expect(shown(await pass(name, open, tag), tag)).to.equal(expected),
    )

  const update = (kind: GatedKind, name: string, gates?: readonly string[]) =>
    plane().api.patch(path(kind, name), { spec: { template: gatedTemplate(name, '2', gates ? { gates } : {}) } })

  for (const kind of ['Deployment', 'StatefulSet', 'Rollout'] as const)
    for (const open of [0, 1] as const) {
      const name = `${kind.toLowerCase()}-${open}`
      it(`an update of a ${kind} with ${open} of 4 pods open stalls; with only the open ones it ends`, async () => {
        const { api } = plane()
        const twin = `${name}-twin`
        await api.create(path(kind), gatedWorkload(kind, name))
        await api.create(path(kind), gatedWorkload(kind, twin, { gates: [] }))
        await comesTo(`4 of 4 new, open ${open}`, name, open, '1')
        await comesTo('4 of 4 new, open 4', twin, 0, '1')
        await update(kind, name)
        await comesTo(STALLED[kind][open], name, open, '2')
        // An update without the gate begins later and ends, while the other one has come no further.
        await update(kind, twin, [])
        await comesTo('4 of 4 new, open 4', twin, 0, '2')
        expect(shown(await pass(name, open, '2'), '2')).to.equal(STALLED[kind][open])
        const looks: (readonly GatedPod[])[] = []
        await eventually(`the update of ${name} to end`, DEADLINE_MS, async () => {
          const pods = await pass(name, open, '2')
          looks.push(pods)
          const replicas = podsNow(pods, { pods: PODS, open }, { revision: imageOf('2') })
          await api.patch(path(kind, name), { spec: { replicas } })
          expect(shown(pods, '2')).to.equal(`4 of 4 new, open ${open}`)
        })
        // A StatefulSet takes a pod down before it creates the one in its place.
        if (kind !== 'StatefulSet')
          for (const pods of looks) expect(pods.filter(({ isReady }) => isReady).length).to.be.at.least(open)
      })
    }

  for (const [kind, adapter] of [
    ['Deployment', deployment],
    ['Rollout', rollout],
  ] as const)
    it(`a ${kind} of which all pods are shut exceeds its deadline, and does not without one`, async () => {
      const { api } = plane()
      const names = { short: `${kind.toLowerCase()}-short`, none: `${kind.toLowerCase()}-none` }
      const SHORT = { progressDeadlineSeconds: 1 }
      const { fork } = gated(adapter, gatedWorkload(kind, names.none))
      const NONE = { progressDeadlineSeconds: objectOr(fork.spec).progressDeadlineSeconds }
      const create = (name: string, deadline: object) => {
        const { spec, ...workload } = gatedWorkload(kind, name)
        return api.create(path(kind), { ...workload, spec: { ...spec, ...deadline } })
      }
      const healthOf = async (name: string) => forkHealth(adapter, await api.get(path(kind, name)), new Date()).reason
      await create(names.none, NONE)
      await comesTo('4 of 4 new, open 0', names.none, 0, '1')
      await create(names.short, SHORT)
      await eventually(`${names.short} to exceed its deadline`, DEADLINE_MS, async () =>
        expect(await healthOf(names.short)).to.equal('ProgressDeadlineExceeded'),
      )
      expect(await healthOf(names.none)).to.equal('PodsNotReady')
      const [found, pods] = [await api.get(path(kind, names.none)), await podsOf(names.none)]
      const of = { pods, wanted: PODS, revision: imageOf('1'), progressDeadlineSeconds: undefined }
      expect(gatedHealth(adapter, found, new Date(), of)).to.include({ is: 'ready', reason: 'Available' })
    })
})
