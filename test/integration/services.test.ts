import { expect } from 'chai'
import { CR_NAME } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at, type JsonObject, listOr } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, condition, DEADLINE_MS, hasEndpoints, usesProduct } from './product.ts'

/** The actions and observations of a test in its own namespace. */
function usesNeighbourhood() {
  const place = usesProduct()
  const create = (resource: (typeof RESOURCES)[keyof typeof RESOURCES], name: string, spec: JsonObject) =>
    place().api.create(resourcePath(resource, { namespace: place().namespace }), { metadata: { name }, spec })
  const aService = (name: string, selector: JsonObject, of: JsonObject = {}) =>
    create(RESOURCES.Service, name, { selector, ports: [{ port: 80 }], ...of })
  const row = ({ status }: ExperimentDeployment, name: string) => status?.services?.find((found) => found.name === name)
  const reasons = ({ status }: ExperimentDeployment) => status?.warnings?.map(({ reason }) => reason) ?? []
  const said = (found: ExperimentDeployment, type: string) => condition(found, type)?.message ?? ''
  const reachesShare = (name: string, service: string, share: string) =>
    place().shows(name, `a share of ${share}`, (found) => row(found, service)?.share === share)

  /** Events about the experiment `name` with one of `wanted` as their reason, once each of those was written. */
  const told = (name: string, wanted: readonly string[]) =>
    eventually(`Events of ${name}`, DEADLINE_MS, async () => {
      const events = await place().api.list<KubeObject & { regarding: { name: string }; reason: string }>(
        resourcePath(RESOURCES.Event, { namespace: place().namespace }),
      )
      const found = events
        .filter(({ regarding, reason }) => regarding.name === name && wanted.includes(reason))
        .map(({ reason }) => reason)
      expect(found).to.include.members([...wanted])
      return found
    })
  const manifest = (name: string, source: string, overrideSpec: JsonObject) =>
    JSON.stringify({
      apiVersion: RESOURCES.ExperimentDeployment.apiVersion,
      kind: RESOURCES.ExperimentDeployment.kind,
      metadata: { name },
      spec: { sourceRef: { kind: 'Deployment', name: source }, overrideSpec },
    })
  return { place, create, aService, row, reasons, said, reachesShare, told, manifest }
}

describe('Services, on the real control plane', () => {
  const { place, aService, row, reasons, said, reachesShare, told, manifest } = usesNeighbourhood()

  it('1 of 12 is 8%', async () => {
    await aSource(place(), 'dozen', { replicas: 11 })
    await place().experiment('twelfth', { source: 'dozen' })
    const found = await reachesShare('twelfth', 'dozen', '8%')
    expect(row(found, 'dozen')).to.deep.include({ experimentEndpoints: 1, readyEndpoints: 12 })
    expect(said(found, 'TrafficShared')).to.equal('service/dozen: 8% of new connections (1 of 12 endpoints)')
  })

  it('N29: A Service with 40,000 labels in its selector changes no share, and a source with 600 is refused', async () => {
    const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`label-${at}`, 'v']))
    await aSource(place(), 'plain', { replicas: 1 })
    await aService('large', { app: 'plain', ...labels(40_000) })
    await place().experiment('beside', { source: 'plain' })
    const found = await reachesShare('beside', 'plain', '50%')
    expect(found.status?.services?.map(({ name }) => name)).to.deep.equal(['plain'])
    await place().api.patch(place().path('deployments', 'plain'), {
      spec: { template: { metadata: { labels: labels(600) } } },
    })
    const { text } = await place().kubectl(['apply', '-f', '-'], manifest('refused', 'plain', {}))
    expect(text).to.contain('spec.template.metadata.labels: 601 labels, more than 512; remove those that nobody needs')
    const stalled = await place().reaches('beside', 'SourceNotForkable')
    expect((await place().deployment(stalled.status?.experimentResourceRef?.name ?? '')).metadata.uid).to.equal(
      found.status?.experimentResourceRef?.uid,
    )
  })

  it('One pod in two slices counts once', async () => {
    await aSource(place(), 'doubled', { replicas: 1 })
    await place().experiment('once', { source: 'doubled' })
    await reachesShare('once', 'doubled', '50%')
    const path = resourcePath(RESOURCES.EndpointSlice, { namespace: place().namespace })
    const label = 'kubernetes.io/service-name=doubled'
    const [slice] = await place().api.list(`${path}?labelSelector=${label}`)
    const { addressType, endpoints, ports } = slice as KubeObject
    const metadata = { name: 'doubled-again', labels: { 'kubernetes.io/service-name': 'doubled' } }
    await place().api.create(path, { metadata, addressType, endpoints, ports })
    // one more reported change: the row of the other Service proves that the second slice was seen before
    await aService('doubled-too', { app: 'doubled' })
    const found = await reachesShare('once', 'doubled-too', '50%')
    expect(row(found, 'doubled')).to.deep.include({ share: '50%', experimentEndpoints: 1, readyEndpoints: 2 })
  })

  it('A Service by a label that pods get while they run is shown when a pod of the fork has it', async () => {
    await aSource(place(), 'elected')
    await aService('replicas', { app: 'elected', role: 'replica' })
    await place().experiment('joining', { source: 'elected' })
    expect(row(await reachesShare('joining', 'elected', '50%'), 'replicas')).to.equal(undefined)
    const pods = await place().api.list(`${place().path('pods')}?labelSelector=app=elected`)
    for (const { metadata } of pods)
      await place().api.patch(place().path('pods', metadata.name), { metadata: { labels: { role: 'replica' } } })
    const found = await reachesShare('joining', 'replicas', '50%')
    expect(said(found, 'TrafficShared')).to.contain('pods get role=replica while they run')
  })

  it('A Service that selects the name of one pod is PinnedToPod', async () => {
    const labels = { app: 'numbered' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x:1' }] } }
    await aService('numbered-0', { 'statefulset.kubernetes.io/pod-name': 'numbered-0' })
    await aService('firsts', { ...labels, 'apps.kubernetes.io/pod-index': '0' })
    const spec = { replicas: 2, serviceName: 'numbered', selector: { matchLabels: labels }, template }
    await place().api.create(place().path('statefulSets'), { metadata: { name: 'numbered' }, spec })
    await place().experiment('third', { source: 'numbered', kind: 'StatefulSet' })
    const found = await reachesShare('third', 'firsts', '50%')
    expect(row(found, 'numbered-0')).to.deep.include({ selected: false, reason: 'PinnedToPod' })
  })

  it('Scaling the source changes the share, not the fork', async () => {
    await aSource(place(), 'scaled', { replicas: 1 })
    await place().experiment('constant', { source: 'scaled' })
    const before = await reachesShare('constant', 'scaled', '50%')
    await place().api.patch(place().path('deployments', 'scaled'), { spec: { replicas: 3 } })
    const after = await reachesShare('constant', 'scaled', '25%')
    expect(after.status?.experimentResourceRef).to.deep.equal(before.status?.experimentResourceRef)
  })

  it('A Service that a label of the override joins or leaves gets a warning', async () => {
    await aSource(place(), 'left')
    await aService('joined', { app: 'joined' })
    const overrideSpec = { template: { metadata: { labels: { app: 'joined' } } } }
    const { text } = await place().kubectl(['apply', '-f', '-'], manifest('mover', 'left', overrideSpec))
    expect(text).to.contain('[JoinsService] the fork gets requests from service/joined, the source does not')
    expect(text).to.contain('[LeavesService] the fork gets no requests from service/left: it lacks app=left')
    await place().shows('mover', 'both Services', (found) =>
      ['JoinsService', 'LeavesService'].every((reason) => reasons(found).some((told) => told === reason)),
    )
    expect(await told('mover', ['JoinsService', 'LeavesService'])).to.have.length(2)
  })

  it('A changed selector of a Service is noticed at once', async () => {
    await aSource(place(), 'later')
    await place().experiment('waiting', { source: 'later' })
    await reachesShare('waiting', 'later', '50%')
    await aService('newcomer', { app: 'nobody' })
    await place().api.patch(place().path('services', 'newcomer'), { spec: { selector: { app: 'later' } } })
    await reachesShare('waiting', 'newcomer', '50%')
  })

  it('Each hazard is reported once, in at most 256 characters', async () => {
    const pod = {
      initContainers: [{ name: 'migrate', image: 'x:1' }],
      containers: [
        { name: 'cart', image: 'x:1', args: ['--leader-elect'], ports: [{ containerPort: 80, hostPort: 80 }] },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    }
    const labels = { app: 'risky' }
    const template = { metadata: { labels }, spec: pod }
    const spec = { replicas: 1, strategy: { type: 'Recreate' }, selector: { matchLabels: labels }, template }
    await place().api.create(place().path('deployments'), { metadata: { name: 'risky' }, spec })
    const { text } = await place().kubectl(['apply', '-f', '-'], manifest('brave', 'risky', {}))
    const wanted = ['LeaderElection', 'QueueWorker', 'Migration', 'SharedClaim', 'HostPort', 'Singleton']
    const lines = text.split('\n').filter((line) => line.startsWith('Warning: '))
    for (const line of lines) expect(line.length - 'Warning: '.length, line).to.be.at.most(256)
    expect(lines.map((line) => /\[(\w+)\]/.exec(line)?.[1]).slice(0, 6)).to.deep.equal(wanted)
    const found = await place().shows('brave', 'its hazards', (experiment) => reasons(experiment).length === 6)
    expect(reasons(found)).to.have.members(wanted)
    for (const reason of wanted) expect(said(found, 'SourceResolved')).to.contain(`; ${reason}: `)
    expect(await told('brave', wanted)).to.have.length(6)
  })
})

describe('other objects in the namespace, on the real control plane', () => {
  const { place, create, reasons, said, reachesShare, told, manifest } = usesNeighbourhood()

  it('An HPA, a PDB and a NetworkPolicy that also select the pods of the fork are each reported once', async () => {
    await aSource(place(), 'watched', { replicas: 2 })
    const selector = { matchLabels: { app: 'watched' } }
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'watched' }
    await create(RESOURCES.HorizontalPodAutoscaler, 'scaler', { scaleTargetRef, minReplicas: 1, maxReplicas: 9 })
    await create(RESOURCES.PodDisruptionBudget, 'budget', { maxUnavailable: 1, selector })
    await create(RESOURCES.NetworkPolicy, 'wall', { podSelector: { matchLabels: { tier: 'open' } }, policyTypes: [] })
    const overrideSpec = { template: { metadata: { labels: { tier: 'open' } } } }
    const { text } = await place().kubectl(['apply', '-f', '-'], manifest('company', 'watched', overrideSpec))
    expect(text).to.contain("[CountedByHPA] hpa/scaler includes the fork's pods in its average")
    expect(text).to.contain("[CountedByPDB] the fork's pods count for pdb/budget")
    expect(text).to.contain('[JoinsNetworkPolicy] the fork is subject to networkpolicy/wall, the source is not')
    expect(text).to.contain('[Plan] service/watched: 10% to 50% while hpa/scaler scales the source')
    const found = await reachesShare('company', 'watched', '33%')
    const wanted = ['JoinsNetworkPolicy', 'CountedByHPA', 'CountedByPDB']
    expect(reasons(found)).to.deep.equal(wanted)
    expect(said(found, 'TrafficShared')).to.contain(
      '10% to 50% while hpa/scaler scales the source; JoinsNetworkPolicy: ',
    )
    await place().api.patch(place().path('experiments', 'company'), { spec: { replicas: 2 } })
    await reachesShare('company', 'watched', '50%')
    expect(await told('company', wanted)).to.have.length(3)
  })

  it('The anti-affinity of the source keeps a fork without one away from its nodes', async () => {
    const nodes = await place().api.list('/api/v1/nodes')
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'apart' } } }
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
    await aSource(place(), 'apart', { replicas: nodes.length, pod: { affinity } })
    await hasEndpoints(place(), 'apart', nodes.length)
    const overrideSpec = { template: { spec: { affinity: null } } }
    const { text } = await place().kubectl(['create', '-f', '-'], manifest('beside', 'apart', overrideSpec))
    expect(text).to.contain('[SharedAffinity] required anti-affinity keeps the pods of fork and source apart')
    await eventually('a pod of the fork to stay Pending', DEADLINE_MS, async () => {
      const pods = await place().api.list(`${place().path('pods')}?labelSelector=${CR_NAME}=beside`)
      const conditions = pods.flatMap((pod) => listOr(at(pod, 'status', 'conditions')))
      const told = conditions.map((each) => String(at(each, 'message')))
      expect(told.join()).to.contain("didn't satisfy existing pods anti-affinity rules")
    })
  })
})
