import { pluginAnswer, pluginRequest } from '../../../common/analysis/query/plugin.ts'
import type { ProviderAdapter } from './provider.ts'

/** A plugin that is told of both arms at once, and decides or gives data. */
export const PLUGIN: ProviderAdapter = {
  ask: async (query, _provider, send) => {
    const { kind, plugin } = query.metric
    if (!plugin) return { is: 'failed', message: 'the metric has no plugin query' }
    const reply = await send(pluginRequest(plugin, query))
    return reply.is === 'failed' ? reply : pluginAnswer(kind, reply.json)
  },
}
