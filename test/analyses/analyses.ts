/** An installation that compares forks with their sources, and a plugin that tests speak through. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect } from 'chai'
import { ANALYSIS_PROVIDER, ANALYSIS_RUN } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { WITH_ANALYSIS } from '../../sandbox/installation.ts'
import { NAMESPACE, usesOwnProduct } from '../clusters/own-product.ts'

/** The shortest intervals that the API takes. */
export const QUICK = { intervalSeconds: 10, warmUpSeconds: 0 }

/** What a plugin answers, by the name of the experiment's source. */
export type Decisions = Map<string, JsonObject | ((told: JsonObject) => JsonObject)>

/** A metric that a plugin decides. */
export const DECIDED = {
  name: 'decided',
  kind: 'Decision',
  provider: 'plugin',
  plugin: { args: { of: '{{workload}}' } },
}

/** In a `describe`: a plugin runs, and is the provider `plugin`. Returns what it answers and what it was asked. */
export function runsPlugin(plane: () => ControlPlane) {
  const answers: Decisions = new Map()
  const asked: JsonObject[] = []
  const plugin = createServer(async (request, response) => {
    const told = (await json(request)) as JsonObject
    asked.push(told)
    const of = String(at(told, 'metric', 'args', 'of'))
    const [, answer = { decision: 'Wait' }] = [...answers].find(([source]) => of.startsWith(source)) ?? []
    const said = typeof answer === 'function' ? answer(told) : answer
    response.setHeader('content-type', 'application/json').end(JSON.stringify(said))
  })
  before('a plugin runs', async () => {
    await once(plugin.listen(0, '127.0.0.1'), 'listening')
    const { port } = plugin.address() as AddressInfo
    const { apiVersion, kind } = ANALYSIS_PROVIDER
    // that of an earlier test may be there
    await plane().api.apply(resourcePath(ANALYSIS_PROVIDER, { name: 'plugin' }), {
      ...{ apiVersion, kind, metadata: { name: 'plugin' } },
      spec: { type: 'Plugin', address: `http://127.0.0.1:${port}`, namespaceSelector: {}, lagSeconds: 0 },
    })
  })
  after('the plugin ends', () => {
    plugin.closeAllConnections()
    plugin.close()
  })
  return { answers, asked }
}

/** In a `describe`: the product runs on a control plane of its own, in the namespace `shop`, with a plugin. */
export function usesAnalyses() {
  const product = usesOwnProduct(() => WITH_ANALYSIS, { settings: { ANALYSIS_LOOPBACK: 'allow' } })
  const { plane, place } = product
  const { answers, asked } = runsPlugin(plane)
  const runs = () => place().api.list<KubeObject>(resourcePath(ANALYSIS_RUN, { namespace: NAMESPACE }))
  return {
    ...product,
    answers,
    asked,
    runs,
    /** The analysis runs of an experiment. */
    async runsOf(name: string): Promise<readonly KubeObject[]> {
      const { metadata } = await place().experimentAt(name)
      return (await runs()).filter((run) => at(run.spec, 'experiment', 'uid') === metadata.uid)
    },
    /** Waits until an analysis has a verdict. Returns the experiment. */
    async verdictOf(name: string, verdict: string) {
      const shown = await place().shows(
        name,
        `the verdict ${verdict}`,
        ({ status, metadata }) =>
          status?.analysis?.verdict === verdict && status.observedGeneration === metadata.generation,
      )
      expect(shown.status?.analysis?.run).to.be.a('string')
      return shown
    },
  }
}
