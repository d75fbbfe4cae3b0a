/** A pass repairs the fork, and the API server does not answer the request that writes the status. */
import { kubeError } from '../../common/kube/scripted-client.ts'
import { AVAILABLE, type ControllerWorld, PATHS } from '../quiet-controller.ts'

export const LOST_STATUS = {
  change: ({ change, server }: ControllerWorld) => {
    const request = server.request.bind(server)
    server.request = async (each) => {
      if (each.path !== `${PATHS.experiment}/status`) return request(each)
      server.request = request
      throw kubeError('unreachable')
    }
    // Then the message of its last write is shown.
    const status = { ...AVAILABLE, observedGeneration: 0 }
    change(PATHS.fork, ({ metadata, spec }) => ({
      metadata: { ...metadata, generation: 7 },
      spec: { ...(spec as object), replicas: 4 },
      status,
    }))
  },
  isSeen: (world: ControllerWorld) => world.words().includes('it is not in the status yet'),
}
