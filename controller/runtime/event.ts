import type { KubeObject } from '../../common/api/object.ts'

/** Longest `note` of an Event, and longest `reason` and `action`, in bytes: validation of events.k8s.io/v1. */
const MAX_NOTE_BYTES = 1_024
const MAX_WORD_BYTES = 128

/** What an Event tells. */
export interface Happening {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  /** what we did or tried: `Apply` */
  readonly action: string
  readonly note: string
  readonly regarding: KubeObject
  readonly related?: KubeObject | undefined
}

export interface Reporter {
  /** `experimentcontroller.example.com/controller` */
  readonly controller: string
  /** this process: its pod or host */
  readonly instance: string
}

export interface Stamp {
  readonly at: Date
  /** parts the names of Events about one object */
  readonly suffix: string
}

/** The Event that tells of `happening`, with everything cut to the length that the API server takes. */
export const eventOf = (happening: Happening, reporter: Reporter, { at, suffix }: Stamp): KubeObject => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: {
    name: `${happening.regarding.metadata.name.slice(0, 200).replace(/[.-]+$/, '')}.${suffix}`,
    namespace: happening.regarding.metadata.namespace ?? 'default', // core's rule for cluster-scoped objects
  },
  eventTime: microTime(at),
  type: happening.type,
  reason: cut(happening.reason, MAX_WORD_BYTES),
  action: cut(happening.action, MAX_WORD_BYTES),
  note: cut(happening.note, MAX_NOTE_BYTES),
  reportingController: reporter.controller,
  reportingInstance: cut(reporter.instance, MAX_WORD_BYTES),
  regarding: referenceTo(happening.regarding),
  ...(happening.related ? { related: referenceTo(happening.related) } : {}),
})

const referenceTo = ({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }: KubeObject) => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
  resourceVersion,
})

/** A MicroTime has exactly six fractional digits, a Date three. */
const microTime = (at: Date): string => at.toISOString().replace('Z', '000Z')

/** The longest beginning of `text` that UTF-8 writes in `maxBytes`, without half a character at its end. */
export function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1 // 10xxxxxx continues a character
  return bytes.subarray(0, end).toString()
}
