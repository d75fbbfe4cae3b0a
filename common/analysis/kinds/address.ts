import type { NewRelicRegion, ProviderSpec } from './provider.ts'

/** Where each region of New Relic is asked. Source: its documentation of NerdGraph. */
const NEW_RELIC_ADDRESSES: Readonly<Record<NewRelicRegion, string>> = {
  US: 'https://api.newrelic.com',
  EU: 'https://api.eu.newrelic.com',
  JP: 'https://api.jp.newrelic.com',
}

/**
 * Where a provider is asked; for New Relic its region decides that. Empty if the provider has no address, which the CRD
 * does not allow.
 */
export const addressOf = ({ type, address, newRelic }: Pick<ProviderSpec, 'type' | 'address' | 'newRelic'>): string =>
  type === 'NewRelic' ? NEW_RELIC_ADDRESSES[newRelic?.region ?? 'US'] : (address ?? '')
