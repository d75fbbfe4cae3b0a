import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import type { KubeObject } from '../../../common/api/object.ts'
import { applied, type Derived, derive, wholeForkHash, withHash } from '../../../common/fork/derive.ts'
import { at, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aBase, aDeployment, aFork, anExperiment, aRollout, imageOverride } from '../../builders.ts'
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
    replicas: 1,
  })
  if (derived.is !== 'fork') throw new Error(`refused: ${JSON.stringify(derived.errors)}`)
  return derived.fork
}

const templateOf = (fork: KubeObject): JsonObject => (fork.spec as { template: JsonObject }).template

describe('derive', () => {
  it('derives the fork of the example in the specification', () => {
    const source = aDeployment({
      spec: { minReadySeconds: 5, revisionHistoryLimit: 10, paused: true },
      podAnnotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-05T10:00:00Z', 'prometheus.io/scrape': 'true' },
      container: { env: [{ name: 'LOG_LEVEL', value: 'info' }] },
    })
    const container = { name: 'cart', image: 'example/cart:2', env: [{ name: 'LOG_LEVEL', value: 'debug' }] }
    const overrideSpec = { template: { spec: { containers: [container] } } }
    expect(forkOf(source, overrideSpec)).to.deep.equal(parse(EXAMPLE))
  })

  it('merges a Strategic override by keys, and requires the schema for it', () => {
    const env = [{ name: 'LOG_LEVEL', value: 'info' }, { name: 'PORT' }]
    const overrideSpec = imageOverride('example/cart:2')
    const inputs = {
      kind: deployment,
      experiment: anExperiment({ overrideSpec, overrideType: 'Strategic' }),
      base: aBase(aDeployment({ container: { env } })),
    }
    const derived = derive({ ...inputs, schema: SCHEMA, replicas: 1 })
    expect(derived.is === 'fork' && templateOf(derived.fork).spec).to.deep.equal({
      containers: [{ name: 'cart', image: 'example/cart:2', env }],
    })
    expect(derive({ ...inputs, schema: undefined, replicas: 1 })).to.deep.equal({
      is: 'refused',
      reason: 'SchemaNotAvailable',
      errors: [],
    })
  })

  it('D1: honours an override of the deprecated serviceAccount as one of serviceAccountName', () => {
    const fork = forkOf(aDeployment({ pod: { serviceAccountName: 'of-source' } }), {
      template: { spec: { serviceAccount: 'robot' } },
    })
    expect(templateOf(fork).spec)
      .to.deep.include({ serviceAccountName: 'robot' })
      .and.not.have.property('serviceAccount')
  })

  it('does not take over an unknown field of the spec', () => {
    expect(forkOf(aDeployment({ spec: { surprise: 1 } })).spec).not.to.have.property('surprise')
  })

  it('takes over an unknown field of the template', () => {
    const fork = forkOf(aDeployment({ pod: { novelty: { x: 1 } } }))
    expect(templateOf(fork).spec).to.deep.include({ novelty: { x: 1 } })
  })

  it('takes the replicas that it is given, not those of the source', () => {
    const experiment = anExperiment({ replicas: 3 })
    const derived: Derived = derive({ kind: deployment, experiment, base: aBase(), schema: SCHEMA, replicas: 0 })
    expect(derived.is === 'fork' && derived.fork.spec).to.deep.include({ replicas: 0 })
  })

  it('refuses an override that cannot be merged, with its errors', () => {
    const overrideSpec = { template: { spec: { containers: [null] } } }
    const derived = derive({
      kind: deployment,
      experiment: anExperiment({ overrideSpec }),
      base: aBase(),
      schema: undefined,
      replicas: 1,
    })
    expect(derived.is === 'refused' && [derived.reason, derived.errors.map(({ field }) => field)]).to.deep.equal([
      'InvalidOverride',
      ['spec.overrideSpec.template.spec.containers[0]'],
    ])
  })

  it('neither changes its inputs nor shares objects with them', () => {
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
          replicas: 1,
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

describe('applied', () => {
  const fork = aFork(aDeployment({ pod: { serviceAccountName: 'robot' } }))
  const accounts = (of: unknown) =>
    ['serviceAccountName', 'serviceAccount'].map((key) => at(of, 'template', 'spec', key))

  it('D1: has both names of the account, although the fork has one', () => {
    expect(accounts(fork.spec)).to.deep.equal(['robot', undefined])
    expect(accounts(applied(fork).spec)).to.deep.equal(['robot', 'robot'])
  })

  it('D1: is what the hash covers, so that a fork that was applied otherwise is applied again', () => {
    expect(withHash(fork)).to.deep.include({ spec: applied(fork).spec })
    expect(wholeForkHash(fork)).to.equal(wholeForkHash(applied(fork)))
    expect(wholeForkHash(fork)).not.to.equal(wholeForkHash(aFork()))
  })

  it('has the defaults that follow from other fields, so that they go when those change', () => {
    const { strategy, template } = objectOr(applied(aFork()).spec)
    expect(listOr(at(template, 'spec', 'containers'))).to.deep.equal([
      { name: 'cart', image: 'example/cart:1', imagePullPolicy: 'IfNotPresent' },
    ])
    expect(strategy).to.deep.equal({ type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } })
  })

  it('is the fork itself where there is nothing to add, and of a Rollout, whose spec is replaced', () => {
    expect(applied(applied(aFork()))).to.deep.equal(applied(aFork()))
    const rollout = aFork(aRollout())
    expect(applied(rollout)).to.deep.equal(rollout)
  })
})
