import { EXPERIMENT_POLICY, FIELD_MANAGER } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { readNamespace } from '../../common/kube/reads/namespace.ts'
import { orUndefined } from '../../common/kube/reads/object.ts'
import type { Handler } from '../../common/kube/watch/handlers.ts'
import { isCounting } from '../../common/outcome/policy-decision.ts'
import {
  type CountScope,
  type ExperimentPolicy,
  type ExperimentPolicyStatus,
  isExcludedNamespace,
  isOutside,
  type NamespaceView,
  type ServedNamespaces,
} from '../../common/policy/policy.ts'
import type { KindShape } from '../../common/policy/unmatched-paths.ts'
import { RefreshingCache } from '../../common/program/refreshing-cache.ts'
import type { OtherExperiments, PoliciesPort } from '../observe/ports.ts'
import { MistakeLog } from './mistake-log.ts'
import { PolicyStatus, type PolicyStatusOptions } from './policy-status.ts'
import { PolicyValidity } from './policy-validity.ts'
import type { Reservations } from './reservations.ts'

interface PolicyRuntimeOptions
  extends Pick<PolicyStatusOptions, 'keys' | 'isKnown' | 'timers' | 'clock' | 'log'>,
    ServedNamespaces {
  readonly client: Pick<KubeClient, 'request'>
  readonly policies: PolicyStatusOptions['policies'] & { subscribe(handler: Handler<ExperimentPolicy>): unknown }
  readonly reservations: Reservations
  /** every kind that can be forked, with its schema if the cluster has one */
  readonly kinds: () => readonly KindShape[]
  /** whether an experiment or the source of one is in the namespace */
  readonly isUsedNamespace: (namespace: string) => boolean
  /** whether an experiment in the namespace has an analysis: providers are for namespaces with certain labels */
  readonly isAnalyzedNamespace: (namespace: string) => boolean
  /** wakes all experiments, or those that have something to do with `namespace` */
  readonly wake: (namespace?: string) => void
}

/** How long one write of a status may take. The stop of the controller waits for it, and a failed one is repeated. */
const STATUS_MS = 10_000

/** How long a pass waits for the labels of a namespace. The read is tried again by a later pass. */
const NAMESPACE_MS = 5_000

/** Answers what passes read about policies, and follows what the passes decided. */
export class PolicyRuntime implements PoliciesPort {
  /** what the passes decided */
  readonly status: PolicyStatus
  readonly #validity: PolicyValidity
  readonly #mistakes: MistakeLog
  readonly #options: PolicyRuntimeOptions
  readonly #namespaces: RefreshingCache<NamespaceView | 'forbidden'>

  constructor(options: PolicyRuntimeOptions) {
    const { policies, isUsedNamespace, isAnalyzedNamespace, wake, timers, kinds } = options
    this.#options = options
    this.#namespaces = new RefreshingCache({
      read: (namespace) => this.#read(namespace),
      changed: wake,
      // There is no watch of namespaces. Reading again finds a changed label, which can change the policies that apply,
      // and the providers that an analysis may ask.
      isWatched: (namespace) =>
        isAnalyzedNamespace(namespace) || (policies.list().length > 0 && isUsedNamespace(namespace)),
      timers,
    })
    this.#validity = new PolicyValidity(kinds)
    this.#mistakes = new MistakeLog({ ...options, validity: this.#validity })
    const write = (policy: ExperimentPolicy, status: ExperimentPolicyStatus) => this.#write(policy, status)
    this.status = new PolicyStatus({ ...options, validity: this.#validity, write })
    policies.subscribe((change) => {
      if (change.is === 'updated' && hasSameSpec(change.before, change.after))
        return this.status.statusChanged(change.after)
      if (change.is === 'deleted') this.#validity.forget(change.before.metadata.name)
      this.status.policiesChanged()
      this.#mistakes.look()
      wake()
    })
  }

  /** How many entries all its maps have; 0 when all experiments and policies are gone. For tests. */
  get entryCount(): number {
    return this.status.entryCount + this.#validity.size + this.#namespaces.size
  }

  /** How many paths, patterns and selectors of all policies can match nothing. */
  get mistakes(): number {
    return this.#validity.count(this.list())
  }

  /** Whether a policy limits how many experiments or pods there may be together. */
  get areCounting(): boolean {
    return isCounting({ policies: this.list() })
  }

  /**
   * Writes the status of policies from now on. An installation that serves one namespace never does: it sees only some
   * of the experiments, and another one would write other numbers. It logs the mistakes of policies instead.
   */
  startStatus(): void {
    if (this.onlyNamespace === undefined) this.status.start()
    else this.#mistakes.start()
  }

  /** Call this when a schema was read. */
  schemasChanged(): void {
    this.#validity.schemasChanged()
    this.status.schemasChanged()
    this.#mistakes.look()
  }

  list(): readonly ExperimentPolicy[] {
    return this.#options.policies.list()
  }

  isExcluded(namespace: string): boolean {
    return isExcludedNamespace(namespace, this.#options)
  }

  get onlyNamespace(): string | undefined {
    return this.#options.onlyNamespace
  }

  others(experiment: ExperimentDeployment, scope: CountScope): OtherExperiments {
    return this.#options.reservations.othersOf(experiment, scope)
  }

  async namespace(name: string): Promise<NamespaceView | undefined> {
    if (isOutside(name, this.onlyNamespace)) return { name, labels: {} } // its labels may not be read
    const found = await this.#namespaces.of(name)
    return found === 'forbidden' ? undefined : found
  }

  /** Resolves when no request is running and none will be made. */
  async stop(): Promise<void> {
    this.#namespaces.stop()
    await this.status.stop()
  }

  /** @throws KubeError when the API server does not answer, or asks to wait */
  async #read(namespace: string): Promise<NamespaceView | 'forbidden'> {
    try {
      return (await readNamespace(this.#options.client, namespace, NAMESPACE_MS)).view
    } catch (error) {
      if (error instanceof KubeError && error.kind === 'forbidden') return 'forbidden'
      throw error
    }
  }

  /** Applies the status; does nothing for a policy that is gone. @throws KubeError */
  async #write({ apiVersion, kind, metadata: { name } }: ExperimentPolicy, status: ExperimentPolicyStatus) {
    await orUndefined(
      this.#options.client.request({
        verb: 'apply',
        path: resourcePath(EXPERIMENT_POLICY, { name, subresource: 'status' }),
        query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: true },
        body: { apiVersion, kind, metadata: { name }, status },
        deadlineMs: STATUS_MS,
      }),
    )
  }
}

const hasSameSpec = (one: ExperimentPolicy, other: ExperimentPolicy): boolean =>
  one.metadata.generation === other.metadata.generation
