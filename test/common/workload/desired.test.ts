import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import type { JsonObject, KubeObject } from '../../../common/api/object.ts'
import { baseOf } from '../../../common/workload/base.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { baseHash, type Derived, derive } from '../../../common/workload/desired.ts'
import { aBase, aDeployment, anExperiment, imageOverride, POD } from '../../builders.ts'
import { aJsonObject, aPatch } from '../../generators.ts'
import { LAW } from '../../property.ts'
import { deploymentSchema } from '../schema/openapi.ts'

const EXAMPLE = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: cart-experiment-cd1aa1c99c
  namespace: shop
  labels:
    app.kubernetes.io/managed-by: experiment-controller
    experiment-controller.example.com/cr-name: faster-cart
    experiment-controller.example.com/experiment-id: cd1aa1c99c
    experiment-controller.example.com/is-experiment: "true"
    experiment-controller.example.com/role: experiment
  ownerReferences:
  - {apiVersion: experimentcontroller.example.com/v1alpha1, kind: ExperimentDeployment, name: faster-cart,
     uid: 5f0c1e9a-6b0e-4c1d-9a53-2f4f3d1b7a10, controller: true, blockOwnerDeletion: true}
spec:
  replicas: 1
  revisionHistoryLimit: 1
  selector: {matchLabels: {experiment-controller.example.com/experiment-id: cd1aa1c99c}}
  minReadySeconds: 5
  template:
    metadata:
      labels:
        app: cart
        experiment-controller.example.com/cr-name: faster-cart
        experiment-controller.example.com/experiment-id: cd1aa1c99c
        experiment-controller.example.com/is-experiment: "true"
        experiment-controller.example.com/role: experiment
      annotations: {prometheus.io/scrape: "true"}
    spec:
      containers:
      - name: cart
        image: example/cart:2
        env: [{name: LOG_LEVEL, value: debug}]
`

const SCHEMA = deploymentSchema()

const forkOf = (source: KubeObject, overrideSpec: JsonObject = {}): KubeObject => {
  const derived = derive({
    kind: deployment,
    experiment: anExperiment({ overrideSpec }),
    base: aBase(source),
    schema: SCHEMA,
  })
  if (derived.is !== 'fork') throw new Error(`refused: ${JSON.stringify(derived.errors)}`)
  return derived.fork
}

const templateOf = (fork: KubeObject): JsonObject => (fork.spec as { template: JsonObject }).template

describe('derive', () => {
  it('The example gives its object', () => {
    const source = aDeployment({
      spec: { minReadySeconds: 5, revisionHistoryLimit: 10, paused: true },
      podAnnotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-05T10:00:00Z', 'prometheus.io/scrape': 'true' },
      container: { env: [{ name: 'LOG_LEVEL', value: 'info' }] },
    })
    const container = { name: 'cart', image: 'example/cart:2', env: [{ name: 'LOG_LEVEL', value: 'debug' }] }
    const overrideSpec = { template: { spec: { containers: [container] } } }
    expect(forkOf(source, overrideSpec)).to.deep.equal(parse(EXAMPLE))
  })

  it('lays a Strategic override over single items, and waits for the schema that it needs', () => {
    const env = [{ name: 'LOG_LEVEL', value: 'info' }, { name: 'PORT' }]
    const overrideSpec = imageOverride('example/cart:2')
    const inputs = {
      kind: deployment,
      experiment: anExperiment({ overrideSpec, overrideType: 'Strategic' }),
      base: aBase(aDeployment({ container: { env } })),
    }
    const derived = derive({ ...inputs, schema: SCHEMA })
    expect(derived.is === 'fork' && templateOf(derived.fork).spec).to.deep.equal({
      containers: [{ name: 'cart', image: 'example/cart:2', env }],
    })
    expect(derive({ ...inputs, schema: undefined })).to.deep.equal({
      is: 'refused',
      reason: 'SchemaNotAvailable',
      errors: [],
    })
  })

  it('An unknown `spec` field is not copied', () => {
    expect(forkOf(aDeployment({ spec: { surprise: 1 } })).spec).not.to.have.property('surprise')
  })

  it('An unknown template field is copied', () => {
    const fork = forkOf(aDeployment({ pod: { novelty: { x: 1 } } }))
    expect(templateOf(fork).spec).to.deep.include({ novelty: { x: 1 } })
  })

  it('nodeName and the serviceAccount alias are not copied', () => {
    const fork = forkOf(aDeployment({ pod: { nodeName: 'n1', serviceAccount: 'cart', ephemeralContainers: [] } }))
    expect(templateOf(fork).spec).to.have.all.keys('containers', 'serviceAccountName')
    expect(templateOf(fork).spec).to.deep.include({ serviceAccountName: 'cart' })
  })

  it('Of two env of one name the last stays, with a warning', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
      { name: 'A', value: '3' },
    ]
    const source = aDeployment({ container: { env } })
    expect(aBase(source).warnings).to.have.length(1)
    expect(JSON.stringify(forkOf(source))).to.contain('"env":[{"name":"B","value":"2"},{"name":"A","value":"3"}]')
  })

  it('One port under two names is SourceNotForkable, by its path', () => {
    const ports = [
      { containerPort: 80, name: 'a' },
      { containerPort: 80, protocol: 'TCP', name: 'b' },
    ]
    const based = baseOf(deployment, { source: aDeployment({ container: { ports } }), referents: [], shape: POD })
    expect(based.is === 'refused' && based.errors.map(({ field }) => field)).to.deep.equal([
      'spec.template.spec.containers[0].ports[1]',
    ])
  })

  it('takes its replicas from the experiment, never from the source', () => {
    const experiment = anExperiment({ replicas: 0 })
    const derived: Derived = derive({ kind: deployment, experiment, base: aBase(), schema: SCHEMA })
    expect(derived.is === 'fork' && derived.fork.spec).to.deep.include({ replicas: 0 })
  })

  it('hashes the base alone: an override or a scaled source leaves it', () => {
    const hash = (source: KubeObject) => baseHash(aBase(source))
    expect(hash(aDeployment())).to.match(/^[0-9a-f]{10}$/)
    expect(hash(aDeployment({ spec: { replicas: 40 } }))).to.equal(hash(aDeployment()))
    expect(hash(aDeployment({ image: 'other' }))).not.to.equal(hash(aDeployment()))
  })

  it('No input is mutated or aliased', () => {
    fc.assert(
      fc.property(aJsonObject, aPatch, (pod, override) => {
        const source = aDeployment({ pod })
        const overrideSpec = { template: { spec: override } }
        const before = structuredClone({ source, overrideSpec })
        const derived = derive({
          kind: deployment,
          experiment: anExperiment({ overrideSpec }),
          base: aBase(source),
          schema: SCHEMA,
        })
        if (derived.is === 'fork') scribble(derived.fork)
        expect({ source, overrideSpec }).to.deep.equal(before)
      }),
      LAW,
    )
  }).timeout(60_000)
})

/** Writes into every object and list below `value`. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) scribble(inner)
  Object.assign(value, { scribbled: true })
}
