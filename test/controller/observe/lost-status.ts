/** A pass repairs the fork, and the API server does not answer the request that writes the status. */

import { type ControllerWorld, PATHS } from '../../fakes/controller.ts'
import { kubeError } from '../../fakes/wire-by-hand.ts'

export const LOST_STATUS = {
  change: ({ change, server }: ControllerWorld) => {
    const request = server.request.bind(server)
    server.request = async (each) => {
      if (each.path !== `${PATHS.experiment}/status`) return request(each)
      server.request = request
      throw kubeError('unreachable')
    }
    change(PATHS.fork, ({ metadata, spec }) => ({
      metadata: { ...metadata, generation: 7 },
      spec: { ...(spec as object), replicas: 4 },
    }))
  },
  isSeen: ({ server, at, status }: ControllerWorld) =>
    server.diary.filter((line) => line === `apply ${PATHS.fork}`).length === 2 &&
    status().experimentResourceRef?.generation === 8 &&
    at(PATHS.fork).metadata.generation === 8,
}
