import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { REASONS } from '../../../common/api/reasons.ts'
import { watchedPart } from '../../../common/fork/watched.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import { hazards, primaryOf, referrerOf, sourceOfPrimary } from '../../../common/surroundings/hazards.ts'
import { trafficInput } from '../../../common/surroundings/pod-labels.ts'
import type { ServiceView } from '../../../common/surroundings/traffic.ts'
import { workloadKind } from '../../../common/workload/registry.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aDeployment, aFork, aRollout, aStatefulSet } from '../../builders.ts'

interface Case {
  readonly source?: KubeObject
  readonly override?: JsonObject
  /** members that replace those of the fork's `spec` */
  readonly spec?: JsonObject
  readonly services?: readonly ServiceView[] | undefined
  readonly primary?: string
  readonly referrer?: string
  readonly warns: readonly string[]
}

const CART: ServiceView = { name: 'cart', selector: { app: 'cart' } }

/** Each warning as `[reason] message`. */
function warnings({ source = aDeployment(), override, spec, primary, referrer, ...of }: Case): readonly string[] {
  const kind = workloadKind(source.kind)
  if (!kind) throw new Error(`no kind ${source.kind}`)
  const made = aFork(source, override ? { pod: override } : {})
  const fork = { ...made, spec: { ...objectOr(made.spec), ...spec } }
  const pair = { kind, source, referents: [], fork }
  const services = Object.hasOwn(of, 'services') ? of.services : [CART]
  return hazards({ pair, pods: trafficInput(pair), services, primary, referrer }).map(
    ({ reason, message }) => `[${reason}] ${message}`,
  )
}

const withContainer = (container: JsonObject): KubeObject => aDeployment({ container })
const withPod = (pod: JsonObject): KubeObject => aDeployment({ pod })
const claim = (claimName: string): JsonObject => ({ name: claimName, persistentVolumeClaim: { claimName } })
const volumes = (...names: readonly string[]): JsonObject => ({ volumes: names.map(claim) })
const LEADER = '[LeaderElection] leader election is on: the experiment may become the leader, or stay idle'
const ADDRESS = 'ovn.kubernetes.io/ip_address'
const LONG = 'x'.repeat(253)
const owner = (kind: string, name: string) => [{ apiVersion: 'v1', kind, name, uid: 'u', controller: true }]

const cases: Record<string, Case> = {
  'no warning for a plain workload': { warns: [] },
  'LeaderElection for an argument': { source: withContainer({ args: ['--leader-elect=true'] }), warns: [LEADER] },
  'LeaderElection for a flag without a value in the command': {
    source: withContainer({ command: ['/bin/manager', '--enable-leader-election'] }),
    warns: [LEADER],
  },
  'LeaderElection for a variable': {
    source: withContainer({ env: [{ name: 'LEADER_ELECTION', value: 'true' }] }),
    warns: [LEADER],
  },
  'LeaderElection for the name of what is elected by': {
    source: withContainer({ args: ['--election-id=ingress-nginx-leader'] }),
    warns: [LEADER],
  },
  'LeaderElection for the name of a Lease': {
    source: withContainer({ env: [{ name: 'LEASE_NAME', value: 'cart' }] }),
    warns: [LEADER],
  },
  'no LeaderElection for the name of a release': {
    source: withContainer({ args: ['--release-name=cart'], env: [{ name: 'RELEASE_NAME', value: 'cart' }] }),
    warns: [],
  },
  'no LeaderElection for a flag that is false': {
    source: withContainer({ args: ['--leader-elect=false'] }),
    warns: [],
  },
  'no LeaderElection if the override removes the flag': {
    source: withContainer({ args: ['--leader-elect'] }),
    override: { containers: [{ name: 'cart', image: 'x', args: [] }] },
    warns: [],
  },
  'QueueWorker if no Service selects the source': {
    services: [{ name: 'other', selector: { app: 'other' } }],
    warns: ['[QueueWorker] no Service selects the source: if it reads from a queue, the fork does too'],
  },
  'no QueueWorker if a Service selects the source by a label that its pods get while they run': {
    source: aStatefulSet(),
    services: [{ name: 'leader', selector: { app: 'cart', role: 'leader' } }],
    warns: [],
  },
  'QueueWorker if a Service selects by a label that the source has with another value': {
    source: aDeployment({ podLabels: { role: 'worker' } }),
    services: [{ name: 'web', selector: { app: 'cart', role: 'web' } }],
    warns: ['[QueueWorker] no Service selects the source: if it reads from a queue, the fork does too'],
  },
  'no QueueWorker if the Services could not be read': { services: undefined, warns: [] },
  'Migration for the name of an init container': {
    source: withPod({ initContainers: [{ name: 'db-migrate', image: 'x' }], containers: [] }),
    warns: ['[Migration] init container db-migrate may run migrations on live data'],
  },
  'Migration for images, commands and arguments': {
    source: withPod({
      initContainers: [
        { name: 'a', image: 'flyway/flyway:10' },
        { name: 'b', image: 'x', args: ['liquibase', 'update'] },
        { name: 'c', image: 'x', command: ['alembic'] },
        { name: 'harmless', image: 'x' },
      ],
      containers: [],
    }),
    warns: ['[Migration] init containers a, b and 1 more may run migrations on live data'],
  },
  'SharedClaim for a volume': {
    source: withPod({ ...volumes('data'), containers: [] }),
    warns: [
      '[SharedClaim] shares PVC data with the source: pods may not start (ReadWriteOnce) or may write the same data',
    ],
  },
  'SharedClaim for data on a server': {
    source: withPod({
      volumes: [{ name: 'data', nfs: { server: '192.0.2.9', path: '/' } }],
      containers: [{ name: 'cart', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    }),
    warns: ['[SharedClaim] shares volume data (nfs) with the source: pods may write the same data'],
  },
  'HostPort for a host port': {
    source: withContainer({ ports: [{ containerPort: 9100, hostPort: 9100 }] }),
    warns: ['[HostPort] uses port 9100 of the node: pods may stay Pending'],
  },
  'HostPort for the container ports with hostNetwork': {
    source: withPod({ hostNetwork: true, containers: [{ name: 'cart', ports: [{ containerPort: 53 }] }] }),
    warns: ['[HostPort] uses port 53 of the node: pods may stay Pending'],
  },
  'HostPort for hostNetwork without ports': {
    source: withPod({ hostNetwork: true, containers: [{ name: 'cart' }] }),
    warns: ["[HostPort] uses the node's network: pods cannot start on a node where their port is in use"],
  },
  'FixedAddress for an annotation with an address': {
    source: aDeployment({ podAnnotations: { [ADDRESS]: '192.0.2.7' } }),
    warns: [`[FixedAddress] takes the address of the source's pods (${ADDRESS}); override the annotation`],
  },
  'Singleton for Recreate and one replica': {
    source: aDeployment({ spec: { replicas: 1, strategy: { type: 'Recreate' } } }),
    warns: ['[Singleton] the source has 1 replica and strategy Recreate: a second instance may be unsafe'],
  },
  'no Singleton for several replicas': { source: aDeployment({ spec: { strategy: { type: 'Recreate' } } }), warns: [] },
  'PeerDiscovery for a StatefulSet with a headless Service': {
    source: aStatefulSet(),
    services: [{ ...CART, isHeadless: true }],
    warns: ["[PeerDiscovery] the fork's pods are in the DNS of cart: peers may accept them as members"],
  },
  'PeerDiscovery for a Deployment with a headless Service': {
    services: [{ ...CART, isHeadless: true }],
    warns: ["[PeerDiscovery] the fork's pods are in the DNS of cart: peers may accept them as members"],
  },
  'no PeerDiscovery for a headless Service of other pods': {
    services: [CART, { name: 'other', selector: { app: 'other' }, isHeadless: true }],
    warns: [],
  },
  'EmptyVolumes for a claim template': {
    source: aStatefulSet({ spec: { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] } }),
    warns: ['[EmptyVolumes] PVC data starts empty and is deleted with the experiment'],
  },
  'EmptyVolumes for a claim template that asks for one volume': {
    source: aStatefulSet({
      spec: { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { volumeName: 'v' } }] },
    }),
    warns: ['[EmptyVolumes] PVC data asks for volume v, which the source may have: pods may stay Pending'],
  },
  'Paused for paused: true in the override': {
    spec: { paused: true },
    warns: ['[Paused] paused: changes do not reach the pods until it is resumed'],
  },
  'Paused for canary steps': {
    spec: { strategy: { canary: { steps: [{ setWeight: 1 }] } } },
    warns: ['[Paused] canary steps: each change of the experiment goes through them'],
  },
  'Paused for an analysis': {
    spec: { strategy: { canary: { analysis: {} } } },
    warns: ['[Paused] canary analysis: each change of the experiment waits for it'],
  },
  'SourceIsManaged for another controller': {
    source: aDeployment({ metadata: { ownerReferences: owner('Cart', 'big') } }),
    warns: ["[SourceIsManaged] Cart/big controls the source: it may act on the fork's pods too"],
  },
  'SourceIsManaged for a source that Flagger has replaced': {
    source: aDeployment({ spec: { replicas: 0 } }),
    primary: 'cart-primary',
    warns: [
      '[SourceIsManaged] deployment/cart-primary serves in place of deployment/cart: fork deployment/cart-primary instead',
    ],
  },
  'SourceIsManaged for a Rollout that uses the template of the source': {
    referrer: 'rollout/cart',
    warns: ['[SourceIsManaged] rollout/cart takes its template from deployment/cart: fork rollout/cart instead'],
  },
}

describe('hazards', () => {
  for (const [sentence, given] of Object.entries(cases))
    it(`gives ${sentence}`, () => expect(warnings(given)).to.deep.equal(given.warns))

  it('gives each warning once, in at most 256 characters, for names of any length', () => {
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
      volumeClaimTemplates: [{}, { dataSource: { kind: LONG, name: LONG } }, { volumeName: LONG }].map(
        (spec, index) => ({
          metadata: { name: `${LONG}${index}` },
          spec,
        }),
      ),
      template: {
        metadata: { labels: { app: 'cart' }, annotations: { [ADDRESS]: LONG, [`${LONG}.${ADDRESS}`]: LONG } },
        spec: everything,
      },
    }
    const managed = { ownerReferences: owner('Cart', LONG) }
    const set = aStatefulSet({ spec })
    const source = { ...set, metadata: { ...set.metadata, ...managed } }
    const headless = [1, 2, 3].map((index) => ({ ...CART, name: `${LONG}${index}`, isHeadless: true }))
    const lines = [
      ...warnings({ source, services: headless, warns: [] }),
      ...warnings({ source, services: [], warns: [] }),
    ]
    const all = 'SourceIsManaged LeaderElection QueueWorker Migration SharedClaim HostPort FixedAddress Singleton'
    const reasons = new Set(lines.map((line) => line.slice(1, line.indexOf(']'))))
    expect([...reasons]).to.have.members([...all.split(' '), 'PeerDiscovery', 'EmptyVolumes'])
    expect(Object.keys(REASONS)).to.include.members([...reasons])
    expect(lines).to.have.length(9 + 9)
    for (const line of lines) expect(line.length, line).to.be.at.most(256)
  })
})

describe('primaryOf', () => {
  it('is the name of the primary that Flagger makes of a source, which it scales to zero', () => {
    expect(primaryOf(aDeployment({ spec: { replicas: 0 } }))).to.equal('cart-primary')
    expect(primaryOf(aDeployment())).to.equal(undefined)
  })

  it('has an inverse, by which a primary finds the source', () => {
    expect(['cart-primary', 'cart'].map(sourceOfPrimary)).to.deep.equal(['cart', undefined])
  })
})

describe('referrerOf', () => {
  it('finds the Rollout that uses the template of the source', () => {
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' }
    const watched = watchedPart(rollout, { ...aRollout({ workloadRef }), metadata: { name: 'front' } })
    const others = [aDeployment(), watched]
    expect(referrerOf(aDeployment(), others)).to.equal('rollout/front')
    expect(referrerOf(aDeployment({ name: 'other' }), others)).to.equal(undefined)
    expect(referrerOf(aStatefulSet(), others)).to.equal(undefined)
  })
})
