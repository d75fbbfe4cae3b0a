/** A fork that the API server refuses, until it has another version. It is sent again after an hour. */
import { anExperiment } from '../../builders.ts'
import { type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'
import { ObjectStore } from '../../fakes/object-store.ts'
import { kubeError } from '../../fakes/wire-by-hand.ts'

export const ACCEPTED_LATER = {
  objects: { [PATHS.experiment]: stored(anExperiment({ overrideSpec: { minReadySeconds: 700 } })) },
  first: ({ server }: ControllerWorld) => {
    const request = server.request.bind(server)
    server.request = async (each) => {
      if (each.path === PATHS.fork && each.verb === 'apply') throw kubeError('invalid')
      return request(each)
    }
  },
  change: async ({ server, pass }: ControllerWorld) => {
    server.request = ObjectStore.prototype.request
    await pass(3_290_000)
  },
  isSeen: ({ server }: ControllerWorld) => server.diary.includes(`apply ${PATHS.fork}`),
}
