/** A fork whose pod is not ready, and the Event that says why. */
import { FORK } from '../../builders.ts'
import { AVAILABLE, type ControllerWorld, PATHS } from '../../fakes/controller.ts'

const EVENTS = '/apis/events.k8s.io/v1/namespaces/shop/events'

/** A Warning about the pod of the fork, at a time of the clock of the API server. */
export const aPodWarning = (note: string, at: string, { pod = `${FORK}-abc12`, reason = 'Failed' } = {}) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: `${pod}.1`, namespace: 'shop' },
  regarding: { kind: 'Pod', name: pod, namespace: 'shop' },
  type: 'Warning',
  reason,
  note,
  eventTime: null,
  deprecatedLastTimestamp: at,
})

export const UNREADY_POD = {
  change: async (world: ControllerWorld) => {
    world.change(PATHS.fork, () => ({ status: { ...AVAILABLE, readyReplicas: 0, availableReplicas: 0 } }))
    await world.pass(90_000)
    const at = world.server.clock().toISOString()
    world.server.put(`${EVENTS}/why`, aPodWarning('0/3 nodes are available', at, { reason: 'FailedScheduling' }))
  },
}
