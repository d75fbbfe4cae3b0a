/** What users try with other objects than experiments of `shop`, by the words of docs/rights.md. */
import { CR_NAME, EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY, SCALE_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { type Base, baseHash } from '../../../common/fork/base.ts'
import { at, isObject, listOr } from '../../../common/json/json.ts'
import { forkName, forkSelector } from '../../../common/workload/identity.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { imageOverride } from '../../builders.ts'
import { aNamespace } from '../fixture.ts'
import { aSource, DEADLINE_MS, placeIn } from '../product.ts'
import { created, patchOf, stored } from './attempt.ts'
import { type Action, EVIL, FIRST_IMAGE } from './world.ts'

/** The base is read wherever it may be: in the namespace of the experiment and in that of the source. */
const readBase: Action = async (who, world) => {
  const { fork } = await world.experiment({ on: 'stock', onSourceChange: 'Pin' })
  const here = await who.kubectl(['get', 'controllerrevision', fork])
  return here === 'done' ? here : who.kubectl(['-n', world.stock.namespace, 'get', 'controllerrevision', fork])
}

const replaceBase: Action = async (who, world) => {
  const running = await world.experiment({ onSourceChange: 'Pin' })
  const path = `/apis/apps/v1/namespaces/${world.shop.namespace}/controllerrevisions/${running.fork}`
  const { apiVersion, kind, metadata, data, revision } = await world.shop.api.get<KubeObject>(path)
  const { labels } = metadata
  // she may not set finalizers on the experiment, so that her object must not block the deletion of its owner
  const ownerReferences = metadata.ownerReferences?.map(({ blockOwnerDeletion: _mayNot, ...owner }) => owner)
  const forged = JSON.parse(JSON.stringify(data).replaceAll(FIRST_IMAGE, EVIL))
  const again = { apiVersion, kind, metadata: { name: running.fork, labels, ownerReferences }, data: forged, revision }
  return stored(who.kubectl(['delete', `controllerrevision/${running.fork}`]), () =>
    stored(created(who, again), async () => {
      await world.shop.api.patch(world.shop.path('experiments', running.name), { spec: { replicas: 2 } })
      return world.refuses(running, 'PinnedBaseLost')
    }),
  )
}

/** A revision in the namespace of the experiment, and the hash of its content in the status. */
const forgeBase: Action = async (who, world) => {
  const running = await world.experiment({ on: 'stock', onSourceChange: 'Pin' })
  const path = `/apis/apps/v1/namespaces/${world.stock.namespace}/controllerrevisions/${running.fork}`
  const { apiVersion, kind, metadata, data } = await world.shop.api.get<KubeObject & { readonly data: object }>(path)
  const forged = JSON.parse(JSON.stringify(data).replaceAll(FIRST_IMAGE, EVIL)) as { readonly base: Base }
  const { uid, name } = (await world.shop.experimentAt(running.name)).metadata
  const owner = { apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion, kind: EXPERIMENT_DEPLOYMENT.kind, uid, name }
  const ownerReferences = [{ ...owner, controller: true }]
  const copied = { name: running.fork, labels: metadata.labels, ownerReferences }
  return stored(created(who, { apiVersion, kind, metadata: copied, data: forged, revision: 1 }), () => {
    const source = { templateHash: baseHash(forged.base), generation: 7 }
    return stored(who.kubectl([...patchOf(`expd/${name}`, { status: { source } }), '--subresource=status']), () =>
      world.getsImage(running, EVIL),
    )
  })
}

/** A policy of the cluster that forbids the user, and nobody else, to create Deployments. */
const evadePolicy: Action = async (who, world) => {
  const name = `rights-${world.shop.namespace}`
  const root = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic'
  const resourceRules = [
    { apiGroups: ['apps'], apiVersions: ['*'], operations: ['CREATE'], resources: ['deployments'] },
  ]
  const validations = [{ expression: `request.userInfo.username != '${who.name}'`, message: 'not her' }]
  await world.shop.api.create(`${root}ies`, {
    metadata: { name },
    spec: { matchConstraints: { resourceRules }, validations },
  })
  await world.shop.api.create(`${root}ybindings`, {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  })
  await eventually('the policy', DEADLINE_MS, async () => {
    const answer = await who.kubectl(['create', 'deployment', 'own', `--image=${EVIL}`, '--dry-run=server'])
    if (!answer.includes('not her')) throw new Error(answer)
  })
  const manifest = world.manifest('shop')
  return stored(created(who, manifest), async () => {
    await world.shop.reaches(manifest.metadata.name, 'Available')
    for (const kind of ['ies', 'ybindings']) await world.shop.api.delete(`${root}${kind}/${name}`)
    return 'done'
  })
}

const editFork =
  (on: 'shop' | 'stock'): Action =>
  async (who, world) => {
    const running = await world.experiment({ on })
    const edit = patchOf(`deployment/${running.fork}`, { spec: imageOverride(EVIL) })
    return stored(who.kubectl(['-n', running.beside.namespace, ...edit]), async () => {
      await world.getsImage(running, FIRST_IMAGE)
      return 'undone'
    })
  }

const deleteFork =
  (on: 'shop' | 'stock'): Action =>
  async (who, world) => {
    const { fork, beside } = await world.experiment({ on })
    const { uid } = (await beside.deployment(fork)).metadata
    return stored(who.kubectl(['-n', beside.namespace, 'delete', `deployment/${fork}`]), () =>
      eventually('another fork', DEADLINE_MS, async () => {
        if ((await beside.deployment(fork)).metadata.uid === uid) throw new Error('it is the old one')
        return 'undone'
      }),
    )
  }

const deleteForkWithoutConsent: Action = async (who, world) => {
  const running = await world.experiment({ on: 'stock' })
  const removal = ['-n', world.stock.namespace, 'delete', `deployment/${running.fork}`]
  return world.withoutConsent(running, () =>
    stored(who.kubectl(removal), async () => {
      await world.shop.shows(running.name, 'that it has no fork', ({ status }) => !status?.experimentResourceRef)
      return world.isGone(running, 'done')
    }),
  )
}

const takeName: Action = async (who, world) => {
  const manifest = world.manifest('shop', 'later')
  await world.shop.api.create(world.shop.path('experiments'), manifest)
  const waiting = await world.shop.reaches(manifest.metadata.name, 'SourceNotFound')
  const name = forkName('later', waiting.metadata.uid)
  const selector = forkSelector(waiting)
  const template = { metadata: { labels: selector.matchLabels }, spec: { containers: [{ name: 'cart', image: EVIL }] } }
  const taken = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { selector, template } }
  return stored(created(who, taken), async () => {
    await aSource(world.shop, 'later')
    await world.shop.reaches(waiting.metadata.name, 'NameConflict')
    return 'controller: NameConflict'
  })
}

const changeSource: Action = async (who, world) => {
  const running = await world.experimentOn('shop', 'changed')
  return stored(who.kubectl(patchOf('deployment/changed', { spec: imageOverride(EVIL) })), () =>
    world.getsImage(running, EVIL),
  )
}

const sendRequests: Action = async (who, world) => {
  const { name } = await world.experiment()
  const spec = { selector: { [CR_NAME]: name }, ports: [{ port: 80 }] }
  return stored(created(who, { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec }), async () => {
    await world.shop.shows(name, 'the Service', ({ status }) =>
      (status?.services ?? []).some((each) => each.name === name && each.selected),
    )
    return 'done'
  })
}

const runInKubeSystem: Action = async (who, world) => {
  const system = await placeIn('kube-system')
  const { spec, ...manifest } = world.manifest('shop')
  const own = { ...manifest, spec: { ...Object(spec), sourceRef: { kind: 'Deployment', name: 'web' } } }
  const { name } = manifest.metadata
  return stored(who.kubectl(['-n', system.namespace, 'create', '-f', '-'], own), async () => {
    const found = await system.reaches(name, 'NamespaceExcluded')
    await system.api.delete(system.path('experiments', name))
    const ready = listOr(at(found, 'status', 'conditions')).filter(isObject)[0]
    return `controller: ${ready?.reason}`
  })
}

const forkKubeSystem: Action = async (who, world) => {
  const { spec, ...manifest } = world.manifest('shop')
  const sourceRef = { kind: 'Deployment', name: 'coredns', namespace: 'kube-system' }
  return created(who, { ...manifest, spec: { ...Object(spec), sourceRef } })
}

const writePolicy =
  (namespace: 'yard' | 'shop'): Action =>
  (who, world) =>
    stored(created(who, world.policy(world[namespace].namespace)), async () => {
      await world.unshares(world[namespace])
      return 'done'
    })

/** The policy selects the namespace by its name, which the new one has too. */
const reuseNamespace: Action = async (_who, world) => {
  const place = await placeIn(await aNamespace())
  const path = `/api/v1/namespaces/${place.namespace}`
  await world.shares(place, world.shop.namespace)
  await aSource(place, 'cart')
  const { spec, ...manifest } = world.manifest('shop')
  const sourceRef = { kind: 'Deployment', name: 'cart', namespace: place.namespace }
  const { name } = manifest.metadata
  await eventually('the consent', DEADLINE_MS, () =>
    world.shop.api.create(world.shop.path('experiments'), { ...manifest, spec: { ...Object(spec), sourceRef } }),
  )
  await world.shop.reaches(name, 'Available')
  await place.api.delete(path)
  await world.shop.reaches(name, 'SourceNotFound')
  await eventually('another namespace of that name', DEADLINE_MS, () =>
    place.api.create('/api/v1/namespaces', { metadata: { name: place.namespace } }),
  )
  await eventually('its account', DEADLINE_MS, () => place.api.get(`${path}/serviceaccounts/default`))
  await aSource(place, 'cart')
  await world.shop.reaches(name, 'Available')
  await world.shop.api.delete(world.shop.path('experiments', name))
  await world.unshares(place)
  return 'done'
}

export const WITH_OTHERS: Readonly<Record<string, Action>> = {
  'fork a workload of `kube-system` from `shop`': forkKubeSystem,
  'run an experiment in `kube-system`': runInKubeSystem,
  'share the workloads of `yard` with `shop`': writePolicy('yard'),
  'write a policy': writePolicy('shop'),
  'read the policies': (who) => who.kubectl(['get', EXPERIMENT_POLICY.plural]),
  'keep an experiment on a namespace that is deleted and created again by somebody else': reuseNamespace,
  'have a fork that another admission policy forbids her to create herself': evadePolicy,
  'forge the base of a pinned experiment on `stock`': forgeBase,
  'read the template of the source in `stock` from a pinned experiment': readBase,
  'replace the base of a pinned experiment in `shop`': replaceBase,
  'change the image of a fork': editFork('shop'),
  'change the image of the fork': editFork('stock'),
  'delete a fork': deleteFork('shop'),
  'delete the fork': deleteFork('stock'),
  'delete the fork after the consent was withdrawn': deleteForkWithoutConsent,
  'take the name of a fork before it is created': takeName,
  'change the source of an experiment': changeSource,
  'send the requests of another Service to a fork': sendRequests,
  'create a workload that is not a fork': (who) => who.kubectl(['create', 'deployment', 'miner', `--image=${EVIL}`]),
  'change the image of a source': (who) => who.kubectl(patchOf('deployment/web', { spec: imageOverride(EVIL) })),
  'make a source smaller': (who) =>
    who.kubectl([...patchOf('deployment/web', { spec: { replicas: 0 } }), `--field-manager=${SCALE_MANAGER}`]),
  'read Secrets': (who) => who.kubectl(['get', 'secrets']),
  'create a pod': (who) => who.kubectl(['run', 'miner', `--image=${EVIL}`]),
  'read the pods of `shop`': (who) => who.kubectl(['get', 'pods']),
  'change the selector of a Service': (who) => who.kubectl(patchOf('service/web', { spec: { selector: { a: 'b' } } })),
  'read a workload of `stock`': (who, { stock }) => who.kubectl(['-n', stock.namespace, 'get', 'deployment', 'cart']),
}
