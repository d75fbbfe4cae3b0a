import type { ProviderRequest } from '../../../../common/analysis/query/window-query.ts'
import { seriesItem } from '../../../common/analysis/query/answers.ts'
import { windowQuery } from '../../../common/analysis/query/window-queries.ts'

/** The most bytes of an answer. */
export const MAX_BYTES = 4 * 1_024 * 1_024

const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, '+Inf']
/** 64 of each version. */
export const PODS = { treatment: podsOf('cart-fork'), control: podsOf('cart') }

function podsOf(workload: string): readonly string[] {
  return Array.from({ length: 64 }, (_, index) => `${workload}-5d8f6c7b9-x${index}`)
}

/** All series of `pods` that a program exposes; in about so many bytes, with white space between them. */
export function answerOf(pods: readonly string[], bytes = 0, codes = 2): string {
  const series = pods.flatMap((pod, at) =>
    Array.from({ length: codes }, (_, code) => `${200 + code}`).flatMap((code) =>
      BOUNDARIES.map((le, index) =>
        seriesItem('h_bucket', pod, [`${index}`, `${3 * index + at}`], {
          ...{ code, le: `${le}`, job: 'cart', instance: `10.0.0.${at}:8080`, container: 'cart', method: 'GET' },
          path: `/${'x'.repeat(90)}`,
        }),
      ),
    ),
  )
  const [before, after] = JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: ['*'] } }).split(
    '"*"',
  )
  const items = series.map((each) => JSON.stringify(each))
  const missing = bytes - `${before}${items.join(',')}${after}`.length
  const space = ' '.repeat(Math.max(0, Math.floor(missing / items.length)))
  return `${before}${items.map((each) => `${each}${space}`).join(',')}${after}`
}

/** Asks for the latency of 64 pods of each version. */
export const LONG_QUERY = windowQuery(
  'Latency',
  { histogram: 'h' },
  {
    arms: {
      treatment: { workload: 'cart-fork', pods: PODS.treatment },
      control: { workload: 'cart', pods: PODS.control },
    },
  },
)

/** The pods that are asked about. */
export const podsAsked = ({ body }: Pick<ProviderRequest, 'body'>): readonly string[] =>
  new URLSearchParams(body?.text).get('query')?.includes('cart-fork') ? PODS.treatment : PODS.control
