/** Writes of plans in memory. */
import jsonPatch, { type Operation } from 'fast-json-patch'
import { FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { withHash } from '../../../common/fork/derive.ts'
import { at, isEqual, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import type { SourceSizeWrite } from '../../../common/writes/source-size-writes.ts'
import type { Write } from '../../../common/writes/write.ts'
import { withGate } from './simulated-pods.ts'
import { withSelector } from './simulated-services.ts'
import { available, type World } from './some-world.ts'

/** What the API server and the workload controllers make of a write: the object then; undefined after a delete. */
export function make(world: World, write: Write): KubeObject | undefined {
  const settle = (object: KubeObject) => (world.isHealthy ? available(object) : object)
  switch (write.role) {
    case 'analysisRun':
      world.analyses?.write({ ...write, role: 'analysisRun' }, world.now)
      return undefined
    case 'pod':
      world.pods = withGate(world.pods, write)
      return undefined
    case 'newFork':
    case 'fork': {
      const stored = storedAs(write, world.fork, { uid: 'uid-of-fork', now: world.now })
      world.fork = stored && settle(write.verb === 'apply' ? (world.storedFork?.(stored) ?? stored) : stored)
      return world.fork
    }
    case 'newTwin':
    case 'twin': {
      const stored = storedAs(write, world.twin, { uid: 'uid-of-twin', now: world.now })
      world.twin = stored && settle(stored)
      return world.twin
    }
    case 'base':
      world.revision = write.verb === 'create' ? write.object : undefined
      return world.revision
    case 'record':
      world.record = write.verb === 'create' ? write.object : undefined
      return world.record
    case 'experiment':
      world.experiment = withFinalizers(world.experiment, write.patch)
      return undefined
    case 'service':
      if (world.services) world.services = withSelector(world.services, write)
      return undefined
    case 'sourceSize':
      world.source = resized(write)
      return world.source
    case 'source':
      world.source = available(world.stored(patched(write)))
      return world.source
  }
}

/** A fork or twin after a write. */
function storedAs(
  write: Write,
  before: KubeObject | undefined,
  { uid, now }: { readonly uid: string; readonly now: Date },
): KubeObject | undefined {
  if (write.verb === 'delete') return undefined
  if (write.verb === 'patch') return patched(write)
  if (write.verb === 'jsonPatch') return resized(write)
  const object = withHash(write.object)
  const generation = (before?.metadata.generation ?? 0) + (isEqual(before?.spec, object.spec) ? 0 : 1)
  const managedFields = [{ manager: FIELD_MANAGER, operation: 'Apply', time: secondOf(now) }]
  const metadata = { ...object.metadata, uid: before?.metadata.uid ?? uid, generation, managedFields }
  return { ...object, metadata, ...(before?.status === undefined ? {} : { status: before.status }) }
}

/** A source after a write of its size. Its other pods need time: a world that wants it changes its status. */
export function resized({ of, operations }: SourceSizeWrite): KubeObject {
  const { newDocument } = jsonPatch.applyPatch(
    structuredClone(of),
    structuredClone(operations) as unknown as Operation[],
  )
  const generation = (of.metadata.generation ?? 0) + (isEqual(of.spec, newDocument.spec) ? 0 : 1)
  return { ...newDocument, metadata: { ...newDocument.metadata, generation } }
}

/** As the API server writes times. */
const secondOf = (now: Date): string => now.toISOString().replace(/\.\d+Z/, 'Z')

function withFinalizers(experiment: World['experiment'], patch: JsonObject): World['experiment'] {
  const finalizers = listOr(at(patch, 'metadata', 'finalizers')) as readonly string[]
  return { ...experiment, metadata: { ...experiment.metadata, finalizers } }
}

function patched({ of, patch }: Write & { readonly verb: 'patch' }): KubeObject {
  const generation = (of.metadata.generation ?? 0) + 1
  const spec = mergePatch(objectOr(of.spec) as JsonObject, objectOr(patch.spec) as JsonObject)
  return { ...of, metadata: { ...of.metadata, generation }, spec }
}
