import type { Program } from '../binaries.ts'
import type { ControlPlane } from '../control-plane.ts'
import { eventually } from '../eventually.ts'
import { applyCrds, removeCrds } from '../first-objects.ts'
import { argoCrds } from '../modules.ts'
import { mayUse } from '../needs.ts'
import { MODULES, pinsOf } from '../pins.ts'
import { freePorts } from '../ports.ts'
import { describeExit, type SupervisedProcess } from '../processes.ts'

const MODULE = 'github.com/argoproj/argo-rollouts'
const DEADLINE_MS = 60_000
const ROLLOUTS = '/apis/argoproj.io/v1alpha1/namespaces/default/rollouts'

/** The label of the Rollouts for which a controller with an instance ID is responsible. */
const INSTANCE_ID = 'argo-rollouts.argoproj.io/controller-instance-id'

/** How a controller differs from the default. */
export interface ArgoOptions {
  /** it reconciles only Rollouts with the label of this instance; default: only those without the label */
  readonly instanceId?: string
  /** it sends 40 requests a second, as its own manifests start it; default: as many as it can */
  readonly isLimited?: boolean
}

/** Argo Rollouts in a control plane. */
export interface ArgoRollouts {
  readonly controller: SupervisedProcess
  /** Stops the controller. The CRDs, Rollouts and their pods stay. */
  readonly stop: () => Promise<void>
  /** Deletes the CRDs with every Rollout, as an uninstallation does. Resolves when they are gone. */
  readonly removeCrds: () => Promise<void>
  /** Creates the CRDs again. A running controller finds them automatically. */
  readonly installCrds: () => Promise<void>
  /** Resolves when the controller processes a Rollout. @throws Error if it does not within a minute */
  readonly reconciles: () => Promise<void>
}

/** The controller. */
export const ARGO_CONTROLLER: Program = {
  name: 'rollouts-controller',
  module: MODULES.argo,
  args: (_name, output) => [
    'build',
    '-trimpath',
    `-ldflags=-s -w -X ${MODULE}/utils/version.version=${pinsOf(MODULES.argo).versionOf(MODULE)}`,
    '-o',
    output,
    `${MODULE}/cmd/rollouts-controller`,
  ],
}

/**
 * Installs the five CRDs and starts the controller. Resolves when it reconciles. Builds it first if needed, which takes
 * minutes, once.
 * @throws Error that says which wait timed out, or how the controller ended
 */
export async function startArgoRollouts(
  plane: ControlPlane,
  { instanceId, isLimited = false }: ArgoOptions = {},
): Promise<ArgoRollouts> {
  mayUse('argoRollouts')
  const { api } = plane
  const command = await plane.program(ARGO_CONTROLLER)
  const crds = await argoCrds()
  const installCrds = () => applyCrds(api, crds)
  await installCrds() // without them the controller ends at once
  const [metrics = 0, health = 0] = await freePorts(2)
  const controller = await plane.supervise({
    name: 'argo-rollouts',
    command,
    args: [
      `--kubeconfig=${await plane.kubeconfigAs('argo-rollouts')}`,
      '--leader-elect=false',
      `--metricsPort=${metrics}`,
      `--healthzPort=${health}`,
      ...(isLimited ? [] : ['--qps=1000', '--burst=2000']),
      '--loglevel=warn', // the default is very verbose
      ...(instanceId === undefined ? [] : [`--instance-id=${instanceId}`]),
    ],
    env: { HOME: plane.stateDirectory, PATH: '/usr/bin:/bin' },
  })
  const died = new AbortController()
  void controller.exited.then((exit) => died.abort(new Error(describeExit('argo-rollouts', exit))))
  const argo: ArgoRollouts = {
    controller,
    installCrds,
    removeCrds: () => removeCrds(api, crds),
    stop: async () => void (await controller.stop()),
    reconciles: () => answers(plane, { signal: died.signal, instanceId }),
  }
  await argo.reconciles()
  return argo
}

interface AnswersOptions {
  readonly signal: AbortSignal
  readonly instanceId: string | undefined
}

/**
 * Creates an invalid Rollout, for which the controller creates no ReplicaSet. A condition on it proves that the
 * controller watches and writes. Its health port reports this too early.
 */
async function answers({ api }: ControlPlane, { signal, instanceId }: AnswersOptions): Promise<void> {
  const template = { metadata: { labels: { app: 'other' } }, spec: { containers: [{ name: 'none', image: 'none' }] } }
  const { metadata } = await api.create(ROLLOUTS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: {
      generateName: 'is-anybody-there-',
      ...(instanceId === undefined ? {} : { labels: { [INSTANCE_ID]: instanceId } }),
    },
    spec: { selector: { matchLabels: { app: 'this' } }, template, strategy: { canary: {} } },
  })
  const path = `${ROLLOUTS}/${metadata.name}`
  const complaint = async () => {
    const { status } = await api.get<{ readonly status?: { readonly conditions?: readonly object[] } }>(path)
    if (!status?.conditions?.length) throw new Error('it has no conditions')
  }
  try {
    await eventually('Argo Rollouts to set conditions on a Rollout', DEADLINE_MS, complaint, { signal })
  } finally {
    await api.delete(path)
  }
}
