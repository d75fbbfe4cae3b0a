import { HIGHEST_RATE, RATE, USUAL_RATE } from './traffic/steady.ts'

/** The namespace of the guides. kubectl uses it where no other one is named. */
export const NAMESPACE = 'shop'

/** What a sandbox has. */
export interface Has {
  /** webhook and controller, with all components */
  readonly product: boolean
  /** requests to Services */
  readonly traffic: boolean
  /** the address of Prometheus, if it runs */
  readonly prometheus: string | undefined
}

/** What has been started, and what a user can type next. Lines of commands begin with two spaces. */
export function hints({ product, traffic, prometheus }: Has): string {
  const programs = product ? 'Kubernetes, our webhook and our controller run' : 'Kubernetes runs'
  return [
    `${programs}, with three nodes. Paste the two lines above into another terminal. Ctrl-C here stops everything.`,
    `kubectl uses the namespace "${NAMESPACE}" there. A workload with a Service, to begin with:
  kubectl create deployment cart --image=registry.example/cart:1 --replicas=3
  kubectl expose deployment cart --port=80`,
    `Pods are simulated, and no image is pulled. What a pod does depends on the tag of its image: "broken" is never
pulled, and "crash" crashes in a loop.${traffic ? BY_TAG : ''}`,
    ...(traffic ? [TRAFFIC] : []),
    ...(prometheus === undefined ? [] : [ofPrometheus(prometheus, product)]),
    ...(product ? [PRODUCT] : []),
  ].join('\n\n')
}

const BY_TAG = ` "slow" answers half as fast as others, and "failing" answers every tenth request
with an error.`

const TRAFFIC = `Each Service gets ${USUAL_RATE} requests a second, except the preview of a blue-green. Another number up to ${HIGHEST_RATE}, or 0 for none:
  kubectl annotate --overwrite service/cart ${RATE}=100
To send 100 more to any Service and see which pods answer them, type here, in this folder:
  npm run sandbox requests cart`

const ofPrometheus = (address: string, hasProduct: boolean): string =>
  `Prometheus scrapes all pods; see ${address}${
    hasProduct
      ? `. An analysis asks it by the provider "prometheus", or for latency and errors so:
  analysis: {templates: [{name: http, scope: Cluster}]}`
      : ''
  }`

const PRODUCT = `docs/guide.md, docs/strategies.md and docs/analysis.md have examples to go on with. To see that a restart loses nothing:
  npm run sandbox restart controller`
