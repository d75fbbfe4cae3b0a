import type { CompleteProvider, ProviderType } from '../../../common/analysis/kinds/provider.ts'
import type { ProviderRequest } from '../../../common/analysis/query/window-query.ts'

/** Headers that a provider may not set: those of the controller, and those that decide where a message ends. */
const RESERVED = [
  'Accept',
  'Accept-Encoding',
  'API-Key',
  'Authorization',
  'Connection',
  'Content-Encoding',
  'Content-Length',
  'Content-Type',
  'Cookie',
  'Cookie2',
  'Expect',
  'Host',
  'HTTP2-Settings',
  'Keep-Alive',
  'Proxy-Authorization',
  'Proxy-Connection',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
  'User-Agent',
]

/** A `token` of RFC 9110. */
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
/** A `field-value` of RFC 9110, without the bytes whose meaning is not defined. */
const VALUE = /^[\t\x20-\x7e]*$/

/** Why the `headers` of a provider cannot be sent; undefined if they can. Names no header but a reserved one. */
export function headerProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const reserved = RESERVED.find((known) => known.toLowerCase() === name.toLowerCase())
    if (reserved !== undefined) return `the provider must not set the header ${reserved}`
    if (!NAME.test(name)) return 'a header of the provider has an invalid name'
    if (!VALUE.test(value)) return 'a header of the provider has an invalid value'
  }
  return undefined
}

interface Sender {
  readonly provider: Pick<CompleteProvider, 'type' | 'headers'>
  /** printable ASCII; undefined: the provider needs none */
  readonly credential: string | undefined
  /** `experiment-controller/0.1.0` */
  readonly userAgent: string
}

/** The headers of `request`, for a provider whose own were checked. Asks for an answer that is not compressed. */
export function headersFor(
  { body }: Pick<ProviderRequest, 'body'>,
  { provider: { type, headers }, credential, userAgent }: Sender,
): Readonly<Record<string, string>> {
  return {
    ...headers,
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    ...(body && { 'content-type': body.type }),
    ...(credential !== undefined && authentication(type, credential)),
  }
}

const authentication = (type: ProviderType, credential: string): Readonly<Record<string, string>> =>
  type === 'NewRelic' ? { 'api-key': credential } : { authorization: `Bearer ${credential}` }
