import { SCALE_MANAGER, SCALED, SCALED_BY } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { kubectl } from '../text/kubectl.ts'

/** What the label on a source says that a canary has made smaller. */
export interface SizeRecord {
  /** the uid of the experiment */
  readonly experiment: string
  /** the pods that the source has without the canary */
  readonly size: number
  /** the `spec.replicas` that was written */
  readonly written: number
}

/** The value of the label: at most 58 characters, of 63 that Kubernetes allows. */
export const sizeLabel = ({ experiment, size, written }: SizeRecord): string => `${experiment}.${size}.${written}`

const LABEL = /^([0-9A-Za-z-]{1,36})\.(\d{1,10})\.(\d{1,10})$/

/** What the label of `source` says; undefined without it, and if its value is not ours. Only Deployments have it. */
export function sizeRecordOf({ kind, metadata: { labels } }: KubeObject): SizeRecord | undefined {
  const [, experiment, size, written] = (kind === 'Deployment' && LABEL.exec(labels?.[SCALED] ?? '')) || []
  if (experiment === undefined) return undefined
  const record = { experiment, size: Number(size), written: Number(written) }
  return isCount(record.size) && isCount(record.written) ? record : undefined
}

/** The index of our entry in the `managedFields` of `source`; -1 if there is none. */
export const ownSizeEntry = ({ metadata: { managedFields = [] } }: KubeObject): number =>
  managedFields.findIndex(({ manager, operation }) => manager === SCALE_MANAGER && operation === 'Update')

/** The command by which a person gives `source` so many pods, and takes our label off it. */
export function returnCommand({ metadata: { namespace, name } }: KubeObject, size: number): string {
  const metadata = { labels: { [SCALED]: null }, annotations: { [SCALED_BY]: null } }
  const patch = JSON.stringify({ metadata, spec: { replicas: size } })
  return kubectl('patch', { name: `deployment/${name}`, namespace }, '--type=merge', `--patch='${patch}'`)
}

/** The most replicas of a workload: an int32. */
const isCount = (number: number): boolean => number < 2 ** 31
