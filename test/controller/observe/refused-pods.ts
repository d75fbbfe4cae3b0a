/** A StatefulSet whose fork gets no pods, and the Event that says why. */
import type { KubeObject } from '../../../common/api/object.ts'
import { anExperiment, aStatefulSet, FORK } from '../../builders.ts'
import { APPS_V1 } from '../../common/schema/openapi.ts'
import { type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'

const STATEFUL_SETS = '/apis/apps/v1/namespaces/shop/statefulsets'
const EVENT = '/apis/events.k8s.io/v1/namespaces/shop/events/refused'

/** The Event that a pod of `workload` could not be created. */
const aRefusal = ({ metadata: { name, namespace = '', uid } }: KubeObject): KubeObject => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'refused', namespace },
  regarding: { kind: 'StatefulSet', name, namespace, uid },
  reason: 'FailedCreate',
  note: 'exceeded quota',
})

export const REFUSED_PODS = {
  objects: {
    [PATHS.experiment]: stored(anExperiment({ sourceRef: { kind: 'StatefulSet', name: 'cart' } })),
    [`${STATEFUL_SETS}/cart`]: stored(aStatefulSet()),
  },
  first: ({ server }: ControllerWorld) => {
    const { Deployment, ...others } = APPS_V1.components.schemas
    const gvk = { 'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'StatefulSet', version: 'v1' }] }
    const schemas = { ...others, Deployment, StatefulSet: { ...Deployment, ...gvk } }
    server.schemas = { hash: 'B', document: { components: { schemas } } }
  },
  change: async (world: ControllerWorld) => {
    const fork = `${STATEFUL_SETS}/${FORK}`
    world.change(fork, () => ({ status: { observedGeneration: 99 } }))
    await world.pass(90_000)
    world.server.put(EVENT, aRefusal(world.at(fork)))
  },
}
