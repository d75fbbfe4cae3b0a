import type { KubeObject } from '../../common/api/object.ts'
import { baseHash, baseOf } from '../../common/fork/base.ts'
import { derive } from '../../common/fork/derive.ts'
import { sha256Of } from '../../common/json/canonical.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { ANY_SCHEMA, aDeployment, anExperiment } from '../builders.ts'
import { type Bench, median, ratioFigure } from './figure.ts'

const CHARACTERS = 12 * 1024
const ROUNDS = 40
const PER_ROUND = 500

/** A realistic Deployment of `characters` of JSON: several containers with many variables, probes and mounts. */
export function aLargeDeployment(characters = CHARACTERS): KubeObject {
  const container = (name: string): JsonObject => ({
    name,
    image: `registry.example/${name}:1.2.3`,
    env: Array.from({ length: 24 }, (_, index) => ({ name: `VARIABLE_${index}`, value: `value-${index}-of-${name}` })),
    ports: [{ containerPort: 8080, name: 'http', protocol: 'TCP' }],
    livenessProbe: { httpGet: { path: '/livez', port: 8080, scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 1 },
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    volumeMounts: [{ name: 'config', mountPath: '/etc/config', readOnly: true }],
  })
  const containers: JsonObject[] = []
  while (JSON.stringify(containers).length < characters - 800) containers.push(container(`part-${containers.length}`))
  return aDeployment({ pod: { containers, volumes: [{ name: 'config', configMap: { name: 'config' } }] } })
}

/** The average microseconds of one call. */
function timed(call: () => unknown): number {
  const started = performance.now()
  for (let count = 0; count < PER_ROUND; count += 1) call()
  return ((performance.now() - started) * 1_000) / PER_ROUND
}

/** Compares everything that a pass derives, hashes included, with a structured clone of the source. */
export const derivation: Bench = {
  name: 'derivation',
  measures: 'deriving a fork from a Deployment of 12 KB, hashes included, beside a structuredClone of it',
  async run(tell) {
    const source = aLargeDeployment()
    tell(`a source of ${JSON.stringify(source).length} characters`)
    const overrideSpec = { template: { metadata: { annotations: { try: 'this' } } }, minReadySeconds: 3 }
    const experiment = anExperiment({ overrideSpec })
    const deriving = () => {
      const based = baseOf(deployment, { source, referents: [], shape: ANY_SCHEMA.shape })
      if (based.is !== 'base') throw new Error('the source of the bench cannot be forked')
      const derived = derive({ kind: deployment, experiment, base: based.base, schema: ANY_SCHEMA, replicas: 1 })
      if (derived.is !== 'fork') throw new Error('the override of the bench is refused')
      return [baseHash(based.base), sha256Of(derived.fork, 16)]
    }
    const cloning = () => structuredClone(source)
    const [derived, cloned]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      derived.push(timed(deriving))
      cloned.push(timed(cloning))
    }
    const value = median(derived)
    return [ratioFigure({ name: 'derivation', value, unit: 'µs', against: median(cloned), atMost: 6 })]
  },
}
