import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../common/api/object.ts'
import { REASONS } from '../../../common/api/reasons.ts'
import { hazards } from '../../../common/workload/hazards.ts'
import { workloadKind } from '../../../common/workload/registry.ts'
import type { ServiceView } from '../../../common/workload/services.ts'
import { sidesOf } from '../../../common/workload/sides.ts'
import { aDeployment, aFork, aStatefulSet } from '../../builders.ts'

interface Case {
  readonly source?: KubeObject
  readonly override?: JsonObject
  readonly services?: readonly ServiceView[] | undefined
  readonly primary?: string
  readonly referrer?: string
  readonly warns: readonly string[]
}

const CART: ServiceView = { name: 'cart', selector: { app: 'cart' } }

/** `[reason] message` of each. */
function told({ source = aDeployment(), override, primary, referrer, ...of }: Case): readonly string[] {
  const kind = workloadKind(source.kind)
  if (!kind) throw new Error(`no kind ${source.kind}`)
  const fork = aFork(source, override ? { pod: override } : {})
  const pair = { kind, source, referents: [], fork }
  const services = Object.hasOwn(of, 'services') ? of.services : [CART]
  return hazards({ pair, sides: sidesOf(pair), services, primary, referrer }).map(
    ({ reason, message }) => `[${reason}] ${message}`,
  )
}

const withContainer = (container: JsonObject): KubeObject => aDeployment({ container })
const withPod = (pod: JsonObject): KubeObject => aDeployment({ pod })
const claim = (claimName: string): JsonObject => ({ name: claimName, persistentVolumeClaim: { claimName } })
const volumes = (...names: readonly string[]): JsonObject => ({ volumes: names.map(claim) })
const LEADER = '[LeaderElection] the experiment may become leader, or idle'
const LONG = 'x'.repeat(253)
const owner = (kind: string, name: string) => [{ apiVersion: 'v1', kind, name, uid: 'u', controller: true }]

const cases: Record<string, Case> = {
  'nothing to say of a plain workload': { warns: [] },
  'LeaderElection by an argument': { source: withContainer({ args: ['--leader-elect=true'] }), warns: [LEADER] },
  'LeaderElection by a bare flag of the command': {
    source: withContainer({ command: ['/bin/manager', '--enable-leader-election'] }),
    warns: [LEADER],
  },
  'LeaderElection by a variable': {
    source: withContainer({ env: [{ name: 'LEADER_ELECTION', value: 'true' }] }),
    warns: [LEADER],
  },
  'no LeaderElection by a flag that is off': { source: withContainer({ args: ['--leader-elect=false'] }), warns: [] },
  'no LeaderElection once the override has switched it off': {
    source: withContainer({ args: ['--leader-elect'] }),
    override: { containers: [{ name: 'cart', image: 'x', args: [] }] },
    warns: [],
  },
  'QueueWorker where no Service concerns the source': {
    services: [{ name: 'other', selector: { app: 'other' } }],
    warns: ['[QueueWorker] no Service: if it takes work from a queue, so does the experiment'],
  },
  'no QueueWorker where the Services could not be read': { services: undefined, warns: [] },
  'Migration by the name of an init container': {
    source: withPod({ initContainers: [{ name: 'db-migrate', image: 'x' }], containers: [] }),
    warns: ['[Migration] init container db-migrate may migrate live data'],
  },
  'Migration by images and arguments': {
    source: withPod({
      initContainers: [
        { name: 'a', image: 'flyway/flyway:10' },
        { name: 'b', image: 'x', args: ['liquibase', 'update'] },
        { name: 'c', image: 'x', command: ['alembic'] },
        { name: 'harmless', image: 'x' },
      ],
      containers: [],
    }),
    warns: ['[Migration] init containers a, b and 1 more may migrate live data'],
  },
  'SharedClaim by a volume': {
    source: withPod({ ...volumes('data'), containers: [] }),
    warns: ["[SharedClaim] claim data is the source's: ReadWriteOnce hangs pods, else they share its data"],
  },
  'no SharedClaim where the override brings another': {
    source: withPod({ ...volumes('data'), containers: [] }),
    override: volumes('mine'),
    warns: [],
  },
  'HostPort by its port': {
    source: withContainer({ ports: [{ containerPort: 9100, hostPort: 9100 }] }),
    warns: ['[HostPort] port 9100 of the node: pods may stay Pending'],
  },
  'HostPort by the network of the node': {
    source: withPod({ hostNetwork: true, containers: [{ name: 'cart', ports: [{ containerPort: 53 }] }] }),
    warns: ['[HostPort] port 53 of the node: pods may stay Pending'],
  },
  'HostPort by the network of the node alone': {
    source: withPod({ hostNetwork: true, containers: [{ name: 'cart' }] }),
    warns: ["[HostPort] the node's network: a port that is taken there keeps pods from starting"],
  },
  'Singleton by Recreate and one replica': {
    source: aDeployment({ spec: { replicas: 1, strategy: { type: 'Recreate' } } }),
    warns: ['[Singleton] the source runs alone by design: a second copy may be unsafe'],
  },
  'no Singleton of many': { source: aDeployment({ spec: { strategy: { type: 'Recreate' } } }), warns: [] },
  'PeerDiscovery of a StatefulSet behind a headless Service': {
    source: aStatefulSet(),
    services: [{ ...CART, isHeadless: true }],
    warns: ['[PeerDiscovery] the experiment joins the DNS of cart: peers may take it in'],
  },
  'no PeerDiscovery of a Deployment behind one': { services: [{ ...CART, isHeadless: true }], warns: [] },
  'EmptyVolumes by a claim template': {
    source: aStatefulSet({ spec: { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] } }),
    warns: ['[EmptyVolumes] claim data starts empty and goes with the experiment'],
  },
  'SourceIsManaged by another controller': {
    source: aDeployment({ metadata: { ownerReferences: owner('Cart', 'big') } }),
    warns: ['[SourceIsManaged] Cart/big controls the source: it may act on look-alike pods'],
  },
  'SourceIsManaged by Flagger, which has put another in its place': {
    source: aDeployment({ spec: { replicas: 0 } }),
    primary: 'cart-primary',
    warns: ['[SourceIsManaged] deployment/cart is at 0 beside deployment/cart-primary: fork that'],
  },
  'SourceIsManaged by a Rollout that takes its template from it': {
    referrer: 'rollout/cart',
    warns: ['[SourceIsManaged] rollout/cart takes its template from deployment/cart: fork that'],
  },
}

describe('hazards', () => {
  for (const [sentence, given] of Object.entries(cases))
    it(sentence, () => expect(told(given)).to.deep.equal(given.warns))

  it('Each hazard warns once, in at most 120 characters', () => {
    const everything = {
      ...volumes(LONG, `${LONG}-2`, `${LONG}-3`),
      hostNetwork: true,
      initContainers: [1, 2, 3].map((index) => ({ name: `migrate-${LONG.slice(0, 50)}${index}`, image: 'x' })),
      containers: [1, 2].map((index) => ({
        name: `c${index}`,
        args: ['--leader-elect', '--leader-election-id=x'],
        ports: [{ containerPort: 9_000 + index }],
      })),
    }
    const spec = {
      replicas: 1,
      strategy: { type: 'Recreate' },
      volumeClaimTemplates: [1, 2, 3].map((index) => ({ metadata: { name: `${LONG}${index}` } })),
      template: { metadata: { labels: { app: 'cart' } }, spec: everything },
    }
    const managed = { ownerReferences: owner('Cart', LONG) }
    const set = aStatefulSet({ spec })
    const source = { ...set, metadata: { ...set.metadata, ...managed } }
    const headless = [1, 2, 3].map((index) => ({ ...CART, name: `${LONG}${index}`, isHeadless: true }))
    const lines = [...told({ source, services: headless, warns: [] }), ...told({ source, services: [], warns: [] })]
    const all = 'SourceIsManaged LeaderElection QueueWorker Migration SharedClaim HostPort Singleton PeerDiscovery'
    const reasons = new Set(lines.map((line) => line.slice(1, line.indexOf(']'))))
    expect([...reasons]).to.have.members([...all.split(' '), 'EmptyVolumes'])
    expect(Object.keys(REASONS)).to.include.members([...reasons])
    expect(lines).to.have.length(8 + 8)
    for (const line of lines) expect(line.length, line).to.be.at.most(120)
  })
})
