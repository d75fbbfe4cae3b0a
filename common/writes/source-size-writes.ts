import { SCALED, SCALED_BY } from '../api/names.ts'
import type { KubeObject, Labels, ResourceType } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { JsonObject } from '../json/json.ts'
import { ownSizeEntry, type SizeRecord, sizeLabel } from '../scaling/record.ts'
import { replicasOf } from '../workload/status.ts'
import type { Write } from './write.ts'

/** A write of the size of a source, or of our label there. */
export type SourceSizeWrite = Extract<Write, { verb: 'jsonPatch' }>

/** A source as it was read. */
interface SizedSource {
  readonly resource: ResourceType
  readonly of: KubeObject
}

/**
 * Gives a source `record.written` pods, with the label that says how many it should have. A number that is there
 * already is not written: then only the label is.
 */
export function resizeSource(
  { resource, of }: SizedSource,
  record: SizeRecord,
  { metadata: { namespace, name } }: Pick<ExperimentDeployment, 'metadata'>,
): SourceSizeWrite {
  const [now, { labels, annotations }] = [replicasOf(of), of.metadata]
  const operations = [
    ...seen(of),
    ...(now === record.written ? [] : [{ op: 'replace', path: '/spec/replicas', value: record.written }]),
    ...added('labels', labels, SCALED, sizeLabel(record)),
    ...added('annotations', annotations, SCALED_BY, `${namespace}/${name}`),
  ]
  const isShrinking = record.written < now
  return { verb: 'jsonPatch', role: 'sourceSize', resource, of, operations, ...(isShrinking ? { isShrinking } : {}) }
}

/**
 * As `resizeSource`, for a source whose experiment is gone and which has our label. The label stays until the source
 * has its pods. It is no shrink, because nobody makes a source smaller for such an experiment.
 */
export function returnSource({ resource, of }: SizedSource, record: SizeRecord): SourceSizeWrite {
  const operations = [
    ...seen(of),
    { op: 'replace', path: '/spec/replicas', value: record.written },
    { op: 'add', path: pathOf('labels', SCALED), value: sizeLabel(record) },
  ]
  return { verb: 'jsonPatch', role: 'sourceSize', resource, of, operations }
}

/** Gives a source its pods, and takes our label away. `replicas`: undefined: it keeps its number. */
export function unlabelSource({ resource, of }: SizedSource, replicas: number | undefined): SourceSizeWrite {
  const { labels, annotations } = of.metadata
  const operations = [
    ...seen(of),
    ...(replicas === undefined ? [] : [{ op: 'replace', path: '/spec/replicas', value: replicas }]),
    ...removed('labels', labels, SCALED),
    ...removed('annotations', annotations, SCALED_BY),
  ]
  return { verb: 'jsonPatch', role: 'sourceSize', resource, of, operations }
}

/**
 * Takes our entry out of `managedFields`: a later server-side apply of another number would be a conflict with it.
 * Undefined if there is none.
 */
export function releaseSourceSize({ resource, of }: SizedSource): SourceSizeWrite | undefined {
  const { resourceVersion = '' } = of.metadata
  const index = ownSizeEntry(of)
  if (index < 0) return undefined
  const path = `/metadata/managedFields/${index}`
  const operations = [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'remove', path },
  ]
  return { verb: 'jsonPatch', role: 'sourceSize', resource, of, operations }
}

/** The number that a write gives the source; undefined: it keeps its number. */
export const replicasIn = ({ operations }: SourceSizeWrite): number | undefined => {
  const value = operations.find(({ op, path }) => op === 'replace' && path === '/spec/replicas')?.value
  return typeof value === 'number' ? value : undefined
}

/**
 * A write of a status by others is no conflict, another size or another label is. Without a label there was no write of
 * ours yet: then any change since the read is a conflict.
 */
function seen({ metadata: { uid = '', resourceVersion = '', labels }, ...of }: KubeObject): readonly JsonObject[] {
  const label = labels?.[SCALED]
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/spec/replicas', value: replicasOf({ metadata: { name: '' }, ...of }) },
    label === undefined
      ? { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }
      : { op: 'test', path: pathOf('labels', SCALED), value: label },
  ]
}

type Map = 'labels' | 'annotations'

const pathOf = (map: Map, key: string): string => `/metadata/${map}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`

const added = (map: Map, present: Labels | undefined, key: string, value: string): readonly JsonObject[] => [
  ...(present === undefined ? [{ op: 'add', path: `/metadata/${map}`, value: {} }] : []),
  { op: 'add', path: pathOf(map, key), value },
]

const removed = (map: Map, present: Labels | undefined, key: string): readonly JsonObject[] =>
  present?.[key] === undefined ? [] : [{ op: 'remove', path: pathOf(map, key) }]
