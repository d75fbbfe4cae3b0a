import { EXPERIMENT_POLICY, FIELD_MANAGER } from '../common/api/names.ts'
import type { ExperimentPolicy, ExperimentPolicyStatus, NamespaceView } from '../common/api/policy.ts'
import type { Timers } from '../common/clock.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { KubeError } from '../common/kube/errors.ts'
import { readNamespace } from '../common/kube/namespace.ts'
import type { Handler, Reflector } from '../common/kube/reflector.ts'
import { pathOf } from '../common/kube/resources.ts'
import type { Log } from '../common/log.ts'
import { orAbsent } from './live.ts'
import { MinuteCache } from './minute-cache.ts'
import type { Places } from './places.ts'
import { PolicyStatus } from './policy-status.ts'
import type { Key } from './reconcile/observe.ts'
import type { Kube } from './reconcile/reconcile.ts'

interface GovernanceOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly policies: Pick<Reflector<ExperimentPolicy>, 'list'> & {
    subscribe(handler: Handler<ExperimentPolicy>): unknown
  }
  readonly places: Places
  /** the namespace of our own pod */
  readonly ownNamespace: string
  /** every experiment that is not being deleted */
  readonly keys: () => Iterable<Key>
  /** whether a namespace matters to any experiment */
  readonly isOfInterest: (namespace: string) => boolean
  /** asks for another look at all experiments, or at those that a namespace matters to */
  readonly wake: (namespace?: string) => void
  readonly timers: Timers
  readonly log: Log
}

type Requests = GovernanceOptions['client']

/** A namespace's labels are worth a short wait of a pass, no more: it is tried again. */
const NAMESPACE_MS = 5_000

/** Where a webhook that reviews all would lock a cluster out of its own repair: its configurations leave these alone. */
const KUBE_SYSTEM = 'kube-system'

/** What the passes ask about policies, and what becomes of their answers. */
export class Governance {
  readonly #options: GovernanceOptions
  readonly #namespaces: MinuteCache<NamespaceView | 'forbidden'>
  readonly #status: PolicyStatus

  constructor(options: GovernanceOptions) {
    const { client, policies, keys, isOfInterest, wake, timers, log } = options
    this.#options = options
    this.#namespaces = new MinuteCache({
      list: (namespace) => namespaceView(client, namespace),
      changed: wake,
      // nothing else tells that a namespace was labelled, and with it what is forbidden there
      isWatched: (namespace) => policies.list().length > 0 && isOfInterest(namespace),
      timers,
    })
    this.#status = new PolicyStatus({
      policies: () => policies.list(),
      keys,
      write: (policy, status) => writeStatus(client, policy, status),
      timers,
      log,
    })
    policies.subscribe((change) => {
      const isEcho = change.is === 'updated' && change.before.metadata.generation === change.after.metadata.generation
      if (isEcho) return this.#status.heard(change.after)
      this.#status.changed()
      wake()
    })
  }

  /** For the spine. */
  get reads(): Pick<Kube, 'policies' | 'namespace' | 'isExcluded' | 'rivals' | 'takePlace' | 'judged'> {
    const { policies, places, ownNamespace } = this.#options
    return {
      policies: () => policies.list(),
      isExcluded: (namespace) => namespace === KUBE_SYSTEM || namespace === ownNamespace,
      rivals: (experiment, among) => places.rivalsOf(experiment, among),
      takePlace: ({ metadata }, replicas, asOf) => places.take(metadata.uid, replicas, asOf),
      judged: (key, judgement) => this.#status.judged(key, judgement),
      namespace: async (name) => {
        const found = await this.#namespaces.of(name)
        if (found === undefined)
          throw new KubeError({ kind: 'unreachable', message: `the labels of namespace ${name} cannot be read now` })
        return found === 'forbidden' ? undefined : found
      },
    }
  }

  /** Experiments that break a policy. */
  get violating(): number {
    return this.#status.violating
  }

  /** `key` is gone. */
  forget(key: Key): void {
    this.#status.forget(key)
  }

  /** Resolves when nothing is asked or written any more. */
  async stop(): Promise<void> {
    this.#namespaces.stop()
    await this.#status.stop()
  }
}

/** As it is now. Undefined where the API server cannot tell. */
async function namespaceView(client: Requests, name: string): Promise<NamespaceView | 'forbidden' | undefined> {
  try {
    return (await readNamespace(client, name, NAMESPACE_MS)).view
  } catch (error) {
    if (error instanceof KubeError) return error.kind === 'forbidden' ? 'forbidden' : undefined
    throw error
  }
}

/** @throws KubeError other than `notFound`: a policy that is gone has no status */
async function writeStatus(client: Requests, policy: ExperimentPolicy, status: ExperimentPolicyStatus) {
  const { apiVersion, kind, metadata } = policy
  const { name } = metadata
  await orAbsent(
    client.request({
      verb: 'apply',
      path: pathOf(EXPERIMENT_POLICY, { name, subresource: 'status' }),
      query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: true },
      body: { apiVersion, kind, metadata: { name }, status },
    }),
  )
}
