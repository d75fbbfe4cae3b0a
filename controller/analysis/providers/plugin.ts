import { pluginAnswer, pluginRequest } from '../../../common/analysis/query/plugin.ts'
import type { ProviderAdapter } from './provider.ts'

/** A plugin. It is asked about both arms at once, and answers with a decision or with data. */
export const PLUGIN: ProviderAdapter = {
  ask: async (query, _provider, send) => {
    const { kind, plugin } = query.metric
    if (!plugin) return { is: 'failed', message: 'the metric has no plugin query' }
    const reply = await send(pluginRequest(plugin, query))
    return reply.is === 'failed' ? reply : pluginAnswer(kind, reply.json)
  },
}
