import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { request } from 'undici'
import type { Metric } from '../../common/api/analysis/metric.ts'
import { ANALYSIS_RUN, GROUP } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { AuditTail } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { aNamespace, usesControlPlane } from '../integration/fixture.ts'
import { aSource, condition, installation, type Place, placeIn, usesProduct } from '../integration/product.ts'
import { staysQuiet } from '../integration/quiet.ts'
import { MARKS, usesMarkedProviders } from './marked-provider.ts'

const QUIET_MS = 60_000
/** Of a look and of what it wakes. A provider that fails is asked after ten intervals at the latest. */
const TOLD_MS = 180_000
const WRITES: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection']
const OFTEN = { intervalSeconds: 10, warmUpSeconds: 0 } as const
const decided = (decision: string): Metric => ({
  name: 'decided',
  kind: 'Decision',
  provider: 'deciding',
  plugin: { args: { decision } },
})
const asked = (provider: 'failing' | 'refusing'): Metric => ({
  name: 'latency',
  kind: 'Latency',
  provider,
  prometheus: { histogram: 'http_request_duration_seconds' },
})
const fetched = (provider: 'redirecting' | 'endless' | 'counting'): Metric => ({
  name: 'value',
  kind: 'Value',
  provider,
  web: { path: '/stats', params: { arm: '{{arm}}' }, pointers: { value: '/source' } },
})

/** What has a verdict, which, and the pods after it. */
const FINISHED: Readonly<Record<string, readonly [Metric, verdict: string, pods: string]>> = {
  passed: [decided('Pass'), 'Pass', '1/1'],
  failed: [decided('Fail'), 'Fail', '0/0'],
  erroneous: [asked('failing'), 'Error', '0/0'],
}
/** What goes on. */
const LIVE: Readonly<Record<string, Metric>> = {
  waiting: decided('Wait'),
  refused: asked('refusing'),
  redirected: fetched('redirecting'),
  cut: fetched('endless'),
  counted: fetched('counting'),
}

describe('what an analysis writes and keeps, on the real control plane', function () {
  this.timeout(600_000)
  const plane = usesControlPlane()
  const served = usesMarkedProviders()
  const finished = usesProduct()
  let live: Place

  const experiment = async (place: Place, name: string, metric: Metric, isLive: boolean) => {
    await aSource(place, name, { replicas: 2 })
    const times = isLive ? { noDataSeconds: 3_600, continueAfterPass: true } : { noDataSeconds: 10 }
    const analysis = { ...OFTEN, ...times, metrics: [metric] }
    await place.experiment(name, { source: name, overrideSpec: imageOverride('registry.example/cart:2'), analysis })
  }
  const runs = () => live.api.list<KubeObject>(resourcePath(ANALYSIS_RUN, { namespace: live.namespace }))

  before('some have a verdict, others go on', async () => {
    live = await placeIn(await aNamespace())
    await Promise.all([
      ...Object.entries(FINISHED).map(([name, [metric]]) => experiment(finished(), name, metric, false)),
      ...Object.entries(LIVE).map(([name, metric]) => experiment(live, name, metric, true)),
    ])
    for (const [name, [, verdict, pods]] of Object.entries(FINISHED))
      await eventually(`the verdict on ${name}, and what follows from it`, TOLD_MS, async () => {
        const found = await finished().experimentAt(name)
        expect(condition(found, 'AnalysisComplete')?.status, JSON.stringify(found.status?.analysis)).to.equal('True')
        expect(found.status?.analysis?.verdict).to.equal(verdict)
        expect(found.status?.pods).to.equal(pods)
      })
    await eventually('a look of each that goes on', TOLD_MS, async () => {
      const all = await runs()
      for (const { metadata, status } of all) expect(at(status, 'verdict'), metadata.name).to.equal('Wait')
      const seen = all.map(({ status }) => Number(at(status, 'looks')))
      expect(seen).to.have.length(Object.keys(LIVE).length)
      expect(Math.min(...seen)).to.be.at.least(2)
    })
  })

  it(`F43: nothing is written in the ${QUIET_MS / 1_000} s after a verdict`, () =>
    staysQuiet(finished().namespace, QUIET_MS))

  it('F43: what goes on writes its run once in each look, and nothing else', async () => {
    const tail = new AuditTail(plane().auditLog, live.namespace)
    const written = async () =>
      (await tail.events()).filter(
        ({ verb, user }) => user.username.endsWith(':experiment-controller') && WRITES.includes(verb),
      )
    await written()
    // what a run has counted after each write
    const found = await eventually('more looks', TOLD_MS, async () => {
      const byRun = Map.groupBy(await written(), ({ verb, objectRef: { resource, subresource, name } = {} }) =>
        [verb, resource, subresource, name].join(' '),
      )
      const looks = [...byRun].map(
        ([what, events]) =>
          [what, events.map(({ responseObject }) => Number(at(responseObject?.status, 'looks')))] as const,
      )
      expect(looks, 'runs').to.have.length.at.least(Object.keys(LIVE).length)
      for (const [what, { length }] of looks) expect(length, what).to.be.at.least(what.includes('waiting') ? 4 : 1)
      return looks
    })
    expect(found.map(([what]) => what).sort()).to.deep.equal(
      (await runs()).map(({ metadata }) => `patch experimentanalysisruns status ${metadata.name}`).sort(),
    )
    for (const [what, [first = Number.NaN, ...others]] of found)
      expect(others, what).to.deep.equal(others.map((_, index) => first + 1 + index))
  })

  describe('of a provider', () => {
    const MOST = Object.values(MARKS)
    const marksIn = (what: string, text: string) =>
      MOST.filter((mark) => text.includes(mark)).map((mark) => `${what}: ${mark}`)

    /** All objects that can be listed, Events and Leases among them, with their managed fields. */
    async function objectsWithMarks(): Promise<readonly string[]> {
      const { stdout: names } = await plane().kubectl(['api-resources', '--verbs=list', '--output=name'])
      const resources = names.trim().split('\n')
      expect(resources).to.include.members(['events.events.k8s.io', `${ANALYSIS_RUN.plural}.${GROUP}`])
      const found: string[] = []
      for (const resource of resources) {
        const args = ['get', resource, '--all-namespaces', '--output=json', '--show-managed-fields']
        const { code, stdout, stderr } = await plane().kubectl(args)
        expect(code, stderr).to.equal(0)
        found.push(...marksIn(resource, stdout))
      }
      return found
    }
    async function filesWithMarks(): Promise<readonly string[]> {
      const folder = join(plane().stateDirectory, 'logs')
      const files = (await readdir(folder)).filter((file) => /^(controller|webhook)/.test(file))
      expect(files.length).to.be.at.least(2)
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
      return [...texts.entries()].flatMap(([index, text]) => marksIn(files[index] ?? '', text))
    }
    async function metricsWithMarks(): Promise<readonly string[]> {
      const { healthPorts } = await installation()
      const pages = await Promise.all(
        Object.entries(healthPorts).map(async ([program, port]) => {
          const { body } = await request(`http://127.0.0.1:${port}/metrics`)
          const text = await body.text()
          expect(text).to.contain('process_cpu_seconds_total')
          return marksIn(`metrics of the ${program}`, text)
        }),
      )
      return pages.flat()
    }

    it('F43: no credential and no piece of an answer is in any object, log or metric', async () => {
      const sent = served().seen
      expect(sent.map(({ headers }) => headers.authorization)).to.include(`Bearer ${MARKS.credential}`)
      expect(new Set(sent.map(({ line }) => line.split('/')[1]))).to.have.length(6) // all have been asked
      expect(await filesWithMarks()).to.deep.equal([])
      expect(await metricsWithMarks()).to.deep.equal([])
      expect(await objectsWithMarks()).to.deep.equal([])
      // a mark would have been found
      await live.api.create(`/api/v1/namespaces/${live.namespace}/configmaps`, {
        metadata: { name: 'planted' },
        data: { of: MARKS.body },
      })
      expect(await objectsWithMarks()).to.deep.equal([`configmaps: ${MARKS.body}`])
    })
  })
})
