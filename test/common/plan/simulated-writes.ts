/** Writes of plans in memory. */
import { FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Write } from '../../../common/conclusion/write.ts'
import { withHash } from '../../../common/fork/derive.ts'
import { at, isEqual, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import { withGate } from './simulated-pods.ts'
import { withSelector } from './simulated-services.ts'
import { available, type World } from './some-world.ts'

/** What the API server and the workload controllers make of a write. */
export function make(world: World, write: Write): void {
  if (write.role === 'run') world.analyses?.write({ ...write, role: 'run' }, world.now)
  if (write.role === 'run') return
  const settle = (object: KubeObject) => (world.isHealthy ? available(object) : object)
  switch (write.verb) {
    case 'apply': {
      if (write.role === 'pod') {
        world.pods = withGate(world.pods, write)
        return
      }
      if (write.role === 'fork' || write.role === 'newFork') {
        const stored = storedAs(write.object, world.fork, { uid: 'uid-of-fork', now: world.now })
        world.fork = settle(world.storedFork?.(stored) ?? stored)
      } else world.twin = settle(storedAs(write.object, world.twin, { uid: 'uid-of-twin', now: world.now }))
      return
    }
    case 'create':
      if (write.object.metadata.name.endsWith('-promotion')) world.record = write.object
      else world.revision = write.object
      return
    case 'patch':
      if (write.role === 'fork') world.fork = settle(patched(write.of, write.patch))
      if (write.role === 'twin') world.twin = settle(patched(write.of, write.patch))
      if (write.role === 'experiment') world.experiment = withFinalizers(world.experiment, write.patch)
      if (write.role === 'service' && world.services) world.services = withSelector(world.services, write)
      if (write.role === 'source') world.source = available(world.stored(patched(write.of, write.patch)))
      return
    case 'delete':
      if (write.role === 'fork') world.fork = undefined
      else if (write.role === 'twin') world.twin = undefined
      else if (write.of.metadata.name.endsWith('-promotion')) world.record = undefined
      else world.revision = undefined
  }
}

/** A workload after an apply. */
function storedAs(
  applied: KubeObject,
  before: KubeObject | undefined,
  { uid, now }: { readonly uid: string; readonly now: Date },
): KubeObject {
  const object = withHash(applied)
  const generation = (before?.metadata.generation ?? 0) + (isEqual(before?.spec, object.spec) ? 0 : 1)
  const managedFields = [{ manager: FIELD_MANAGER, operation: 'Apply', time: secondOf(now) }]
  const metadata = { ...object.metadata, uid: before?.metadata.uid ?? uid, generation, managedFields }
  return { ...object, metadata, ...(before?.status === undefined ? {} : { status: before.status }) }
}

/** As the API server writes times. */
const secondOf = (now: Date): string => now.toISOString().replace(/\.\d+Z/, 'Z')

function withFinalizers(experiment: World['experiment'], patch: JsonObject): World['experiment'] {
  const finalizers = listOr(at(patch, 'metadata', 'finalizers')) as readonly string[]
  return { ...experiment, metadata: { ...experiment.metadata, finalizers } }
}

function patched(of: KubeObject, patch: JsonObject): KubeObject {
  const generation = (of.metadata.generation ?? 0) + 1
  const spec = mergePatch(objectOr(of.spec) as JsonObject, objectOr(patch.spec) as JsonObject)
  return { ...of, metadata: { ...of.metadata, generation }, spec }
}
