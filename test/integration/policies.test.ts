import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { auditEvents } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { ownWrites } from '../../sandbox/proof.ts'
import { collect } from '../collect.ts'
import { controlPlane } from './fixture.ts'
import { aSource, condition, DEADLINE_MS, forkOf, imagesOf, installation, usesProduct } from './product.ts'
import { comesToRest, staysQuiet } from './quiet.ts'

describe('policies and the controller, on the real control plane', () => {
  const place = usesProduct()
  const path = (name?: string) => resourcePath(EXPERIMENT_POLICY, name === undefined ? {} : { name })
  const nameOf = (policy: string) => `${policy}-${place().namespace}`
  /** A policy for this namespace only. */
  const policy = (name: string, spec: ExperimentPolicySpec) =>
    place().api.create(path(), {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: nameOf(name) },
      spec: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': place().namespace } }, ...spec },
    })
  const remove = (name: string) => place().api.delete(path(nameOf(name)))
  after('no policy is left', () => Promise.all(['one', 'small', 'watched'].map(remove)))
  const replicasOf = async (name: string) =>
    at(await place().deployment(forkOf(await place().experimentAt(name))), 'spec', 'replicas')

  it('Two experiments with a limit of one get one fork, and the other gets its fork when the first is deleted', async () => {
    // both exist before the limit, as if two webhooks had admitted them at once; both start when the source appears
    await Promise.all(['first', 'second'].map((name) => place().experiment(name, { source: 'cart' })))
    await Promise.all(['first', 'second'].map((name) => place().reaches(name, 'SourceNotFound')))
    await policy('one', { maxExperimentsPerSource: 1, validationActions: ['Deny'] })
    await eventually('the controller to know the limit', DEADLINE_MS, async () => {
      const { status, metadata } = await place().api.get(path(nameOf('one')))
      expect(at(status, 'observedGeneration')).to.equal(metadata.generation)
    })
    await aSource(place(), 'cart')
    const isDone = (name: string) =>
      place().shows(name, 'a place, or none', (found) =>
        ['Available', 'LimitReached'].includes(condition(found, 'Ready')?.reason ?? ''),
      )
    const both = await Promise.all(['first', 'second'].map(isDone))
    const [lucky, waiting] = both.toSorted((a) => (condition(a, 'Ready')?.reason === 'Available' ? -1 : 1))
    if (!lucky || !waiting) throw new Error('there are two')
    expect(both.map((each) => condition(each, 'Ready')?.reason).toSorted()).to.deep.equal(['Available', 'LimitReached'])
    expect(condition(waiting, 'Progressing')?.status).to.equal('True')
    expect(condition(waiting, 'Ready')?.message).to.contain(nameOf('one'))
    expect(waiting.status?.experimentResourceRef).to.equal(undefined)
    await place().api.delete(place().path('experiments', lucky.metadata.name))
    await place().reaches(waiting.metadata.name, 'Available')
    await remove('one')
    await place().api.delete(place().path('experiments', waiting.metadata.name))
  })

  it('A later policy deletes nothing, and lets the fork shrink but not grow or change', async () => {
    await aSource(place(), 'tall')
    await place().experiment('giant', { source: 'tall', replicas: 3 })
    const before = await place().reaches('giant', 'Available')
    await policy('small', { maxReplicas: 1 })
    const told = await place().shows(
      'giant',
      'a violation',
      (found) => condition(found, 'PolicyCompliant')?.status === 'False',
    )
    expect(condition(told, 'PolicyCompliant')?.message).to.contain('must be at most 1, got 3')
    expect(condition(told, 'Ready')?.reason).to.equal('Available')
    expect(forkOf(told)).to.equal(forkOf(before))

    expect(await place().kubectl(['scale', 'expd/giant', '--replicas=5'])).to.deep.include({ code: 0 })
    const kept = await place().reaches('giant', 'PolicyDenied')
    expect(condition(kept, 'Stalled')?.message).to.contain('must be at most 1, got 5').and.to.contain('with 3 pods')
    expect(await replicasOf('giant')).to.equal(3)

    expect(await place().kubectl(['scale', 'expd/giant', '--replicas=2'])).to.deep.include({ code: 0 })
    await place().reaches('giant', 'Available')
    expect(await replicasOf('giant')).to.equal(2)
    expect(await place().kubectl(['scale', 'expd/giant', '--replicas=1'])).to.deep.include({ code: 0 })
    await place().reaches('giant', 'Available')
    await place().shows('giant', 'no violation', (found) => condition(found, 'PolicyCompliant')?.status === 'True')
    await eventually('the Events', DEADLINE_MS, async () => {
      const { text } = await place().kubectl(['describe', 'expd', 'giant'])
      expect(text)
        .to.match(/Warning\s+PolicyViolated/)
        .and.to.match(/Normal\s+Compliant/)
    })
  })

  it('scales a fork down even if it may no longer follow its source', async () => {
    await remove('small')
    await eventually('the webhook to forget the policy', DEADLINE_MS, () =>
      place().experiment('stuck', { source: 'tall', replicas: 3 }),
    )
    await place().reaches('stuck', 'Available')
    await policy('small', { maxTTLSeconds: 60 })
    await place().shows('stuck', 'a violation', (found) => condition(found, 'PolicyCompliant')?.status === 'False')
    const template = { spec: { containers: [{ name: 'cart', image: 'registry.example/cart:7' }] } }
    await place().api.patch(place().path('deployments', 'tall'), { spec: { template } })
    expect(condition(await place().reaches('stuck', 'PolicyDenied'), 'Stalled')?.message).to.contain('spec.ttlSeconds')
    const overrideSpec = { template: { spec: { containers: [{ name: 'cart', image: 'registry.example/cart:9' }] } } }
    const changed = async (spec: JsonObject, ...how: readonly string[]) =>
      (await place().kubectl(['patch', 'expd/stuck', '--type=merge', '-p', JSON.stringify({ spec }), ...how])).text
    await eventually('the webhook to know the policy', DEADLINE_MS, async () =>
      expect(await changed({ overrideSpec }, '--dry-run=server')).to.contain(
        '[Plan] changes nothing until policies allow it',
      ),
    )
    const told = await changed({ overrideSpec, replicas: 2 })
    expect(told).to.match(/\[Plan\] scales deployment\/tall-experiment-\w+ down to 2 pods/)
    expect(told).to.contain('[Plan] changes nothing else until policies allow it')
    await eventually('the fork to have two', DEADLINE_MS, async () => expect(await replicasOf('stuck')).to.equal(2))
    expect(await place().kubectl(['scale', 'expd/stuck', '--replicas=0'])).to.deep.include({ code: 0 })
    await eventually('the fork to have no pods', DEADLINE_MS, async () => expect(await replicasOf('stuck')).to.equal(0))
    const fork = await place().deployment(forkOf(await place().experimentAt('stuck')))
    expect(imagesOf(fork)).to.deep.equal(['registry.example/cart:1'])
  })

  it('writes the findings of a refused request into the audit log, without values', async () => {
    await policy('watched', { maxTTLSeconds: 7, validationActions: ['Deny', 'Audit'] })
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const spec = { sourceRef: { kind: 'Deployment', name: 'tall' }, overrideSpec: {}, ttlSeconds: 86_399 }
    const manifest = JSON.stringify({ apiVersion, kind, metadata: { name: 'long' }, spec })
    await eventually('the policy to refuse', DEADLINE_MS, async () => {
      const { text } = await place().kubectl(['create', '--dry-run=server', '-f', '-'], manifest)
      expect(text).to.contain('must be at most 7, got 86399')
    })
    expect(await place().kubectl(['create', '-f', '-'], manifest)).to.deep.include({ code: 1 })
    const { auditLog } = await controlPlane()
    await eventually('the audit log to have it', DEADLINE_MS, async () => {
      const refused = (await collect(auditEvents(auditLog, place().namespace))).findLast(
        ({ verb, requestURI }) => verb === 'create' && requestURI.includes('/experimentdeployments?'),
      )
      expect(refused?.responseStatus?.code).to.equal(422)
      expect(refused?.annotations).to.deep.include({
        'validate.experimentcontroller.example.com/policy-findings': `${nameOf('watched')}: spec.ttlSeconds`,
      })
    })
    await remove('watched')
  })

  const counts = (what: string, expected: { readonly experiments: number; readonly violations: number }) =>
    eventually(what, DEADLINE_MS, async () => {
      const { status, metadata } = await place().api.get(path(nameOf('small')))
      expect(status).to.deep.include({ observedGeneration: metadata.generation, actions: 'Deny', ...expected })
    })

  it('reports in the status of a policy how many experiments it covers and how many violate it', async () => {
    await counts('the counts', { experiments: 2, violations: 2 })
    await place().api.patch(path(nameOf('small')), { spec: { maxTTLSeconds: null, maxReplicas: 9 } })
    await counts('the counts of its new terms', { experiments: 2, violations: 0 })
  })

  it('U2: shows what a policy does in flat text', async () => {
    const { text } = await place().kubectl(['get', 'expp', nameOf('small')])
    expect(text)
      .to.match(/^NAME +EXPERIMENTS +VIOLATIONS +ACTIONS +VALID +AGE$/m)
      .and.to.match(/ 2 +0 +Deny +True +\S+$/m)
  })

  it('restores a status that somebody else wrote', async () => {
    const forged = JSON.stringify({ status: { experiments: 99, violations: 42 } })
    const { code, text } = await place().kubectl([
      ...['patch', 'experimentpolicy', nameOf('small'), '--subresource=status', '--type=merge', '-p', forged],
    ])
    expect({ code, text }).to.deep.include({ code: 0 })
    await counts('its own counts', { experiments: 2, violations: 0 })
  })

  it('does not count an experiment that is being deleted, however long that takes', async () => {
    await place().experiment('held', { source: 'tall' })
    const experiment = place().path('experiments', 'held')
    await counts('one more', { experiments: 3, violations: 0 })
    await place().api.patch(experiment, { metadata: { finalizers: ['example.com/hold'] } })
    await place().api.delete(experiment)
    await counts('one less', { experiments: 2, violations: 0 })
    expect((await place().api.get(experiment)).metadata.deletionTimestamp).to.be.a('string')
    await place().api.patch(experiment, { metadata: { finalizers: [] } })
  })

  it('writes nothing once every status is current, not even after a restart', async function () {
    this.timeout(3 * DEADLINE_MS) // it waits twice for a time without writes, and the first wait may start again
    const ofPolicies = async (since: Date) => {
      const { all } = await ownWrites((await controlPlane()).auditLog, since)
      return all.filter((request) => request.includes(nameOf('small')))
    }
    // a changing share is written every ten seconds
    await comesToRest(place().namespace, 11_000)
    const since = new Date()
    const { controller, startController } = await installation()
    await controller().stop()
    await startController()
    await staysQuiet(place().namespace, 8_000)
    expect(await ofPolicies(since)).to.deep.equal([])
  })

  it('creates nothing in a namespace where no webhook checks permissions', async () => {
    const excluded = resourcePath(
      { apiVersion: 'experimentcontroller.example.com/v1alpha1', kind: '', plural: 'experimentdeployments' },
      { namespace: 'kube-system' },
    )
    const manifest = {
      apiVersion: 'experimentcontroller.example.com/v1alpha1',
      kind: 'ExperimentDeployment',
      metadata: { generateName: 'sneaky-' },
      spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {} },
    }
    const { metadata } = await place().api.create(excluded, manifest)
    await eventually('it to be refused', DEADLINE_MS, async () => {
      const { text } = await place().kubectl(['-n', 'kube-system', 'get', 'expd', metadata.name])
      expect(text).to.contain('NamespaceExcluded')
    })
    await place().api.delete(`${excluded}/${metadata.name}`)
  })
})
