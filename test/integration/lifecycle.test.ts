import { expect } from 'chai'
import { EXPERIMENT_ID, IS_EXPERIMENT } from '../../common/api/names.ts'
import { derive } from '../../common/fork/derive.ts'
import { at } from '../../common/json/json.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aBase, anExperiment, FORK, imageOverride } from '../builders.ts'
import { aSource, condition, DEADLINE_MS, forkOf, imagesOf, usesProduct } from './product.ts'

describe('an experiment, on the real control plane', () => {
  const place = usesProduct()

  it('waits for its source, and creates the fork when the source appears', async () => {
    await place().experiment('early', { source: 'late' })
    await place().reaches('early', 'SourceNotFound')
    await aSource(place(), 'late')
    await place().reaches('early', 'Available')
  })

  it('F23: A re-created source is followed by its new uid, and until then the fork stays', async () => {
    await aSource(place(), 'fickle')
    await place().experiment('faithful', { source: 'fickle' })
    const before = await place().reaches('faithful', 'Available')
    const { uid, generation } = (await place().deployment(forkOf(before))).metadata
    await place().api.delete(place().path('deployments', 'fickle'))
    await place().api.delete(place().path('services', 'fickle'))
    const lonely = await place().reaches('faithful', 'SourceNotFound')
    expect(condition(lonely, 'SourceResolved')?.status).to.equal('False')
    expect((await place().deployment(forkOf(lonely))).metadata, 'meanwhile').to.deep.include({ uid, generation })
    await aSource(place(), 'fickle', { image: 'registry.example/cart:9' })
    const again = await place().reaches('faithful', 'Available')
    expect(again.status?.source?.uid).not.to.equal(before.status?.source?.uid)
    const fork = await place().deployment(forkOf(again))
    expect(imagesOf(fork)).to.deep.equal(['registry.example/cart:9'])
    expect(fork.metadata.uid, 'the same fork, which was changed').to.equal(uid)
  })

  it('restores what others change in its fork, and keeps what they add', async () => {
    await aSource(place(), 'steady')
    await place().experiment('guarded', { source: 'steady' })
    const fork = forkOf(await place().reaches('guarded', 'Available'))
    const path = place().path('deployments', fork)
    await place().api.patch(path, {
      metadata: { labels: { theirs: 'stays', [IS_EXPERIMENT]: null } },
      spec: { replicas: 4 },
    })
    await eventually('the fork to be repaired', DEADLINE_MS, async () => {
      const { metadata, spec } = await place().deployment(fork)
      expect(spec).to.deep.include({ replicas: 1 })
      expect(metadata.labels).to.include({ theirs: 'stays', [IS_EXPERIMENT]: 'true' })
    })
    await place().reaches('guarded', 'Available')
  })

  it('creates its fork again when somebody deletes it', async () => {
    await aSource(place(), 'solid')
    await place().experiment('phoenix', { source: 'solid' })
    const before = await place().reaches('phoenix', 'Available')
    await place().api.delete(place().path('deployments', forkOf(before)))
    const isAnother = (uid: string | undefined) =>
      uid !== undefined && uid !== before.status?.experimentResourceRef?.uid
    await place().shows('phoenix', 'another fork', ({ status }) => isAnother(status?.experimentResourceRef?.uid))
    await place().reaches('phoenix', 'Available')
  })

  it('A foreign object with the name of the fork is never written. The fork is created after its removal', async () => {
    await place().experiment('shy', { source: 'crowded' })
    const { metadata } = await place().reaches('shy', 'SourceNotFound')
    await aSource(place(), 'crowded')
    const made = await place().reaches('shy', 'Available')
    const name = forkOf(made)
    // the same experiment, with its fork replaced by a foreign Deployment of that name
    await place().api.patch(place().path('experiments', 'shy'), { spec: { replicas: 0 } })
    await place().reaches('shy', 'ScaledToZero')
    const foreign = { metadata: { name, labels: { foreign: 'yes' } }, spec: foreignSpec }
    await place().api.delete(place().path('deployments', 'crowded'))
    await place().reaches('shy', 'SourceNotFound')
    await place().api.delete(place().path('deployments', name))
    await eventually('the fork to be gone', DEADLINE_MS, async () => {
      const names = (await place().api.list(place().path('deployments'))).map((each) => each.metadata.name)
      expect(names).not.to.include(name)
    })
    const stored = await place().api.create(place().path('deployments'), foreign)
    await place().api.create(place().path('deployments'), { ...foreign, metadata: { name: 'crowded' } })
    await place().reaches('shy', 'NameConflict')
    const after = await place().deployment(name)
    expect([after.metadata.uid, after.metadata.generation, after.metadata.labels]).to.deep.equal([
      stored.metadata.uid,
      1,
      { foreign: 'yes' },
    ])
    await place().api.delete(place().path('deployments', name))
    await place().reaches('shy', 'ScaledToZero')
    expect(metadata.uid).to.equal((await place().experimentAt('shy')).metadata.uid)
  })

  it('A re-created resource gets another fork', async () => {
    await aSource(place(), 'twice')
    await place().experiment('again', { source: 'twice' })
    const first = forkOf(await place().reaches('again', 'Available'))
    await place().api.delete(place().path('experiments', 'again'))
    await place().experiment('again', { source: 'twice' })
    const second = forkOf(await place().reaches('again', 'Available'))
    expect(second).not.to.equal(first)
    await eventually('the first fork to be collected', DEADLINE_MS, async () => {
      const forks = await place().api.list(`${place().path('deployments')}?labelSelector=${IS_EXPERIMENT}=true`)
      expect(forks.map(({ metadata }) => metadata.name)).not.to.include(first)
    })
  })

  it('A source that is an experiment is refused', async () => {
    await aSource(place(), 'original')
    await place().experiment('copy', { source: 'original' })
    const fork = forkOf(await place().reaches('copy', 'Available'))
    const { code, text } = await place().kubectl(['apply', '-f', '-'], manifest('copy-of-copy', fork))
    expect(code).to.equal(1)
    expect(text).to.contain('is itself the fork of an experiment')
  })

  it('reports a refusal by the API server, and recovers when the override is corrected', async () => {
    await aSource(place(), 'strict')
    // a feature of the cluster decides about this value, so the webhook admits it
    const overrideSpec = { template: { spec: { securityContext: { seLinuxChangePolicy: 'MountOption' } } } }
    await place().experiment('refused', { source: 'strict', overrideSpec })
    const stalled = await place().reaches('refused', 'ApplyRefused')
    expect(condition(stalled, 'Stalled')?.message).to.contain('seLinuxChangePolicy')
    const corrected = { template: { spec: { securityContext: null } } }
    await place().api.patch(place().path('experiments', 'refused'), { spec: { overrideSpec: corrected } })
    const healed = await place().reaches('refused', 'Available')
    expect(condition(healed, 'Stalled')).to.equal(undefined)
  })

  it('is not ready while its pods are not, and says so', async () => {
    const annotations = { 'sandbox.experiment-controller.example.com/behavior': 'never-ready' }
    await aSource(place(), 'healthy')
    const overrideSpec = { template: { metadata: { annotations } } }
    await place().experiment('sick', { source: 'healthy', overrideSpec })
    const sick = await place().shows(
      'sick',
      'unready pods, and no traffic to them',
      (found) =>
        condition(found, 'Ready')?.reason === 'PodsNotReady' &&
        condition(found, 'TrafficShared')?.reason === 'NoReadyEndpoints',
    )
    expect(condition(sick, 'Progressing')?.status).to.equal('True')
  })

  it('Pods that never become ready end as Stalled, and the experiment recovers', async () => {
    const annotations = { 'sandbox.experiment-controller.example.com/behavior': 'never-ready' }
    await aSource(place(), 'patient')
    const overrideSpec = { progressDeadlineSeconds: 2, template: { metadata: { annotations } } }
    await place().experiment('late', { source: 'patient', overrideSpec })
    const late = await place().reaches('late', 'ProgressDeadlineExceeded')
    expect(condition(late, 'Stalled')?.status).to.equal('True')
    await place().api.patch(place().path('experiments', 'late'), {
      spec: { overrideSpec: { template: { metadata: { annotations: null } } } },
    })
    await place().reaches('late', 'Available')
  })

  it('The example passes a real strict apply', async () => {
    await aSource(place(), 'cart')
    const source = await place().deployment('cart')
    const experiment = anExperiment({
      overrideSpec: imageOverride('example/cart:2'),
      metadata: { namespace: place().namespace },
    })
    const derived = derive({ kind: deployment, experiment, base: aBase(source), schema: undefined, replicas: 1 })
    if (derived.is !== 'fork') throw new Error(derived.reason)
    const { ownerReferences: _nobody, ...metadata } = derived.fork.metadata
    const path = `${place().path('deployments', metadata.name)}`
    const stored = await place().api.apply(path, { ...derived.fork, metadata }, 'example')
    expect(stored.metadata.name).to.equal(FORK)
    await place().api.delete(path)
  })

  it('names the labels that a Service selects and its pods do not have', async () => {
    await aSource(place(), 'choosy')
    const overrideSpec = { template: { metadata: { labels: { app: 'elsewhere' } } } }
    await place().experiment('stray', { source: 'choosy', overrideSpec })
    await place().reaches('stray', 'Available')
    const stray = await place().shows(
      'stray',
      'that its Service misses labels',
      (found) => condition(found, 'TrafficShared')?.reason === 'LabelsDoNotMatch',
    )
    expect(condition(stray, 'TrafficShared')?.message).to.contain('app=choosy')
  })

  it('Zero replicas are Ready and have no share, and kubectl scales to zero and back', async () => {
    await aSource(place(), 'elastic')
    await place().experiment('stretch', { source: 'elastic' })
    await place().reaches('stretch', 'Available')
    expect(await place().kubectl(['scale', 'expd/stretch', '--replicas=0'])).to.deep.include({ code: 0 })
    const none = await place().reaches('stretch', 'ScaledToZero')
    expect(condition(none, 'TrafficShared')?.reason).to.equal('ScaledToZero')
    expect(await place().kubectl(['scale', 'expd/stretch', '--replicas=2'])).to.deep.include({ code: 0 })
    const two = await place().reaches('stretch', 'Available')
    expect([two.status?.replicas, two.status?.readyReplicas]).to.deep.equal([2, 2])
    const selector = two.status?.selector ?? ''
    await eventually('two pods, and the one of before to be gone', DEADLINE_MS, async () => {
      const pods = await place().api.list(`${place().path('pods')}?labelSelector=${encodeURIComponent(selector)}`)
      expect(pods).to.have.length(2)
    })
  })

  it('has Events that kubectl describe shows', async () => {
    await aSource(place(), 'newsworthy')
    await place().experiment('told', { source: 'newsworthy' })
    await place().reaches('told', 'Available')
    await eventually('the Events', DEADLINE_MS, async () => {
      const { text } = await place().kubectl(['describe', 'expd', 'told'])
      expect(text).to.match(/Normal\s+Available/)
    })
  })

  it('has a fork whose selector matches only its own pods', async () => {
    await aSource(place(), 'alone', { replicas: 2 })
    await place().experiment('apart', { source: 'alone' })
    const fork = await place().deployment(forkOf(await place().reaches('apart', 'Available')))
    const id = at(fork, 'spec', 'selector', 'matchLabels', EXPERIMENT_ID)
    const pods = await place().api.list(`${place().path('pods')}?labelSelector=${EXPERIMENT_ID}=${id}`)
    expect(pods).to.have.length(1)
    await eventually('the source to count its own alone', DEADLINE_MS, async () =>
      expect(at(await place().deployment('alone'), 'status', 'readyReplicas')).to.equal(2),
    )
  })
})

const foreignSpec = {
  replicas: 0,
  selector: { matchLabels: { foreign: 'yes' } },
  template: { metadata: { labels: { foreign: 'yes' } }, spec: { containers: [{ name: 'x', image: 'x' }] } },
}

const manifest = (name: string, source: string): string => `
apiVersion: experimentcontroller.example.com/v1alpha1
kind: ExperimentDeployment
metadata: {name: ${name}}
spec: {sourceRef: {kind: Deployment, name: ${source}}, overrideSpec: {}}
`
