/** The attacks of docs/attacks.md that need more than one request, against the product and the real API server. */
import { expect } from 'chai'
import { stringify } from 'yaml'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID, EXPERIMENT_POLICY, GROUP } from '../../common/api/names.ts'
import { at, type JsonObject, objectOr } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { forkName, ownerReference } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { aNamespace } from './fixture.ts'
import { aSource, DEADLINE_MS, forkOf, imagesOf, placeIn, usesProduct } from './product.ts'

describe('attacks on a running product', () => {
  const place = usesProduct()

  /** What kubectl prints for the manifest. */
  async function kubectl(name: string, spec: JsonObject, ...args: readonly string[]): Promise<string> {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const manifest = stringify({ apiVersion, kind, metadata: { name }, spec })
    return (await place().kubectl(['apply', ...args, '-f', '-'], manifest)).text
  }
  const of = (name: string, overrideSpec: JsonObject = {}): JsonObject => ({
    sourceRef: { kind: 'Deployment', name },
    overrideSpec,
  })

  it('A4 and A5: a Service that a label joins or leaves is reported', async () => {
    await aSource(place(), 'a4')
    await aSource(place(), 'a4-other')
    const labels = { app: 'a4-other' }
    const text = await kubectl('a4', of('a4', { template: { metadata: { labels } } }), '--dry-run=server')
    expect(text).to.contain('[JoinsService] the fork gets requests from service/a4-other')
    expect(text).to.contain('[LeavesService] the fork gets no requests from service/a4:')
  })

  it('A7: what GitOps, Helm and kapp keep on a workload is not copied', async () => {
    const keys = {
      'argocd.argoproj.io/instance': 'a7',
      'meta.helm.sh/release-name': 'a7',
      'kapp.k14s.io/identity': 'a7',
    }
    await aSource(place(), 'a7', { annotations: keys })
    await place().api.patch(place().path('deployments', 'a7'), {
      metadata: { labels: { 'argocd.argoproj.io/instance': 'a7' }, annotations: keys },
    })
    await place().experiment('a7', { source: 'a7' })
    const fork = await place().deployment(forkOf(await place().reaches('a7', 'Available')))
    const text = JSON.stringify([fork.metadata.labels, fork.metadata.annotations, at(fork, 'spec', 'template')])
    for (const key of Object.keys(keys)) expect(text).to.not.contain(key)
  })

  it('A11 and A13: a foreign registry, and tolerations, are refused by a policy that forbids them', async () => {
    await aSource(place(), 'a11')
    const policy = resourcePath(EXPERIMENT_POLICY, { name: `test-${place().namespace}` })
    await place().api.apply(policy, {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: `test-${place().namespace}` },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': place().namespace } },
        allowedImages: ['registry.example/**'],
        deniedOverridePaths: ['template.spec.tolerations'],
      },
    })
    const spec = {
      containers: [{ name: 'cart', image: 'registry.example.evil.test/cart:1' }],
      tolerations: [{ operator: 'Exists' }],
    }
    await eventually('the policy to rule', DEADLINE_MS, async () => {
      const text = await kubectl('a11', of('a11', { template: { spec } }), '--dry-run=server')
      expect(text).to.contain('containers[0].image: ').and.to.contain('registry.example.evil.test')
      expect(text).to.contain('spec.overrideSpec.template.spec.tolerations')
    })
    await place().api.delete(policy)
  })

  it('A15: a pause gets a warning; a strategy and a long history are allowed', async () => {
    await aSource(place(), 'a15')
    const text = await kubectl('a15', of('a15', { paused: true, revisionHistoryLimit: 100 }), '--dry-run=server')
    expect(text).to.contain('[Paused] paused: changes do not reach the pods').and.to.contain('created (server dry run)')
  })

  it('A19: a source that is a fork is refused', async () => {
    await aSource(place(), 'a19')
    await place().experiment('a19', { source: 'a19' })
    const fork = forkOf(await place().reaches('a19', 'Available'))
    expect(await kubectl('a19-copy', of(fork))).to.contain(`deployment/${fork} is itself the fork of an experiment`)
  })

  it('A20: a source that an operator owns gets a warning', async () => {
    await aSource(place(), 'a20')
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'operator', uid: 'u', controller: true }
    const path = `/api/v1/namespaces/${place().namespace}/configmaps`
    const { metadata } = await place().api.create(path, { metadata: { name: 'operator' } })
    await place().api.patch(place().path('deployments', 'a20'), {
      metadata: { ownerReferences: [{ ...owner, uid: metadata.uid }] },
    })
    expect(await kubectl('a20', of('a20'), '--dry-run=server')).to.contain('[SourceIsManaged] ConfigMap/operator')
  })

  it('A25: a pattern has limits, and is matched in linear time', async () => {
    const policy = (allowedImages: readonly string[]) => ({
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: 'test-a25' },
      spec: { namespaceSelector: { matchLabels: { none: 'none' } }, allowedImages },
    })
    const path = `${resourcePath(EXPERIMENT_POLICY)}?dryRun=All`
    const refused = await place()
      .api.create(path, policy(['x'.repeat(257)]))
      .catch((error: Error) => error.message)
    expect(refused).to.contain('allowedImages')
    await place().api.create(path, policy([`registry.example/${'**/'.repeat(70)}x`]))
  })

  it('A26: the source and immutable fields cannot be changed', async () => {
    await aSource(place(), 'a26')
    await place().api.create(place().path('statefulSets'), {
      metadata: { name: 'a26' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'a26-set' } },
        template: { metadata: { labels: { app: 'a26-set' } }, spec: { containers: [{ name: 'c', image: 'c' }] } },
      },
    })
    await kubectl('a26', of('a26'))
    expect(await kubectl('a26', of('other'))).to.contain('spec.sourceRef: Forbidden: is immutable')
    const set = (serviceName: string) => ({
      ...of('a26', { serviceName }),
      sourceRef: { kind: 'StatefulSet', name: 'a26' },
    })
    await kubectl('a26-set', set('one'))
    expect(await kubectl('a26-set', set('two'))).to.contain('spec.overrideSpec.serviceName: ')
  })

  it('A27: a fork that somebody edits is restored', async () => {
    await aSource(place(), 'a27')
    await place().experiment('a27', { source: 'a27' })
    const fork = forkOf(await place().reaches('a27', 'Available'))
    const spec = { template: { spec: { containers: [{ name: 'cart', image: 'miner' }] } } }
    await place().api.patch(place().path('deployments', fork), { spec }, 'strategic')
    await eventually('the image to be restored', DEADLINE_MS, async () =>
      expect(imagesOf(await place().deployment(fork))).to.deep.equal(['registry.example/cart:1']),
    )
  })

  it('A21 and A28: a foreign object with the name of the fork is never written, even if it names our uid as its owner', async () => {
    await place().experiment('a28', { source: 'a28' })
    const { metadata } = await place().reaches('a28', 'SourceNotFound')
    const name = forkName('a28', metadata.uid)
    const labels = { app: 'foreign' }
    const foreign = await place().api.create(place().path('deployments'), {
      metadata: { name, ownerReferences: [ownerReference(await place().experimentAt('a28'))] },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'foreign' }] } },
      },
    })
    await aSource(place(), 'a28')
    await place().reaches('a28', 'NameConflict')
    const now = await place().deployment(name)
    expect([now.metadata.uid, imagesOf(now)]).to.deep.equal([foreign.metadata.uid, ['foreign']])
    expect(now.metadata.labels?.[EXPERIMENT_ID]).to.equal(undefined)
  })

  it('A29: a forged status deletes nothing and is corrected', async () => {
    await aSource(place(), 'a29')
    await aSource(place(), 'a29-victim')
    await place().experiment('a29', { source: 'a29' })
    const before = await place().reaches('a29', 'Available')
    const victim = await place().deployment('a29-victim')
    const forged = {
      experimentResourceRef: { ...before.status?.experimentResourceRef, name: 'a29-victim', uid: victim.metadata.uid },
      conditions: [],
    }
    await place().api.patch(`${place().path('experiments', 'a29')}/status`, { status: forged })
    await place().api.patch(place().path('experiments', 'a29'), { spec: { replicas: 2 } })
    const after = await place().reaches('a29', 'Available')
    expect(forkOf(after)).to.equal(forkOf(before))
    expect((await place().deployment('a29-victim')).metadata).to.deep.include({
      uid: victim.metadata.uid,
      generation: victim.metadata.generation,
    })
  })

  it('A30: a quota limits the number of experiments', async () => {
    const namespace = await aNamespace()
    const { api } = place()
    const count = `count/experimentdeployments.${GROUP}`
    const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`
    const few = (hard: string) => ({ metadata: { name: 'few' }, spec: { hard: { [count]: hard } } })
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const create = (name: string, query = '') =>
      api
        .create(`${resourcePath(EXPERIMENT_DEPLOYMENT, { namespace })}${query}`, {
          apiVersion,
          kind,
          metadata: { name },
          spec: of('a30'),
        })
        .then(() => 'created')
        .catch((error: Error) => error.message)
    // the API server enforces a quota some time after its creation; a refusal proves that it does
    await api.create(quotas, few('0'))
    await eventually('the quota to hold', DEADLINE_MS, async () =>
      expect(await create('none', '?dryRun=All')).to.contain('exceeded quota: few'),
    )
    await api.patch(`${quotas}/few`, few('1'))
    await eventually('the quota to be raised', DEADLINE_MS, async () =>
      expect(await create('first')).to.equal('created'),
    )
    expect(await create('second')).to.contain('exceeded quota: few')
  })

  it('A38: N29: four Services of a megabyte hold up no other namespace', async () => {
    const [{ api }, attacker] = [place(), await placeIn(await aNamespace())]
    const lease = async () => {
      const name = 'experiment-controller'
      const { spec } = await api.get(resourcePath(RESOURCES.Lease, { namespace: SYSTEM_NAMESPACE, name }))
      const { holderIdentity, leaseTransitions } = objectOr(spec)
      return { holderIdentity, leaseTransitions }
    }
    const before = await lease()
    const selector = Object.fromEntries(Array.from({ length: 95_000 }, (_, index) => [`k${index}`, '']))
    const names = ['a', 'b', 'c', 'd'].map((name) => `big-${name}`)
    for (const name of names)
      await api.create(attacker.path('services'), { metadata: { name }, spec: { selector, ports: [{ port: 80 }] } })
    await aSource(attacker, 'mine')
    await aSource(place(), 'a38')
    await attacker.experiment('mine', { source: 'mine' })
    await place().experiment('a38', { source: 'a38' })
    await place().reaches('a38', 'Available')
    const { warnings = [] } = (await attacker.reaches('mine', 'Available')).status ?? {}
    const told = warnings.find(({ reason }) => reason === 'NotCompared')?.message
    expect(told).to.contain('service/big-a (it has more than 100,000 keys and items)')
    expect(await lease()).to.deep.equal(before)
  })
})
