import { expect } from 'chai'
import { EXPERIMENT_POLICY, ROLE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, type JsonObject, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { twinName } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { aSource, condition, DEADLINE_MS, placeAt } from '../integration/product.ts'
import { QUICK, usesAnalyses } from './analyses.ts'

const ERRORS = {
  ...{ name: 'errors', kind: 'ErrorRate', provider: 'plugin' },
  plugin: { args: { of: '{{workload}}' } },
}
const IMAGE = 'registry.example/cart:2'
/** Its harm is shown in less windows than that of errors, which are few bets between so few pods. */
const LATENCY = { ...ERRORS, name: 'latency', kind: 'Latency' }
const timesOf = (slow: number, total = 1_000) => ({ boundaries: [0.1, 0.5], exceeding: [slow, slow / 10], total })
const WORSE = { events: 400, total: 1_000 }
const GOOD = { events: 1, total: 1_000 }

describe('a twin, on the real control plane', function () {
  this.timeout(5 * DEADLINE_MS) // the waits in it end earlier, with an error that names the reason
  const { plane, place, answers, asked, verdictOf } = usesAnalyses()
  const imageOf = (object: KubeObject) => at(listOr(at(object, 'spec', 'template', 'spec', 'containers'))[0], 'image')

  const experiment = (name: string, of: object = {}) =>
    place().experiment(name, {
      source: name,
      replicas: 2,
      overrideSpec: imageOverride(IMAGE),
      analysis: { ...QUICK, metrics: [ERRORS], control: 'Twin' },
      ...of,
    } as never)
  const twinOf = async (name: string) => twinName(await place().experimentAt(name))
  const isGone = (name: string) =>
    eventually('the twin to go', DEADLINE_MS, async () => {
      const found = await place().api.list<KubeObject>(place().path('deployments'))
      expect(found.map(({ metadata }) => metadata.name)).to.not.include(name)
    })
  /** The twin once all of its pods are available. */
  const availableTwin = async (name: string) =>
    eventually('the twin', DEADLINE_MS, async () => {
      const twin = await place().deployment(await twinOf(name))
      expect(at(twin, 'status', 'availableReplicas')).to.equal(2)
      return twin
    })
  const isAbout = (told: JsonObject, workload: string) =>
    listOr(at(told, 'treatment', 'pods')).every((pod) => String(pod).startsWith(workload))

  it('N41: runs beside the fork until there is a verdict, and nobody asks how it compares with the source', async () => {
    await aSource(place(), 'twinned', { replicas: 3 })
    const source = await place().deployment('twinned')
    answers.set('twinned', { treatment: timesOf(0, 10), control: timesOf(0, 10) })
    await experiment('twinned', { analysis: { ...QUICK, metrics: [LATENCY], control: 'Twin' } })
    const twin = await availableTwin('twinned')
    expect(imageOf(twin)).to.equal(imageOf(await place().deployment('twinned')))
    expect(at(twin, 'spec', 'template', 'metadata', 'labels', ROLE)).to.equal('control')
    const told = await place().shows('twinned', 'its twin', ({ status }) => status?.analysis?.twin !== undefined)
    expect(told.status?.analysis?.twin).to.include({ name: twin.metadata.name, uid: twin.metadata.uid })
    const fork = told.status?.experimentResourceRef?.name ?? ''
    await eventually('a question about the fork', DEADLINE_MS, async () =>
      expect(asked.some((each) => isAbout(each, fork))).to.equal(true),
    )
    answers.set('twinned', { treatment: timesOf(900), control: timesOf(100) })
    const failed = await verdictOf('twinned', 'Fail')
    expect(condition(failed, 'AnalysisPassed')).to.include({ status: 'False', reason: 'HarmFound' })
    await isGone(twin.metadata.name)
    expect(asked.some((each) => isAbout(each, twin.metadata.name))).to.equal(false)
    await place().shows('twinned', 'no twin', ({ status }) => status?.analysis?.twin === undefined)
    const after = await place().deployment('twinned')
    expect(after.metadata.generation).to.equal(source.metadata.generation)
  })

  it('N41: lets a fork pass that is as good as the twin, however the source is', async () => {
    await aSource(place(), 'differing', { replicas: 3 })
    await experiment('differing')
    const twin = await twinOf('differing')
    answers.set('differing', (each) => ({ treatment: isAbout(each, twin) ? WORSE : GOOD, control: GOOD }))
    const ended = await verdictOf('differing', 'Pass')
    expect(condition(ended, 'AnalysisPassed')).to.include({ status: 'True', reason: 'Passed' })
    await isGone(twin)
  })

  it('comes back when somebody deletes it, and is restored when somebody changes it', async () => {
    await aSource(place(), 'disturbed', { replicas: 2 })
    answers.set('disturbed', { treatment: GOOD, control: GOOD })
    await experiment('disturbed', { analysis: { ...QUICK, control: 'Twin', maxSeconds: 3_600 } })
    const first = await availableTwin('disturbed')
    const path = place().path('deployments', first.metadata.name)
    await place().api.delete(path)
    const second = await eventually('another one', DEADLINE_MS, async () => {
      const found = await place().deployment(first.metadata.name)
      expect(found.metadata.uid).to.not.equal(first.metadata.uid)
      expect(at(found, 'status', 'availableReplicas')).to.equal(2)
      return found
    })
    const container = { name: 'cart', image: 'registry.example/other:1' }
    await place().api.patch(path, { spec: { template: { spec: { containers: [container] } } } }, 'strategic')
    await eventually('the image of the source', DEADLINE_MS, async () =>
      expect(imageOf(await place().deployment(first.metadata.name))).to.equal(imageOf(second)),
    )
    expect((await place().kubectl(['delete', 'expd/disturbed'])).code).to.equal(0)
    await isGone(first.metadata.name)
  })

  it('is gone before its experiment, where that is in another namespace', async () => {
    const stores = 'stores'
    await plane().api.create('/api/v1/namespaces', { metadata: { name: stores, labels: { of: stores } } })
    const { apiVersion, kind } = EXPERIMENT_POLICY
    await plane().api.create(resourcePath(EXPERIMENT_POLICY), {
      apiVersion,
      kind,
      metadata: { name: stores },
      spec: { namespaceSelector: { matchLabels: { of: stores } }, allowSourcesFrom: ['shop'] },
    })
    const there = placeAt(plane().api, plane().kubectl, stores)
    await aSource(there, 'far', { replicas: 2 })
    await experiment('far', { of: stores, analysis: { ...QUICK, control: 'Twin' } })
    const name = await twinOf('far')
    await eventually('the twin', DEADLINE_MS, async () =>
      expect(at(await there.deployment(name), 'status', 'availableReplicas')).to.equal(2),
    )
    expect((await place().kubectl(['delete', 'expd/far', '--wait=true'])).code).to.equal(0)
    const left = await there.api.list<KubeObject>(there.path('deployments'))
    expect(left.map(({ metadata }) => metadata.name)).to.deep.equal(['far'])
  })

  it('is refused beside a gate', async () => {
    await aSource(place(), 'gated', { replicas: 2 })
    const canary = { steps: [{ setWeight: 50 }] }
    const refused = await experiment('gated', { strategy: { canary }, traffic: { mode: 'Gated' } }).then(
      () => 'accepted',
      (error: unknown) => String(error),
    )
    expect(refused).to.contain('spec.analysis.control: Twin needs a fork whose pods get requests as soon as')
  })
})
