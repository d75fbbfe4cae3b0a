import { expect } from 'chai'
import { SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { type Base, baseHash, baseOf, pruneUnknownFields } from '../../../common/fork/base.ts'
import { at, type Json, type JsonObject } from '../../../common/json/json.ts'
import { NO_SHAPE } from '../../../common/override/shape.ts'
import type { KnownFields } from '../../../common/override/spec-schema.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aBase, aDeployment, aRollout, POD } from '../../builders.ts'

const based = (source: KubeObject) => baseOf(deployment, { source, referents: [], shape: POD })

function base(source: KubeObject): Base {
  const found = based(source)
  if (found.is !== 'base') throw new Error(JSON.stringify(found))
  return found.base
}

describe('baseOf', () => {
  it('takes the template and a few fields, and adds those that are fixed', () => {
    const source = aDeployment({ spec: { minReadySeconds: 5, paused: true, surprise: 1 } })
    expect(base(source)).to.deep.equal({
      spec: {
        minReadySeconds: 5,
        revisionHistoryLimit: 1,
        template: {
          metadata: { labels: { app: 'cart' }, annotations: {} },
          spec: { containers: [{ name: 'cart', image: 'example/cart:1' }] },
        },
      },
      labels: {},
      warnings: [],
    })
  })

  it('leaves out nodeName, debug containers and the alias serviceAccount', () => {
    const { spec } = base(aDeployment({ pod: { nodeName: 'n1', serviceAccount: 'cart', ephemeralContainers: [] } }))
    expect(at(spec, 'template', 'spec')).to.have.all.keys('containers', 'serviceAccountName')
    expect(at(spec, 'template', 'spec')).to.deep.include({ serviceAccountName: 'cart' })
  })

  it('prefers serviceAccountName to its alias', () => {
    const { spec } = base(aDeployment({ pod: { serviceAccountName: 'new', serviceAccount: 'old' } }))
    expect(at(spec, 'template', 'spec', 'serviceAccountName')).to.equal('new')
  })

  it('leaves out labels and annotations of the template that controllers set', () => {
    const { spec } = base(
      aDeployment({
        podLabels: { 'pod-template-hash': 'x', tier: 'web' },
        podAnnotations: { 'kubectl.kubernetes.io/restartedAt': 'now', note: 'x' },
      }),
    )
    expect(at(spec, 'template', 'metadata')).to.deep.equal({
      labels: { app: 'cart', tier: 'web' },
      annotations: { note: 'x' },
    })
  })

  it('N52: is the same whatever the size of the source, and with the label of a canary that has made it smaller', () => {
    const smaller = aDeployment({ labels: { [SCALED]: 'uid.11.9' }, spec: { replicas: 9 } })
    expect(base(smaller)).to.deep.equal(base(aDeployment()))
    expect(baseHash(base(smaller))).to.equal(baseHash(base(aDeployment())))
  })

  it('shares no object with the source', () => {
    const container: JsonObject = { env: [{ name: 'A' }] }
    const source = aDeployment({ container })
    const { spec } = base(source)
    expect(at(spec, 'template', 'spec', 'containers', '0', 'env')).not.to.equal(container.env)
  })

  it('keeps the last of two variables with the same name, and warns', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
      { name: 'A', value: '3' },
    ]
    const { spec, warnings } = base(aDeployment({ container: { env } }))
    expect(warnings).to.have.length(1)
    expect(JSON.stringify(spec)).to.contain('"env":[{"name":"B","value":"2"},{"name":"A","value":"3"}]')
  })

  it('D4: keeps one port with two names, which the override may replace, and says so', () => {
    const ports = [
      { containerPort: 80, name: 'a' },
      { containerPort: 80, protocol: 'TCP', name: 'b' },
    ]
    const { spec, mayBeFlawed, warnings } = base(aDeployment({ container: { ports } }))
    expect(JSON.stringify(spec)).to.contain(JSON.stringify(ports))
    expect([mayBeFlawed, warnings]).to.deep.equal([true, []])
  })

  it('refuses a source that is nested too deeply, with its path', () => {
    let deep: JsonObject = {}
    for (let level = 0; level < 100; level++) deep = { a: deep }
    const found = based(aDeployment({ pod: { deep } }))
    expect(found.is === 'refused' && found.errors[0]?.field).to.match(/^spec\.template\.spec\.deep\.a/)
  })

  it('is missing if the source has no template', () => {
    const source = aDeployment({ spec: { template: null } })
    expect(based(source)).to.deep.equal({ is: 'missing', message: 'deployment/cart has no template' })
  })

  it('keeps the labels of the source that its kind needs', () => {
    const kept = 'argo-rollouts.argoproj.io/controller-instance-id'
    const source = aRollout()
    const labelled = { ...source, metadata: { ...source.metadata, labels: { [kept]: 'blue', other: 'x' } } }
    const found = baseOf(rollout, { source: labelled, referents: [], shape: NO_SHAPE })
    expect(found.is === 'base' && found.base.labels).to.deep.equal({ [kept]: 'blue' })
  })

  it('leaves out fields of the template that the schema of the kind does not know', () => {
    const source = aRollout({ template: { spec: { containers: [{ name: 'a', resizePolicy: [] }] } } })
    const container = { items: { members: new Map([['name', {}]]) } }
    const spec = { members: new Map([['containers', container]]) }
    const template = { members: new Map([['spec', spec]]) }
    const found = baseOf(rollout, { source, referents: [], shape: NO_SHAPE, template })
    expect(found.is === 'base' && found.base.spec.template).to.deep.equal({ spec: { containers: [{ name: 'a' }] } })
  })
})

describe('the hash of a base', () => {
  it('does not change the base hash if the source is scaled', () => {
    const hash = (source: KubeObject) => baseHash(aBase(source))
    expect(hash(aDeployment())).to.match(/^[0-9a-f]{64}$/)
    expect(hash(aDeployment({ spec: { replicas: 40 } }))).to.equal(hash(aDeployment()))
    expect(hash(aDeployment({ image: 'other' }))).not.to.equal(hash(aDeployment()))
  })
})

const ANYTHING: KnownFields = {}
const KNOWN: KnownFields = {
  members: new Map<string, KnownFields>([
    ['labels', ANYTHING],
    [
      'spec',
      {
        members: new Map<string, KnownFields>([
          ['containers', { items: { members: new Map([['name', ANYTHING]]) } }],
          ['priority', ANYTHING],
        ]),
      },
    ],
  ]),
}

const cases: Record<string, readonly [value: Json, result: Json]> = {
  'removes unknown members of objects': [
    { spec: { priority: 1, hostUsers: true }, status: {} },
    { spec: { priority: 1 } },
  ],
  'removes unknown members of items': [
    { spec: { containers: [{ name: 'a', resizePolicy: [] }, { name: 'b' }] } },
    { spec: { containers: [{ name: 'a' }, { name: 'b' }] } },
  ],
  'keeps everything where anything is known': [{ labels: { any: ['thing'] } }, { labels: { any: ['thing'] } }],
  'keeps a scalar where an object is known': [{ spec: 'x' }, { spec: 'x' }],
  'keeps a list where an object is known': [{ spec: [{ a: 1 }] }, { spec: [{ a: 1 }] }],
  'keeps an object where a list is known': [{ spec: { containers: { a: 1 } } }, { spec: { containers: { a: 1 } } }],
  'keeps null': [{ spec: null }, { spec: null }],
}

describe('pruneUnknownFields', () => {
  for (const [sentence, [value, result]] of Object.entries(cases))
    it(sentence, () => expect(pruneUnknownFields(value, KNOWN)).to.deep.equal(result))
})
