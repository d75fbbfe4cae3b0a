import { malformed } from '../../api/analysis/decode.ts'
import { LABEL_PATTERN, LINE_OR_NONE_PATTERN } from '../../api/analysis/patterns.ts'
import { LABEL_SELECTOR } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/object.ts'
import type { FieldError } from '../../api/types.ts'
import { picked } from '../../json/conform.ts'
import { anyObject, flag, map, narrowed, object, optional, text, whole, word } from '../../json/structure.ts'

/** What a provider is: how it is asked and how its answers are read. */
export const PROVIDER_TYPES = ['Prometheus', 'NewRelic', 'Web', 'Plugin'] as const
export type ProviderType = (typeof PROVIDER_TYPES)[number]

/** The data centers of New Relic. */
const NEW_RELIC_REGIONS = ['US', 'EU', 'JP'] as const
export type NewRelicRegion = (typeof NEW_RELIC_REGIONS)[number]

/** Which account of New Relic is asked, and where. */
interface NewRelicAccount {
  /** default US */
  readonly region?: NewRelicRegion
  readonly accountId: number
}

/** The `spec` of an ExperimentAnalysisProvider. */
export interface ProviderSpec {
  readonly type: ProviderType
  /** `http://prometheus.monitoring.svc:9090`; absent for NewRelic, which has an account instead */
  readonly address?: string
  readonly newRelic?: NewRelicAccount
  /** a `metav1.LabelSelector`: the namespaces whose experiments may use it */
  readonly namespaceSelector: Readonly<Record<string, unknown>>
  /** a file of the directory of credentials */
  readonly credential?: string
  readonly headers?: Readonly<Record<string, string>>
  /** PEM in base64 */
  readonly caBundle?: string
  /** Prometheus: the labels by which series name a pod and its namespace */
  readonly podLabel?: string
  readonly namespaceLabel?: string
  /** whether developers may write queries of their own */
  readonly freeQueries?: boolean
  /** how old the end of a window must be */
  readonly lagSeconds?: number
  /** how many queries it gets at a time */
  readonly maxConcurrent?: number
}

/** A provider with its name. */
export interface AnalysisProvider {
  readonly metadata: { readonly name: string }
  readonly spec: ProviderSpec
}

/** The defaults of a provider that do not depend on its type; the CRD fills in the last two. */
export const PROVIDER_DEFAULTS = {
  podLabel: 'pod',
  namespaceLabel: 'namespace',
  freeQueries: false,
  maxConcurrent: 4,
} as const satisfies Partial<ProviderSpec>

/** How long a provider takes until it has all of a window: two scrapes, or the minute that New Relic may need. */
const LAG_SECONDS: Readonly<Record<ProviderType, number>> = { Prometheus: 15, NewRelic: 60, Web: 15, Plugin: 15 }

/** The `spec` of a provider with all defaults. */
export type CompleteProvider = ProviderSpec &
  Required<Pick<ProviderSpec, keyof typeof PROVIDER_DEFAULTS | 'lagSeconds'>>

/** `spec` with all defaults filled in. */
export const providerWithDefaults = (spec: ProviderSpec): CompleteProvider => ({
  ...PROVIDER_DEFAULTS,
  lagSeconds: LAG_SECONDS[spec.type],
  ...spec,
})

/** `http:` or `https:`, a host, a port, a path; no user, query or fragment. */
export const ADDRESS_PATTERN =
  '^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~%/-]*)?$|^https?://\\[[0-9A-Fa-f:.]+\\](:[0-9]{1,5})?(/[A-Za-z0-9._~%/-]*)?$'
/** The name of a file of the directory of credentials. */
const CREDENTIAL_PATTERN = '^[a-z0-9][a-z0-9.-]*$'

const NEW_RELIC = object<NewRelicAccount>({
  region: optional(word(NEW_RELIC_REGIONS), 'US'),
  accountId: whole(1, Number.MAX_SAFE_INTEGER),
})

/** The `spec` of a provider. */
export const PROVIDER = object<ProviderSpec>({
  type: word(PROVIDER_TYPES),
  address: optional(text(512, ADDRESS_PATTERN, 'an address, such as http://prometheus.monitoring.svc:9090')),
  newRelic: optional(NEW_RELIC),
  namespaceSelector: narrowed(anyObject, LABEL_SELECTOR),
  credential: optional(text(253, CREDENTIAL_PATTERN, 'the name of a file of credentials')),
  headers: optional(map(text(1_024, LINE_OR_NONE_PATTERN, 'a text on one line'), 16)),
  caBundle: optional(text(65_536, '^[A-Za-z0-9+/=]+$', 'certificates as PEM, in base64')),
  podLabel: optional(text(128, LABEL_PATTERN, 'the name of a label of Prometheus')),
  namespaceLabel: optional(text(128, LABEL_PATTERN, 'the name of a label of Prometheus')),
  freeQueries: optional(flag, PROVIDER_DEFAULTS.freeQueries),
  lagSeconds: optional(whole(0, 600)),
  maxConcurrent: optional(whole(1, 25), PROVIDER_DEFAULTS.maxConcurrent),
})

/** The provider in a watched object with exactly the members that we use, or what keeps it from being one. */
export function decodeProvider(
  stored: KubeObject,
):
  | { readonly is: 'provider'; readonly provider: AnalysisProvider }
  | { readonly is: 'malformed'; readonly errors: readonly FieldError[] } {
  const errors = malformed(stored.spec, PROVIDER, 'spec')
  if (errors.length > 0) return { is: 'malformed', errors }
  const { name } = stored.metadata
  return { is: 'provider', provider: { metadata: { name }, spec: picked(stored.spec, PROVIDER) } }
}
