import { type ArmMembers, armsOfKind, dataOf } from '../../../common/analysis/query/arm-members.ts'
import { pointedMembers, webRequest } from '../../../common/analysis/query/web.ts'
import type { Arm } from '../../../common/analysis/window-data.ts'
import type { ProviderAdapter } from './provider.ts'

/** A web service that is asked once for each arm, one after the other. */
export const WEB: ProviderAdapter = {
  ask: async (query, _provider, send) => {
    const { kind, web } = query.metric
    if (!web) return { is: 'failed', message: 'the metric has no web query' }
    const members: Record<Arm, ArmMembers> = { treatment: {}, control: {} }
    for (const arm of armsOfKind(kind)) {
      const request = webRequest(web, query, arm)
      if (!request) return { is: 'failed', message: 'web.path: with what is filled in it leads elsewhere' }
      const reply = await send(request)
      if (reply.is === 'failed') return reply
      members[arm] = pointedMembers(web.pointers, reply.json)
    }
    return dataOf(kind, members)
  },
}
