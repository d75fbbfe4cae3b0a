import { dirname } from 'node:path'
import { expect } from 'chai'
import { ANALYSIS_RUN, EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { experimentId } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { run } from '../../sandbox/run.ts'
import { imageOverride } from '../builders.ts'
import { Page } from '../integration/document.ts'
import { aSource, condition, DEADLINE_MS } from '../integration/product.ts'
import { DECIDED, QUICK, usesAnalyses } from './analyses.ts'

describe('an analysis, on the real control plane', function () {
  this.timeout(5 * DEADLINE_MS) // the waits in it end earlier, with an error that names the reason
  const { plane, place, answers, asked, runs, runsOf, verdictOf } = usesAnalyses()

  /** Makes the only container of each pod of the fork restart so often, as a kubelet reports it. */
  async function restarts(name: string, restartCount: number): Promise<void> {
    const { metadata } = await place().experimentAt(name)
    const selector = `labelSelector=${EXPERIMENT_ID}=${experimentId(metadata.uid)}`
    const pods = await place().api.list<KubeObject>(`${place().path('pods')}?${selector}`)
    expect(pods.length).to.be.above(0)
    for (const pod of pods) {
      const containerStatuses = [{ name: 'cart', restartCount, ready: true, image: '', imageID: '' }]
      const path = `${place().path('pods', pod.metadata.name)}/status`
      await place().api.patch(path, { status: { containerStatuses } }, 'strategic')
    }
  }
  const annotationOf = async (fork: string) => (await place().deployment(fork)).metadata.annotations?.gatedDeployStatus
  const forkOf = ({ status }: Awaited<ReturnType<typeof verdictOf>>) => status?.experimentResourceRef?.name ?? ''
  const edit = (name: string, spec: object) => place().api.patch(place().path('experiments', name), { spec })
  const experiment = (name: string, analysis: object, of: object = {}) =>
    place().experiment(name, {
      source: name,
      overrideSpec: imageOverride('registry.example/cart:2'),
      analysis,
      ...of,
    } as never)

  /** What a script finds. */
  const scriptEnv = () => {
    const { binaries, kubeconfig } = plane()
    return { KUBECONFIG: kubeconfig, PATH: `${dirname(binaries.kubectl)}:/usr/bin:/bin`, HOME: '/nonexistent' }
  }

  /** Runs the scripts of the guide for the experiment `name`. */
  async function runsScripts(name: string, code: number): Promise<void> {
    const env = scriptEnv()
    for (const script of new Page('analysis.md').blocks('sh')) {
      const text = script.replaceAll('faster-cart', name).replaceAll('kubectl ', 'kubectl --namespace shop ')
      expect((await run('/bin/sh', ['-c', text], { env })).code, text).to.equal(code)
    }
  }

  it('takes the pods of a fork whose containers restart, until another question is asked', async () => {
    await aSource(place(), 'restarting', { replicas: 3 })
    const source = await place().deployment('restarting')
    await experiment('restarting', QUICK)
    await eventually('the first look', DEADLINE_MS, async () =>
      expect(at((await runsOf('restarting'))[0]?.status, 'startedAt')).to.be.a('string'),
    )
    await restarts('restarting', 60)
    const back = await place().reaches('restarting', 'RolledBack')
    expect(condition(back, 'AnalysisPassed')).to.include({ status: 'False', reason: 'CrashLoops' })
    expect(condition(back, 'AnalysisComplete')?.status).to.equal('True')
    expect(condition(back, 'Stalled')).to.include({ status: 'True', reason: 'RolledBack' })
    await place().shows('restarting', 'no pods', ({ status }) => status?.pods === '0/0')
    expect(await annotationOf(forkOf(back))).to.equal('harm')
    await edit('restarting', { analysis: { attempt: 2 } })
    await place().reaches('restarting', 'Available')
    await edit('restarting', { analysis: { attempt: 1 } })
    const again = await place().reaches('restarting', 'RolledBack')
    expect(again.status?.analysis).to.deep.include({ run: back.status?.analysis?.run, verdict: 'Fail' })
    await edit('restarting', { analysis: null })
    const plain = await place().reaches('restarting', 'Available')
    expect(plain.status?.analysis).to.equal(undefined)
    expect((await place().deployment('restarting')).metadata.generation).to.equal(source.metadata.generation)
  })

  it('waits until all pods of its source have the template of the fork, and begins by itself then', async () => {
    await aSource(place(), 'rolling', { replicas: 3 })
    const write = (spec: object) => place().api.patch(place().path('deployments', 'rolling'), { spec }, 'strategic')
    await write({ paused: true, ...imageOverride('registry.example/cart:9') })
    await experiment('rolling', QUICK)
    await place().reaches('rolling', 'Available')
    const held = await place().shows(
      'rolling',
      'why its analysis waits',
      ({ status }) => status?.analysis?.reason === 'SourceHoldsBack',
    )
    expect(held.status?.analysis?.message).to.contain('deployment/rolling has spec.paused')
    expect(await runsOf('rolling')).to.deep.equal([])
    await write({ paused: false })
    await eventually('the first look', DEADLINE_MS, async () =>
      expect(at((await runsOf('rolling'))[0]?.status, 'startedAt')).to.be.a('string'),
    )
  })

  it('passes as the plugin says, and a script can wait for it', async () => {
    await aSource(place(), 'passing', { replicas: 3 })
    await experiment('passing', { ...QUICK, metrics: [DECIDED] })
    const [first] = await eventually('a look', DEADLINE_MS, async () => {
      const found = await runsOf('passing')
      expect(at(found[0]?.status, 'windows', 'counted')).to.be.above(0)
      return found
    })
    expect(at(first?.status, 'verdict')).to.equal('Wait')
    expect(asked.at(-1)).to.include.keys('run', 'metric', 'window', 'control', 'treatment')
    answers.set('passing', { decision: 'Pass', message: 'all good' })
    await runsScripts('passing', 0)
    const passed = await verdictOf('passing', 'Pass')
    expect(condition(passed, 'AnalysisPassed')?.status).to.equal('True')
    expect(passed.status?.pods).to.equal('1/1')
    await eventually('the annotation', DEADLINE_MS, async () =>
      expect(await annotationOf(forkOf(passed))).to.equal('noHarm'),
    )
  })

  it('N15: warns of a metric of which no series is found, and takes no pods for it', async () => {
    await aSource(place(), 'unnamed', { replicas: 2 })
    answers.set('unnamed', { treatment: {}, control: {} })
    const metrics = [{ ...DECIDED, name: 'errors', kind: 'ErrorRate' }]
    await experiment('unnamed', { ...QUICK, metrics, noDataSeconds: 20, maxSeconds: 50 })
    const warned = await place().shows('unnamed', 'the reason', ({ status }) => status?.analysis?.reason === 'NoSeries')
    expect(warned.status?.analysis).to.include({ verdict: 'Wait', gatedDeployStatus: 'notSignificant' })
    const text = 'errors: no series of either version in any window so far for plugin; check its name'
    expect(condition(warned, 'Ready')?.message).to.contain(`; analysis: ${text}`)
    await eventually('the Event', DEADLINE_MS, async () => {
      const { text: events } = await place().kubectl(['get', 'events', '--field-selector=reason=NoSeries'])
      expect(events)
        .to.match(/Warning +NoSeries +experimentdeployment\/unnamed +analysis: Wait: /)
        .and.to.contain(text)
    })
    const ended = await verdictOf('unnamed', 'NoData')
    expect(ended.status).to.deep.include({ pods: '1/1' })
    expect(at((await runsOf('unnamed'))[0]?.status, 'action')).to.equal('Keep')
  })

  it('says at apply what the requests that a run has seen can show', async () => {
    const [first] = await runsOf('passing')
    const path = resourcePath(ANALYSIS_RUN, { namespace: 'shop', name: first?.metadata.name ?? '' })
    await place().api.patch(`${path}/status`, { status: { traffic: { requestsPerSecond: 20.5, spread: 1 } } })
    const metrics = [{ name: 'latency', kind: 'Latency', provider: 'plugin', plugin: {} }]
    const analysis = { ...QUICK, metrics, maxSeconds: 600 }
    await eventually('the answer', DEADLINE_MS, async () => {
      const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
      const spec = { sourceRef: { kind: 'Deployment', name: 'passing' }, overrideSpec: {}, analysis }
      const manifest = JSON.stringify({ apiVersion, kind, metadata: { name: 'measured' }, spec })
      const { text } = await place().kubectl(['create', '--dry-run=server', '-f', '-'], manifest)
      expect(text).to.match(
        /\[Plan\] analysis: at 20.5 requests\/s, of which the fork gets 25%, it can detect slowdowns of \+\d+% or more within 10m/,
      )
    })
    const { text } = await place().kubectl(['get', 'expdrun', '--output=wide'])
    expect(text)
      .to.match(/RATE +SPREAD +STARTED/)
      .and.to.match(/ 20\.5 +1 +20\d\d-/)
  })

  it('rolls a canary back when it fails, and it stays so', async () => {
    await aSource(place(), 'failing', { replicas: 3 })
    const canary = { steps: [{ setWeight: 25 }, { analysis: {} }, { setWeight: 50 }, { pause: {} }] }
    await experiment('failing', { ...QUICK, metrics: [DECIDED] }, { strategy: { canary } })
    const waiting = await place().shows(
      'failing',
      'the step of the analysis',
      ({ status }) => status?.strategy?.stepName === 'analysis' && status.analysis?.run !== undefined,
    )
    expect(condition(waiting, 'Paused')).to.include({ reason: 'AnalysisStep' })
    answers.set('failing', { decision: 'Fail', message: 'too slow' })
    await place().shows('failing', 'the abort', ({ status }) => {
      const isAborted = status?.strategy?.phase === 'Aborted' && status.analysis?.verdict === 'Fail'
      return isAborted && status.pods === '0/0'
    })
    await runsScripts('failing', 1)
    const patch = ['annotate', '--overwrite', 'expd/failing', 'experiment-controller.example.com/command=retry']
    expect((await place().kubectl(patch)).code).to.equal(0)
    await place().shows('failing', 'another abort', ({ status }) => {
      const { phase, attempt } = status?.strategy ?? {}
      return phase === 'Aborted' && attempt === 1
    })
  })

  it('keeps the records of ten questions, and ends with the experiment', async () => {
    await aSource(place(), 'asking', { replicas: 1 })
    await experiment('asking', QUICK)
    for (let attempt = 1; attempt <= 13; attempt += 1) {
      await edit('asking', { analysis: { attempt } })
      await place().shows(
        'asking',
        `the run of attempt ${attempt}`,
        ({ status }) => status?.analysis?.attempt === attempt && status.analysis.run !== undefined,
      )
    }
    await eventually('the oldest records to go', DEADLINE_MS, async () => {
      const attempts = (await runsOf('asking')).map(({ spec }) => Number(at(spec, 'attempt')))
      expect(attempts.sort((a, b) => a - b)).to.deep.equal([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
    })
    const before = await runsOf('asking')
    const [last] = before.filter(({ spec }) => at(spec, 'attempt') === 13)
    expect((await place().kubectl(['delete', 'expd/asking'])).code).to.equal(0)
    await eventually('the last one to end', DEADLINE_MS, async () => {
      const found = (await runs()).find(({ metadata }) => metadata.uid === last?.metadata.uid)
      expect(at(found?.status, 'verdict')).to.equal('Aborted')
    })
  })

  it('N16: promotes what has passed, where promotion is automatic, and a script still reads its word', async () => {
    await aSource(place(), 'promoted', { replicas: 3 })
    answers.set('promoted', { decision: 'Pass' })
    const canary = { steps: [{ setWeight: 25 }], scaleDownDelaySeconds: 1 }
    const analysis = { ...QUICK, metrics: [DECIDED] }
    await experiment('promoted', analysis, { strategy: { canary }, promotion: { mode: 'Automatic' } })
    const done = await place().shows(
      'promoted',
      'its promotion',
      ({ status }) => status?.strategy?.phase === 'Promoted',
    )
    expect(done.status?.analysis).to.include({ verdict: 'Pass', gatedDeployStatus: 'noHarm' })
    await runsScripts('promoted', 0) // N16: the fork is gone
    const { spec } = await place().deployment('promoted')
    expect(JSON.stringify(spec)).to.contain('registry.example/cart:2')
  })
})
