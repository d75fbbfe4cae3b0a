import { expect } from 'chai'
import {
  EXPERIMENT_DEPLOYMENT,
  EXPERIMENT_POLICY,
  FORK_FINALIZER,
  OWNER_NAMESPACE,
  OWNER_UID,
} from '../../common/api/names.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { aNamespace } from './fixture.ts'
import { aSource, condition, DEADLINE_MS, forkOf, installation, type Place, placeIn, usesProduct } from './product.ts'
import { staysQuiet } from './quiet.ts'

describe('a source in another namespace, on the real control plane', () => {
  const place = usesProduct()
  let shop: Place
  before('there is a namespace with the sources', async () => {
    shop = await placeIn(await aNamespace())
  })
  after('no policy is left for other suites', async () => {
    await place()
      .api.delete(policyPath(`shared-${shop.namespace}`))
      .catch(() => undefined)
  })

  const policyPath = (name?: string) => resourcePath(EXPERIMENT_POLICY, name === undefined ? {} : { name })
  const consent = (spec: ExperimentPolicySpec) =>
    place().api.create(policyPath(), {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: `shared-${shop.namespace}` },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': shop.namespace } },
        ...spec,
      },
    })
  const experiment = (name: string, source: string) => place().experiment(name, { source, of: shop.namespace })
  const forksIn = async ({ api, path }: Place) =>
    (await api.list(path('deployments'))).filter(({ metadata }) => metadata.name.includes('-experiment-'))

  const allow = (namespace: string) =>
    place().api.patch(policyPath(`shared-${shop.namespace}`), { spec: { allowSourcesFrom: [namespace] } })

  it('is not forked without consent, and its existence is not revealed', async () => {
    await consent({ allowSourcesFrom: [place().namespace] })
    await eventually('consent to be seen', DEADLINE_MS, () => experiment('uninvited', 'cart'))
    await place().reaches('uninvited', 'SourceNotFound')
    await allow('elsewhere')
    await place().reaches('uninvited', 'SourceNotAllowed')
    await aSource(shop, 'cart')
    const refused = await place().reaches('uninvited', 'SourceNotAllowed')
    expect(condition(refused, 'Stalled')?.status).to.equal('True')
    expect(condition(refused, 'SourceResolved')?.reason).to.equal('SourceNotAllowed')
    expect(refused.metadata.finalizers).to.equal(undefined)
    expect(await forksIn(shop)).to.deep.equal([])
  })

  it('is forked in its own namespace as soon as that consents', async () => {
    await allow(place().namespace)
    const made = await place().reaches('uninvited', 'Available')
    const fork = await shop.deployment(forkOf(made))
    expect(fork.metadata.ownerReferences).to.equal(undefined)
    expect(fork.metadata.labels).to.include({ [OWNER_NAMESPACE]: place().namespace, [OWNER_UID]: made.metadata.uid })
    expect(made.metadata.finalizers).to.deep.equal([FORK_FINALIZER])
    expect(made.status?.experimentResourceRef?.namespace).to.equal(shop.namespace)
    expect(await forksIn(place())).to.deep.equal([])
    await place().shows('uninvited', 'its share of the Service there', ({ status }) => status?.share === '50%')
  })

  it('has its fork restored, and then nothing is written', async () => {
    const name = forkOf(await place().experimentAt('uninvited'))
    await shop.api.patch(shop.path('deployments', name), { spec: { replicas: 3 } })
    await eventually('the fork to be repaired', DEADLINE_MS, async () =>
      expect(await shop.deployment(name)).to.have.nested.property('spec.replicas', 1),
    )
    await place().shows('uninvited', 'one pod of two', ({ status }) => status?.share === '50%')
    await place().reaches('uninvited', 'Available')
    await eventually('silence', DEADLINE_MS, async () => {
      await staysQuiet(place().namespace, 5_000)
      await staysQuiet(shop.namespace, 1_000)
    })
  })

  it('S2: has a fork that kubectl scale makes smaller, but never larger than was reviewed', async () => {
    const name = forkOf(await place().experimentAt('uninvited'))
    const scale = async (replicas: number) =>
      expect((await place().kubectl(['scale', 'expd/uninvited', `--replicas=${replicas}`])).code).to.equal(0)
    await scale(300)
    const refused = await place().reaches('uninvited', 'ScaleNotReviewed')
    expect(condition(refused, 'Stalled')?.message).to.match(/^the fork keeps 1 of 300 pods: /)
    expect(await shop.deployment(name)).to.have.nested.property('spec.replicas', 1)
    await scale(0)
    await place().reaches('uninvited', 'ScaledToZero')
    await scale(1)
    await place().reaches('uninvited', 'Available')
  })

  it('keeps its fork when consent is withdrawn, and says so', async () => {
    await allow('elsewhere')
    const kept = await place().reaches('uninvited', 'SourceNotAllowed')
    expect(condition(kept, 'PolicyCompliant')?.status).to.equal('False')
    expect(await forksIn(shop)).to.have.length(1)
  })

  it('S7: loses its fork although somebody removed the finalizer before the deletion', async () => {
    await allow(place().namespace)
    await experiment('torn', 'cart')
    const fork = forkOf(await place().reaches('torn', 'Available'))
    const { controller, startController } = await installation()
    await controller().stop('SIGKILL')
    await place().api.delete(place().path('experiments', 'torn'))
    await place().api.patch(place().path('experiments', 'torn'), { metadata: { finalizers: [] } })
    await startController()
    await eventually('the fork to be gone', DEADLINE_MS, async () =>
      expect((await forksIn(shop)).map(({ metadata }) => metadata.name)).not.to.include(fork),
    )
    await allow('elsewhere')
  })

  it('loses its fork with the experiment, even if the controller was killed and the consent is withdrawn', async () => {
    const { controller, startController } = await installation()
    await controller().stop('SIGKILL')
    const { code } = await place().kubectl(['delete', 'expd', 'uninvited', '--wait=false'])
    expect(code).to.equal(0)
    expect((await place().experimentAt('uninvited')).metadata.finalizers).to.deep.equal([FORK_FINALIZER])
    await startController()
    await eventually('the resource and its fork to be gone', DEADLINE_MS, async () => {
      expect(await place().api.list(place().path('experiments'))).to.deep.equal([])
      expect(await forksIn(shop)).to.deep.equal([])
    })
  })

  it('lets the experiment be deleted after its whole namespace was deleted', async () => {
    const doomed = await placeIn(await aNamespace())
    await place().api.patch(policyPath(`shared-${shop.namespace}`), {
      spec: { namespaceSelector: null, allowSourcesFrom: [place().namespace] },
    })
    await aSource(doomed, 'cart')
    await eventually('consent to be seen', DEADLINE_MS, () =>
      place().experiment('bereaved', { source: 'cart', of: doomed.namespace }),
    )
    await place().reaches('bereaved', 'Available')
    await place().api.delete(
      resourcePath({ apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' }, { name: doomed.namespace }),
    )
    await place().reaches('bereaved', 'SourceNotFound')
    await place().api.delete(place().path('experiments', 'bereaved'))
    await eventually('the resource to be gone', DEADLINE_MS, async () =>
      expect(await place().api.list(place().path('experiments'))).to.deep.equal([]),
    )
  })

  it('S12: is never forked from kube-system or the namespace of the product, whatever policies allow', async () => {
    const { removeWebhooks, restoreWebhooks } = await installation()
    const names = ['kube-system', SYSTEM_NAMESPACE]
    for (const name of names) {
      const system = await placeIn(name)
      await aSource(system, 'cart')
      const manifest = manifestOf(name)
      await eventually('the refusal', DEADLINE_MS, async () => {
        const { code, text } = await place().kubectl(['create', '--dry-run=server', '-f', '-'], manifest)
        expect(code, text).to.equal(1)
        expect(text).to.contain(
          `spec.sourceRef.namespace: workloads in namespace "${name}" are never forked from elsewhere`,
        )
      })
    }
    await removeWebhooks()
    for (const name of names) await place().experiment(`from-${name}`, { source: 'cart', of: name })
    for (const name of names) {
      const found = await place().reaches(`from-${name}`, 'SourceNamespaceExcluded')
      expect(condition(found, 'Stalled')?.message).to.contain('are never forked from elsewhere')
      expect(await forksIn(await placeIn(name))).to.deep.equal([])
    }
    await restoreWebhooks()
    for (const name of names) {
      const system = await placeIn(name)
      await place().api.delete(place().path('experiments', `from-${name}`))
      for (const plural of ['deployments', 'services'] as const) await system.api.delete(system.path(plural, 'cart'))
    }
  })

  const manifestOf = (namespace: string) =>
    JSON.stringify({
      apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
      kind: EXPERIMENT_DEPLOYMENT.kind,
      metadata: { name: 'from-the-system' },
      spec: { sourceRef: { kind: 'Deployment', name: 'cart', namespace }, overrideSpec: {} },
    })
})
