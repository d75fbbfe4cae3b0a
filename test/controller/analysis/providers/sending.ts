import type { CompleteProvider } from '../../../../common/analysis/kinds/provider.ts'
import { type ProviderSpec, providerWithDefaults } from '../../../../common/analysis/kinds/provider.ts'
import type { ProviderReply, ProviderRequest } from '../../../../common/analysis/query/window-query.ts'
import type { Send } from '../../../../controller/analysis/providers/provider.ts'

/** A provider that any namespace may use. */
export const aProvider = (of: Pick<ProviderSpec, 'type'> & Partial<ProviderSpec>): CompleteProvider =>
  providerWithDefaults({ namespaceSelector: {}, address: 'https://provider.example', ...of })

/** Gives these answers in turn, the last one again and again, and remembers what was asked. */
export function answering(...replies: readonly ProviderReply[]) {
  const sent: ProviderRequest[] = []
  const send: Send = async (request) => {
    sent.push(request)
    return replies[sent.length - 1] ?? replies.at(-1) ?? { is: 'failed', message: 'nothing to answer' }
  }
  return { send, sent }
}

export const json = (value: unknown): ProviderReply => ({ is: 'json', json: value })
