import { IS_EXPERIMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { auditEvents } from '../../sandbox/audit.ts'
import { type ControlPlane, startControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, install } from '../../sandbox/installation.ts'
import { collect } from '../collect.ts'
import { inParallel } from '../in-parallel.ts'
import { type Bench, ratioFigure } from './figure.ts'
import { experiments, prepare } from './forks.ts'

const COUNT = 200
/** as many as the controller has workers */
const LANES = 16
const DEADLINE_MS = 300_000
const NAMESPACE = 'followers'
const ROUNDS = 3

/** Never 30, because that is the default and therefore in every request. */
const graceOf = (seconds: number) => ({ spec: { template: { spec: { terminationGracePeriodSeconds: seconds } } } })

/** The whole spec, because the controller sends it whole too. */
const withGrace = (spec: unknown, seconds: number) =>
  JSON.parse(
    JSON.stringify(spec).replace(/"terminationGracePeriodSeconds":\d+/, `"terminationGracePeriodSeconds":${seconds}`),
  )

const forksIn = ({ api }: ControlPlane): Promise<readonly KubeObject[]> =>
  api.list(`${resourcePath(deployment, { namespace: NAMESPACE })}?labelSelector=${IS_EXPERIMENT}=true`)

/**
 * The seconds from the first to the last request that sets `grace` after the start of `act`, from the audit log of the
 * API server. Polling the forks would cost more than the requests that are measured.
 */
async function until(plane: ControlPlane, grace: number, act: () => Promise<unknown>): Promise<number> {
  await act()
  const wanted = `"terminationGracePeriodSeconds":${grace}`
  const look = async () => {
    const late = (await forksIn(plane)).filter((fork) => !JSON.stringify(fork.spec).includes(wanted))
    if (late.length > 0) throw new Error(`${late.length} are late`)
  }
  await eventually(`all forks to have ${wanted}`, DEADLINE_MS, look, { pauseMs: 500 })
  const writes = (await collect(auditEvents(plane.auditLog, wanted))).filter(
    ({ verb, objectRef, requestObject }) =>
      verb === 'patch' &&
      objectRef?.resource === 'deployments' &&
      objectRef.namespace === NAMESPACE &&
      JSON.stringify(requestObject).includes(wanted),
  )
  const first = Math.min(...writes.map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp)))
  const last = Math.max(...writes.map(({ stageTimestamp }) => Date.parse(stageTimestamp)))
  return (last - first) / 1_000
}

/**
 * Waits until every experiment is Ready again and every fork is unchanged. After the plain applies, a new controller
 * must first restore all forks.
 */
const calm = (plane: ControlPlane) =>
  eventually(
    `${COUNT} experiments to be ready`,
    DEADLINE_MS,
    async () => {
      const generations = new Map((await forksIn(plane)).map(({ metadata: { uid, generation } }) => [uid, generation]))
      const calm = (await plane.api.list<ExperimentDeployment>(experiments.path(NAMESPACE))).filter((experiment) => {
        const fork = experiment.status?.experimentResourceRef
        return experiments.isReady(experiment) && fork && generations.get(fork.uid) === fork.generation
      })
      if (calm.length < COUNT) throw new Error(`${calm.length} are`)
    },
    { pauseMs: 500 },
  )

/** Compares the update of all forks after a change of their source with the same number of plain applies. */
export const followers: Bench = {
  name: 'followers',
  measures: `a change of a source on its ${COUNT} followers, beside the bare applies of the same forks`,
  async run(tell) {
    const plane = await startControlPlane({ say: tell, crds: await crds() })
    try {
      const { controller, startController } = await install(plane)
      const source = await prepare(plane, NAMESPACE)
      const objects = Array.from({ length: COUNT }, (_, index) => experiments.object(index, NAMESPACE, source))
      await inParallel(LANES, objects, (object) => plane.api.create(experiments.path(NAMESPACE), object))
      const [followed, bare]: [number[], number[]] = [[], []]
      for (let round = 1; round <= ROUNDS; round += 1) {
        await calm(plane)
        const path = resourcePath(deployment, { namespace: NAMESPACE, name: 'cart' })
        followed.push(await until(plane, 10 * round + 5, () => plane.api.patch(path, graceOf(10 * round + 5))))
        await calm(plane)
        await controller().stop() // otherwise it would undo the applies
        const forks = await forksIn(plane)
        const { apiVersion, kind } = deployment
        const apply = ({ metadata: { name }, spec }: KubeObject) => {
          const body = { apiVersion, kind, metadata: { name }, spec: withGrace(spec, 10 * round + 6) }
          return plane.api.apply(resourcePath(deployment, { namespace: NAMESPACE, name }), body, 'bench')
        }
        bare.push(await until(plane, 10 * round + 6, () => inParallel(LANES, forks, apply)))
        tell(`round ${round}: ${followed.at(-1)?.toFixed(2)} s to follow, ${bare.at(-1)?.toFixed(2)} s of bare applies`)
        await startController()
      }
      const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
      return [ratioFigure({ name: 'followers', value: mean(followed), unit: 's', against: mean(bare), atMost: 2 })]
    } finally {
      await plane.stop()
    }
  },
}
