import { join } from 'node:path'
import { createProvider, scrapedPods } from '../prometheus/scraped-pods.ts'
import { startTraffic, type Traffic } from '../traffic/traffic.ts'
import { NAMESPACE, type Stage, type Step } from './stage.ts'

const NAME = 'slow-frontend'
const EXPERIMENT = `apiVersion: experimentcontroller.example.com/v1alpha1
kind: ExperimentDeployment
metadata:
  name: ${NAME}
spec:
  sourceRef: {kind: Deployment, name: frontend}
  replicas: 2
  overrideType: Strategic
  overrideSpec: {template: {spec: {containers: [{name: guestbook-frontend, image: "registry.example/agnhost:slow"}]}}}
  analysis:
    templates: [{name: http, scope: Cluster}]
    intervalSeconds: 10
    warmUpSeconds: 0
`
/** Half of the answers take longer; those of the slow version take twice as long. */
const MEDIAN_SECONDS = 0.05
const VERSIONS = { '1.1.0': { medianSeconds: MEDIAN_SECONDS }, slow: { medianSeconds: 2 * MEDIAN_SECONDS } }
const TEMPLATES = join(import.meta.dirname, '../../manifests/analysis-templates')
/** In the network namespace. */
const PORT = 29_090
const DEADLINE_MS = 120_000

/** Waits until the requests to both versions have shown which is worse. */
async function isFoundOut(stage: Stage, traffic: Traffic): Promise<void> {
  const { plane, kubectl, awaits, explain } = stage
  const pods = await scrapedPods({ plane, traffic, namespace: NAMESPACE, versions: VERSIONS })
  try {
    const prometheus = await pods.prometheus('prometheus', PORT)
    if ('unavailable' in prometheus) return explain(`no metrics here: ${prometheus.unavailable}`)
    await createProvider(plane, 'prometheus', prometheus)
    await kubectl(`apply -k ${TEMPLATES}`)
    await kubectl('apply -f -', EXPERIMENT)
    const asking = pods.ask({ namespace: NAMESPACE, service: 'frontend' })
    await awaits(`get expd ${NAME} -o 'jsonpath={.status.analysis.verdict} {.status.pods}'`, 'Fail 0/0', DEADLINE_MS)
    const seconds = (performance.now() - asking.fromMs) / 1_000
    await asking.end()
    explain(`its pods were taken ${seconds.toFixed(0)} s after the first request`)
    await kubectl('get expd')
    await kubectl('get expdrun')
    await kubectl(`get events --field-selector involvedObject.name=${NAME},reason=HarmFound`)
  } finally {
    await pods.stop()
  }
}

const foundOut: Step = {
  title: 'A version that answers half as fast. An analysis compares real requests, finds it out, and takes its pods',
  async play(stage) {
    const traffic = await startTraffic(stage.plane)
    if ('unavailable' in traffic) return stage.explain(`no requests can be sent here: ${traffic.unavailable}`)
    try {
      await isFoundOut(stage, traffic)
    } finally {
      await traffic.stop()
    }
  },
}

/** The fourth story of the demo: a slow version of the frontend. */
export const ANALYSIS: readonly Step[] = [foundOut]
