import protobuf from 'protobufjs'
import { compress } from 'snappyjs'
import { request } from 'undici'

/** A native histogram at one moment. */
export interface WrittenHistogram {
  /** milliseconds since 1970 */
  readonly at: number
  /** bucket k is (b^(k−1), b^k] with b = 2^(2^−schema) */
  readonly schema: number
  readonly zero?: { readonly threshold: number; readonly count: number }
  readonly buckets: Readonly<Record<number, number>>
}

/** A series with values that Prometheus should have, in the order of time. */
export interface WrittenSeries {
  /** `__name__` among them */
  readonly labels: Readonly<Record<string, string>>
  /** `stale`: what Prometheus itself stores when a scrape no longer has the series, or its target is gone */
  readonly values?: readonly { readonly at: number; readonly value: number | 'stale' }[]
  readonly histograms?: readonly WrittenHistogram[]
}

/**
 * The part of Prometheus' remote write that we use. A value is written as the bits of a double, because JavaScript has
 * only one NaN. Source: prompb/remote.proto and types.proto of Prometheus.
 */
const WRITE_REQUEST = protobuf
  .parse(
    `syntax = "proto3";
    message WriteRequest { repeated TimeSeries timeseries = 1; }
    message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; repeated Histogram histograms = 4; }
    message Label { string name = 1; string value = 2; }
    message Sample { fixed64 value = 1; int64 timestamp = 2; }
    message BucketSpan { sint32 offset = 1; uint32 length = 2; }
    message Histogram {
      uint64 count = 1;
      double sum = 3;
      sint32 schema = 4;
      double zeroThreshold = 5;
      uint64 zeroCount = 6;
      repeated BucketSpan positiveSpans = 11;
      repeated sint64 positiveDeltas = 12;
      int64 timestamp = 15;
    }`,
  )
  .root.lookupType('WriteRequest')

/** Gives a Prometheus exactly these values. @throws Error with its words if it refuses any of them */
export async function remoteWrite(address: string, series: readonly WrittenSeries[]): Promise<void> {
  const bytes = WRITE_REQUEST.encode(WRITE_REQUEST.fromObject({ timeseries: series.map(encoded) })).finish()
  const { statusCode, body } = await request(`${address}/api/v1/write`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
    },
    body: compress(bytes),
  })
  const text = await body.text()
  if (statusCode !== 204) throw new Error(`Prometheus refused what was written: ${statusCode} ${text.trim()}`)
}

/** Prometheus stores two series with the same labels in another order as two, so they are sorted by name. */
const encoded = ({ labels, values = [], histograms = [] }: WrittenSeries) => ({
  labels: Object.entries(labels)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ({ name, value })),
  samples: values.map(({ at, value }) => ({ timestamp: at, value: `${bitsOf(value)}` })),
  histograms: histograms.map(encodedHistogram),
})

/** The NaN that says stale. Source: model/value/value.go of Prometheus */
const STALE = 0x7ff0000000000002n

function bitsOf(value: number | 'stale'): bigint {
  if (value === 'stale') return STALE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  return view.getBigUint64(0)
}

/** One span from the lowest bucket to the highest, and the difference of each bucket to the one before it. */
function encodedHistogram({ at, schema, zero = { threshold: 2 ** -128, count: 0 }, buckets }: WrittenHistogram) {
  const numbers = Object.keys(buckets).map(Number)
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  const counts = numbers.length === 0 ? [] : Array.from({ length: most - least + 1 }, (_, i) => buckets[least + i] ?? 0)
  return {
    timestamp: at,
    schema,
    zeroThreshold: zero.threshold,
    zeroCount: zero.count,
    count: counts.reduce((sum, count) => sum + count, zero.count),
    sum: 0,
    positiveSpans: counts.length === 0 ? [] : [{ offset: least, length: counts.length }],
    positiveDeltas: counts.map((count, index) => count - (counts[index - 1] ?? 0)),
  }
}
