import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, GROUP } from '../../common/api/names.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { ownWrites } from '../../sandbox/proof.ts'
import { imageOverride } from '../builders.ts'
import { needs } from '../needs.ts'
import { aRollout } from './argo.ts'
import { controlPlane } from './fixture.ts'
import { aSource, condition, DEADLINE_MS, forkOf, imagesOf, usesProduct } from './product.ts'
import { asUser, granted, grantedRights } from './users.ts'

/** The waits in a start end earlier, with an error that names the reason. */
const START_MS = 300_000

type Argo = Awaited<ReturnType<typeof startArgoRollouts>>

describe('a Rollout, on the real control plane', () => {
  const place = usesProduct()
  needs('argoRollouts', 'argoFiles')
  let argo: Argo | undefined
  const uninstalled = async () => {
    await argo?.stop()
    await argo?.removeCrds()
    argo = undefined
  }
  after('Argo Rollouts is removed', async function () {
    this.timeout(2 * DEADLINE_MS)
    await uninstalled()
  })

  const service = (name: string, selector: JsonObject) =>
    place().api.create(place().path('services'), { metadata: { name }, spec: { selector, ports: [{ port: 80 }] } })

  const rollout = (name: string) => place().api.get(place().path('rollouts', name))
  const phase = (name: string, wanted: string) =>
    eventually(`rollout ${name} to be ${wanted}`, DEADLINE_MS, async () => {
      const { status } = await rollout(name)
      if (at(status, 'phase') !== wanted) throw new Error(`${at(status, 'phase')}: ${at(status, 'message')}`)
    })
  const forked = (name: string, source: string, overrideSpec: JsonObject = {}) =>
    place().experiment(name, { source, kind: 'Rollout', overrideSpec })
  const fork = async (name: string) => rollout(forkOf(await place().experimentAt(name)))
  const canaryTo = (name: string, image: string) =>
    place().api.patch(place().path('rollouts', name), {
      spec: { template: { spec: { containers: [{ name: 'cart', image }] } } },
    })
  const pausing = { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } }

  /** What changes of the experiment on a Deployment if anything happens to it or to its fork. */
  const usual = async () => {
    const found = await place().experimentAt('usual')
    const { uid, generation } = (await place().deployment(forkOf(found))).metadata
    const conditions = found.status?.conditions?.map((of) => [of.type, of.status, of.lastTransitionTime].join(' '))
    return { uid, generation, conditions }
  }
  let usualBefore: Awaited<ReturnType<typeof usual>> | undefined

  it('F22: CRD absent: its experiment waits and says so, other kinds work', async () => {
    await forked('hopeful', 'canary')
    await place().reaches('hopeful', 'KindNotAvailable')
    await aSource(place(), 'ordinary')
    await place().experiment('usual', { source: 'ordinary' })
    await place().reaches('usual', 'Available')
    await place().shows('usual', 'its share', (found) => condition(found, 'TrafficShared')?.status === 'True')
    usualBefore = await usual()
  })

  it('F22: CRD installed later: it is used without a restart', async function () {
    this.timeout(START_MS)
    argo = await startArgoRollouts(await controlPlane())
    await place().reaches('hopeful', 'SourceNotFound')
    await aRollout(place(), 'canary')
    await place().reaches('hopeful', 'Available')
    expect(await usual(), 'an experiment on a Deployment').to.deep.equal(usualBefore)
  })

  it('The fork of every strategy becomes Healthy', async function () {
    this.timeout(4 * DEADLINE_MS) // three one after the other
    for (const name of ['active', 'preview', 'stable', 'new']) await service(name, { app: name })
    const strategies: Record<string, JsonObject> = {
      plain: { canary: {} },
      steps: { canary: { stableService: 'stable', canaryService: 'new', steps: [{ setWeight: 20 }, { pause: {} }] } },
      colours: { blueGreen: { activeService: 'active', previewService: 'preview', autoPromotionEnabled: false } },
    }
    for (const [name, strategy] of Object.entries(strategies)) await aRollout(place(), name, { strategy })
    for (const name of Object.keys(strategies))
      await forked(`try-${name}`, name, imageOverride('registry.example/cart:rc'))
    for (const name of Object.keys(strategies)) {
      await place().reaches(`try-${name}`, 'Available')
      const made = await fork(`try-${name}`)
      expect(imagesOf(made)).to.deep.equal(['registry.example/cart:rc'])
      expect(JSON.stringify(at(made, 'spec', 'strategy'))).not.to.match(/Service|steps|blueGreen/)
    }
  })

  it('A fork whose pods a quota refuses says so', async () => {
    await aRollout(place(), 'crowded')
    await phase('crowded', 'Healthy')
    await place().api.create(place().path('quotas'), { metadata: { name: 'tight' }, spec: { hard: { pods: '0' } } })
    const isUsed = async () => {
      const { status } = await place().api.get(place().path('quotas', 'tight'))
      expect(at(status, 'hard', 'pods')).to.equal('0')
    }
    await eventually('the quota to be counted', DEADLINE_MS, isUsed)
    await forked('poor', 'crowded')
    const stalled = await place().reaches('poor', 'ReplicaFailure')
    expect(condition(stalled, 'Stalled')?.message).to.contain('exceeded quota: tight')
    await place().api.delete(place().path('experiments', 'poor'))
    await place().api.delete(place().path('quotas', 'tight'))
    const pod = { metadata: { name: 'one-more' }, spec: { containers: [{ name: 'one', image: 'x' }] } }
    await eventually('pods to be let in again', DEADLINE_MS, () =>
      place().api.create(`${place().path('pods')}?dryRun=All`, pod),
    )
  })

  it('In mid-canary the base is stable', async () => {
    await aRollout(place(), 'halfway', { strategy: pausing })
    await phase('halfway', 'Healthy')
    await canaryTo('halfway', 'registry.example/cart:2')
    await phase('halfway', 'Paused')
    await forked('careful', 'halfway')
    const found = await place().reaches('careful', 'Available')
    expect(found.status?.source?.base).to.equal('Stable')
    expect(imagesOf(await fork('careful'))).to.deep.equal(['registry.example/cart:1'])
  })

  it('Promotion re-derives once', async () => {
    const before = await place().reaches('careful', 'Available')
    const { generation = 0 } = (await fork('careful')).metadata
    await place().api.patch(`${place().path('rollouts', 'halfway')}/status`, { status: { pauseConditions: null } })
    await phase('halfway', 'Healthy')
    await eventually('the fork to follow', DEADLINE_MS, async () =>
      expect(imagesOf(await fork('careful'))).to.deep.equal(['registry.example/cart:2']),
    )
    const { templateHash } = before.status?.source ?? {}
    await place().shows('careful', 'another base', ({ status }) => status?.source?.templateHash !== templateHash)
    await place().reaches('careful', 'Available')
    expect((await fork('careful')).metadata.generation).to.equal(generation + 1)
  })

  it('Abort changes nothing', async () => {
    await canaryTo('halfway', 'registry.example/cart:3')
    await phase('halfway', 'Paused')
    await place().api.patch(`${place().path('rollouts', 'halfway')}/status`, { status: { abort: true } })
    await phase('halfway', 'Degraded')
    const found = await place().reaches('careful', 'Available')
    expect(found.status?.source?.base).to.equal('Stable')
    expect(imagesOf(await fork('careful'))).to.deep.equal(['registry.example/cart:2'])
  })

  it('S6: reads the template of another object only after a review, then follows it and never scales it', async () => {
    await aSource(place(), 'referent', { replicas: 2 })
    await forked('inlined', 'referring')
    await place().reaches('inlined', 'SourceNotFound')
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'referent' }
    await aRollout(place(), 'referring', { workloadRef, selector: { matchLabels: { app: 'referent' } } })
    const refused = await place().reaches('inlined', 'TemplateNotReviewed')
    const command = /run: kubectl (.+)$/.exec(condition(refused, 'Stalled')?.message ?? '')?.[1] ?? ''
    expect((await place().kubectl(command.split(' '))).code).to.equal(0)
    await place().reaches('inlined', 'Available')
    expect(imagesOf(await fork('inlined'))).to.deep.equal(['registry.example/cart:1'])
    await place().api.patch(place().path('deployments', 'referent'), {
      spec: { template: { spec: { containers: [{ name: 'cart', image: 'registry.example/cart:5' }] } } },
    })
    await eventually('the fork to follow the referent', DEADLINE_MS, async () =>
      expect(imagesOf(await fork('inlined'))).to.deep.equal(['registry.example/cart:5']),
    )
    expect(at(await place().deployment('referent'), 'spec', 'replicas')).to.equal(2)
    expect(at(await fork('inlined'), 'spec', 'workloadRef')).to.equal(undefined)
  })

  it('S: gives nobody a template that it once took from an object that they may not read', async () => {
    const labels = { app: 'hidden' }
    const template = (container: JsonObject) => ({
      metadata: { labels },
      spec: { containers: [{ name: 'cart', ...container }] },
    })
    const hidden = template({ image: 'a:1', env: [{ name: 'PASSWORD', value: 'hunter2' }] })
    const spec = { replicas: 0, selector: { matchLabels: labels }, template: hidden }
    await place().api.create(place().path('deployments'), { metadata: { name: 'hidden' }, spec })
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'hidden' }
    await aRollout(place(), 'hidden', { workloadRef, strategy: pausing })
    await phase('hidden', 'Healthy')
    const resources = `rollouts.argoproj.io,${EXPERIMENT_DEPLOYMENT.plural}.${GROUP}`
    await grantedRights('rose', place().namespace, { verbs: 'create,get,list,patch', resources })
    const rose = (args: readonly string[], input?: object) => asUser('rose', ['-n', place().namespace, ...args], input)
    expect(await rose(['get', 'deployment', 'hidden'])).to.contain('forbidden')
    const own = JSON.stringify({ spec: { workloadRef: null, template: template({ image: 'b:1' }) } })
    expect(await rose(['patch', 'rollout/hidden', '--type=merge', '-p', own])).to.contain('patched')
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const sourceRef = { kind: 'Rollout', name: 'hidden' }
    const peek = { apiVersion, kind, metadata: { name: 'peek' }, spec: { sourceRef, overrideSpec: {} } }
    const refused = await rose(['create', '-f', '-'], peek)
    expect(refused).to.contain('"get rollouts.argoproj.io/hidden" and "get replicasets.apps" in namespace')
    await granted('rose', 'view', place().namespace)
    await eventually('her permission', DEADLINE_MS, async () =>
      expect(await rose(['create', '-f', '-'], peek)).to.contain('created'),
    )
    await place().reaches('peek', 'Available')
    expect(await rose(['get', 'rollouts', '--output=yaml'])).to.contain('hunter2') // what the permission is about
  })

  it('is never counted together with its fork', async () => {
    await aRollout(place(), 'lonely')
    await phase('lonely', 'Healthy')
    await forked('apart', 'lonely')
    await place().reaches('apart', 'Available')
    const { status } = await rollout('lonely')
    expect([at(status, 'replicas'), at(status, 'availableReplicas')]).to.deep.equal([2, 2])
  })

  it('The source, its Services and routes never change', async () => {
    const { all, forbidden } = await ownWrites((await controlPlane()).auditLog)
    expect(all.some((request) => request.includes('rollouts/'))).to.equal(true)
    expect(forbidden).to.deep.equal([])
  })

  it('does not use the name of kubectl get experiments, which is Argo’s', async () => {
    const { code, text } = await place().kubectl(['get', 'experiments', '-o', 'name'])
    expect([code, text.includes('expd'), text.includes('experimentdeployment')]).to.deep.equal([0, false, false])
    const named = await place().kubectl(['api-resources', '--cached=false', '-o', 'name'])
    expect(named.text)
      .to.contain('experiments.argoproj.io')
      .and.to.contain('experimentdeployments.experimentcontroller')
  })

  it('A silent Argo is NotReconciled', async function () {
    this.timeout(2 * DEADLINE_MS) // it waits for half a minute
    await argo?.stop()
    await forked('unheard', 'plain')
    const found = await place().reaches('unheard', 'NotReconciled')
    expect(condition(found, 'Stalled')?.message).to.contain('instance-id')
  })

  it('F22: CRD absent, installed, removed: other kinds work', async function () {
    this.timeout(6 * DEADLINE_MS) // Kubernetes removes them slowly, and lists them in discovery for up to a minute more
    await uninstalled()
    await eventually('the removal to be noticed', 3 * DEADLINE_MS, async () =>
      expect(condition(await place().experimentAt('hopeful'), 'Ready')?.reason).to.equal('KindNotAvailable'),
    )
    await aSource(place(), 'still')
    await place().experiment('going', { source: 'still' })
    await place().reaches('going', 'Available')
    expect(await usual(), 'an experiment on a Deployment').to.deep.equal(usualBefore)
  })
})
