import type { Known } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, textOr } from '../../common/json/json.ts'
import { RESOURCES } from '../../common/kube/client/resources.ts'
import { pause } from '../../common/program/clock.ts'
import { text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { bad, type Check, type Facts, type Finding, notKnown, ok, warn } from './check.ts'
import type { Account } from './expected.ts'
import { type Installation, nameOf } from './installation.ts'
import { installAgain, restart } from './remedies.ts'

const STALE_MS = 30_000
/** The holder renews every 2 s. */
const RENEWED_MS = 3_000

/** How many replicas the manifests have. */
const REPLICAS: Readonly<Record<Account, number>> = { controller: 2, webhook: 3 }

/** Whether both programs run, and one replica of the controller leads. */
export const controller: Check = { name: 'controller', needs: [], look }

async function look(facts: Facts): Promise<Finding> {
  const { installation } = facts
  const programs = (['controller', 'webhook'] as const).map((each) => programOf(each, installation))
  const broken = programs.find(({ result }) => result === 'bad')
  if (broken) return broken
  const lease = await readLease(facts)
  if (lease.is === 'unknown') return notKnown(text(lease.because))
  const holder = lease.is === 'known' ? textOr(at(lease.value, 'spec', 'holderIdentity'), '') : ''
  const remedy = restart(nameOf('controller'), installation)
  if (lease.is === 'absent' || holder === '')
    return bad(said`nobody holds the Lease ${text(nameOf('controller'))}`, remedy)
  if (isStale(lease.value, facts.clock()) && !(await isRenewed(lease.value, facts)))
    return bad(
      said`${text(holder)} holds the Lease and has not renewed it since ${text(renewedAt(lease.value))}`,
      remedy,
    )
  return programs.find(({ result }) => result !== 'ok') ?? ok(said`${text(holder)} leads`)
}

const readLease = ({ cluster, installation: { namespace } }: Facts): Promise<Known<KubeObject>> =>
  cluster.get(RESOURCES.Lease, { namespace, name: nameOf('controller') })

const renewedAt = (lease: KubeObject): string => textOr(at(lease, 'spec', 'renewTime'), '')

/** Whether it was last renewed long ago, or cannot be: where the clock here is behind, an old Lease looks young. */
const isStale = (lease: KubeObject, now: Date): boolean =>
  !(Math.abs(now.getTime() - Date.parse(renewedAt(lease))) <= STALE_MS)

/** The clock of this machine may not be that of the cluster, so a Lease counts as renewed when it changes. */
async function isRenewed(lease: KubeObject, facts: Facts): Promise<boolean> {
  await pause(facts.timers, RENEWED_MS, facts.signal)
  const later = await readLease(facts)
  return later.is === 'known' && renewedAt(later.value) !== renewedAt(lease)
}

/** What the Deployment of a program says about its pods. */
function programOf(account: Account, installation: Installation): Finding {
  const [deployment, name] = [installation.deployments[account], text(nameOf(account))]
  const namespace = text(installation.namespace)
  if (deployment.is === 'unknown') return notKnown(text(deployment.because))
  if (deployment.is === 'absent')
    return installation.isByUrl
      ? ok(said`it runs elsewhere`)
      : bad(said`there is no Deployment ${name} in ${namespace}`, installAgain(installation))
  const [wanted, available] = [
    at(deployment.value, 'spec', 'replicas'),
    at(deployment.value, 'status', 'availableReplicas'),
  ]
  const [pods, ready] = [typeof wanted === 'number' ? wanted : 1, typeof available === 'number' ? available : 0]
  if (pods === 0)
    return bad(
      said`Deployment ${name} is scaled to 0`,
      said`Scale it: kubectl scale deployment/${name} --replicas=${REPLICAS[account]} --namespace=${namespace}`,
    )
  const remedy = said`See why: kubectl describe pods --namespace=${namespace} --selector=app.kubernetes.io/name=${name}`
  const seen = said`${ready} of ${pods} pods of Deployment ${name} are available`
  return ready === 0 ? bad(seen, remedy) : ready < pods ? warn(seen, remedy) : ok(seen)
}
