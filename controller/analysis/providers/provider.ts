import type { CompleteProvider } from '../../../common/analysis/kinds/provider.ts'
import type {
  LongList,
  ProviderReply,
  ProviderRequest,
  WindowAnswer,
  WindowQuery,
} from '../../../common/analysis/query/window-query.ts'

/**
 * Sends a request to the address of one provider. Never throws: what goes wrong is in the reply. An answer that was not
 * taken while it arrived has the items of its long list.
 */
export type Send = (request: ProviderRequest, list?: LongList) => Promise<ProviderReply>

/** How providers of one type are asked. */
export interface ProviderAdapter {
  /** Asks for one window. Never throws for anything that a provider can answer. */
  readonly ask: (query: WindowQuery, provider: CompleteProvider, send: Send) => Promise<WindowAnswer>
}
