import type { ProviderType as ProviderTypeName } from '../../../common/analysis/kinds/provider.ts'
import { NEW_RELIC } from './new-relic.ts'
import { PLUGIN } from './plugin.ts'
import { PROMETHEUS } from './prometheus.ts'
import type { ProviderAdapter } from './provider.ts'
import { WEB } from './web.ts'

/** How providers of each type are asked. */
export const PROVIDER_ADAPTERS: Readonly<Record<ProviderTypeName, ProviderAdapter>> = {
  Prometheus: PROMETHEUS,
  NewRelic: NEW_RELIC,
  Web: WEB,
  Plugin: PLUGIN,
}
