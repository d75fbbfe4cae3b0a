import type { BuildArgs } from '../binaries.ts'
import type { ControlPlane } from '../control-plane.ts'
import { eventually } from '../eventually.ts'
import { applyCrds, removeCrds } from '../first-objects.ts'
import { argoCrds } from '../modules.ts'
import { MODULES, pinsOf } from '../pins.ts'
import { freePorts } from '../ports.ts'
import { describeExit, type SupervisedProcess } from '../processes.ts'

const MODULE = 'github.com/argoproj/argo-rollouts'
const DEADLINE_MS = 60_000
const ROLLOUTS = '/apis/argoproj.io/v1alpha1/namespaces/default/rollouts'

/** Argo Rollouts in a control plane. */
export interface ArgoRollouts {
  readonly controller: SupervisedProcess
  /** Ends the controller; the CRDs stay, and so do Rollouts and their pods. */
  readonly stop: () => Promise<void>
  /** Takes the CRDs away, and with them every Rollout, as an uninstallation does. Resolves when they are gone. */
  readonly removeCrds: () => Promise<void>
  /** Puts them back, empty. A controller that runs finds them again by itself. */
  readonly installCrds: () => Promise<void>
  /** Resolves when the controller answers to a Rollout. @throws Error when it does not within a minute. */
  readonly reconciles: () => Promise<void>
}

const buildArgs: BuildArgs = (_name, output) => [
  'build',
  '-trimpath',
  `-ldflags=-s -w -X ${MODULE}/utils/version.version=${pinsOf(MODULES.argo).versionOf(MODULE)}`,
  '-o',
  output,
  `${MODULE}/cmd/rollouts-controller`,
]

/**
 * Installs the five CRDs and starts the controller, building it first if need be (minutes, once), until it reconciles.
 * @throws Error that tells what was waited for in vain, or how the controller ended.
 */
export async function startArgoRollouts(plane: ControlPlane): Promise<ArgoRollouts> {
  const { api } = plane
  const command = await plane.program('rollouts-controller', MODULES.argo, buildArgs)
  const crds = await argoCrds()
  const installCrds = () => applyCrds(api, crds)
  await installCrds() // it ends at once without them
  const [metrics = 0, health = 0] = await freePorts(2)
  const controller = await plane.supervise({
    name: 'argo-rollouts',
    command,
    args: [
      `--kubeconfig=${await plane.kubeconfigAs('argo-rollouts')}`,
      '--leader-elect=false',
      `--metricsPort=${metrics}`,
      `--healthzPort=${health}`,
      '--qps=1000',
      '--burst=2000',
      '--loglevel=warn', // it is verbose: a log of megabytes helps nobody
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
    reconciles: () => answers(plane, died.signal),
  }
  await argo.reconciles()
  return argo
}

/**
 * A Rollout that the controller can only complain about, so that no ReplicaSet comes of it: that it complains proves
 * that it watches and writes. Its health port says so before it does.
 */
async function answers({ api }: ControlPlane, signal: AbortSignal): Promise<void> {
  const template = { metadata: { labels: { app: 'other' } }, spec: { containers: [{ name: 'none', image: 'none' }] } }
  const { metadata } = await api.create(ROLLOUTS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { generateName: 'is-anybody-there-' },
    spec: { selector: { matchLabels: { app: 'this' } }, template, strategy: { canary: {} } },
  })
  const path = `${ROLLOUTS}/${metadata.name}`
  const complaint = async () => {
    const { status } = await api.get<{ readonly status?: { readonly conditions?: readonly object[] } }>(path)
    if (!status?.conditions?.length) throw new Error('it has no conditions')
  }
  try {
    await eventually('Argo Rollouts to judge a Rollout', DEADLINE_MS, complaint, { signal })
  } finally {
    await api.delete(path)
  }
}
