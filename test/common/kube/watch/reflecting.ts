import type { KubeObject } from '../../../../common/api/object.ts'
import { RESOURCES } from '../../../../common/kube/client/resources.ts'
import { Reflector } from '../../../../common/kube/watch/reflector.ts'
import type { View } from '../../../../common/kube/watch/view.ts'
import { cart, deploymentList, ScriptedClient, type Wire } from '../../../fakes/wire-by-hand.ts'
import { diaryLog, VirtualTime } from '../../../virtual-time.ts'

/** A started reflector of Deployments and what it uses. `changes` are the calls of a handler. */
export function world(
  view: Partial<View> = {},
  client = new ScriptedClient(),
  untilServed?: (signal: AbortSignal) => Promise<void>,
) {
  const time = new VirtualTime()
  const log = diaryLog()
  const changes: string[] = []
  const reflector = new Reflector<KubeObject>({
    client,
    view: { resource: RESOURCES.Deployment, managedFields: 'none', ...view },
    project: (object) => object,
    timers: time,
    random: () => 1, // the longest wait
    log,
    onFailure: () => undefined,
    onHandlerError: () => undefined,
    ...(untilServed ? { untilServed } : {}),
  })
  const nameOf = ({ metadata: { uid, resourceVersion } }: KubeObject) => `${uid}@${resourceVersion}`
  reflector.subscribe((change) => {
    const of = change.is === 'deleted' ? change.before : change.after
    changes.push(`${change.is} ${change.key} ${nameOf(of)}`)
  })
  reflector.start()
  return { client, time, log, changes, reflector }
}

/** As `world`, with `cart` at version 10 in the store and the watch from there open. */
export async function following(view: Partial<View> = {}): Promise<ReturnType<typeof world> & { wire: Wire }> {
  const it = world(view)
  ;(await it.client.list()).answer(deploymentList(10, [cart({ version: 9 })]))
  const wire = await it.client.open()
  it.changes.length = 0
  return { ...it, wire }
}
