import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { beyond, beyondSelector, FOREIGN_BOUNDS, firstPairs, hasMoreNodes } from '../../../common/api/limits.ts'
import type { KubeObject, Labels } from '../../../common/api/object.ts'
import { baseOf } from '../../../common/fork/base.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { NO_SHAPE } from '../../../common/override/shape.ts'
import { autoscalerView, budgetView, networkPolicyView } from '../../../common/surroundings/neighbours.ts'
import { serviceView } from '../../../common/surroundings/traffic.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, aStatefulSet } from '../../builders.ts'

/** As many as the API server stores in one object. */
const MOST = 60_000

const numbered = <T>(of: (index: number) => T): readonly T[] => Array.from({ length: MOST }, (_, index) => of(index))
const LABELS: JsonObject = Object.fromEntries(numbered((index) => [`label-${index}`, 'v']))
const object = (spec: JsonObject): KubeObject => ({ apiVersion: 'v1', kind: 'Any', metadata: { name: 'big' }, spec })
const oneOf = (values: readonly string[]) => ({ matchExpressions: [{ key: 'app', operator: 'In', values }] })
const PORTS = numbered((index) => ({ port: 80, targetPort: `port-${index}` }))

/** Why a source has no fork. */
function refusedBecause(source: KubeObject): readonly string[] {
  const kind = source.kind === 'StatefulSet' ? statefulSet : deployment
  const based = baseOf(kind, { source, referents: [], shape: NO_SHAPE })
  return based.is === 'refused' ? based.errors.map(({ field, message }) => `${field}: ${message}`) : []
}

/** For each bound, its field in the table of `docs/attacks.md`, and what the largest object becomes. */
const ROWS: Readonly<Record<keyof typeof FOREIGN_BOUNDS, readonly [field: string, unknown, expected: object]>> = {
  selectorEntries: [
    'entries of a selector: of a Service, a NetworkPolicy or a PodDisruptionBudget',
    [
      serviceView(object({ selector: { app: 'cart', ...LABELS } }))?.beyond,
      networkPolicyView(object({ podSelector: { matchLabels: LABELS } })),
      budgetView(object({ selector: { matchExpressions: numbered(() => ({ key: 'a', operator: 'Exists' })) } })),
    ],
    [
      'spec.selector has 60001 entries, more than 64',
      { name: 'networkpolicy/big', unread: 'spec.podSelector has 60000 entries, more than 64' },
      { name: 'pdb/big', unread: 'spec.selector has 60000 entries, more than 64' },
    ],
  ],
  selectorValues: [
    'values of all expressions of such a selector',
    [budgetView(object({ selector: oneOf(numbered((index) => `v${index}`)) }))],
    [{ name: 'pdb/big', unread: 'spec.selector has 60000 values, more than 256' }],
  ],
  servicePorts: [
    'ports of a Service',
    [
      serviceView(object({ selector: { app: 'cart' }, ports: PORTS }))?.beyond,
      serviceView(object({ selector: { app: 'cart' }, ports: PORTS }))?.portNames?.length,
    ],
    ['spec.ports has 60000 entries, more than 1000', 1_000],
  ],
  podLabels: [
    'labels of the pod template of a source',
    refusedBecause(aDeployment({ podLabels: LABELS as Labels })),
    ['spec.template.metadata.labels: 60001 labels, more than 512; remove those that nobody needs'],
  ],
  sourceNodes: [
    'keys and list items of the pod template of a source, and of the rest that a fork inherits',
    [
      refusedBecause(aDeployment({ container: { args: numbered(String) } })),
      refusedBecause(aStatefulSet({ spec: { volumeClaimTemplates: numbered(() => ({ metadata: { name: 'a' } })) } })),
    ],
    [
      ['spec.template: more than 10000 keys and items; move bulk data into a ConfigMap'],
      ['spec: more than 10000 keys and items; move bulk data into a ConfigMap'],
    ],
  ],
  autoscalerMetrics: [
    'metrics of a HorizontalPodAutoscaler',
    [autoscalerView(object({ metrics: numbered(() => ({ type: 'Resource', resource: { name: 'cpu' } })) }))],
    [
      {
        name: 'big',
        target: { kind: 'undefined', name: 'undefined' },
        min: 1,
        max: 1,
        isOnCpu: false,
        beyond: 'spec.metrics has 60000 entries, more than 64',
      },
    ],
  ],
}

describe('the bounds of foreign fields', () => {
  for (const [bound, [field, found, expected]] of Object.entries(ROWS))
    it(`N29: ${field}: the largest object is beyond ${bound}, and is told`, () => expect(found).to.deep.equal(expected))

  it('N29: are the table of the page about attacks', () => {
    const page = readFileSync('docs/attacks.md', 'utf8')
    const rows = Object.entries(FOREIGN_BOUNDS).map(
      ([bound, most]) => `| ${ROWS[bound as keyof typeof ROWS][0]} | ${most.toLocaleString('en-US')} |`,
    )
    expect(rows.filter((row) => !page.includes(row))).to.deep.equal([])
  })
})

describe('beyondSelector', () => {
  it('counts labels and expressions together', () => {
    const labels = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`label-${index}`, 'v']))
    const selector = (expressions: number) => ({
      matchLabels: labels,
      matchExpressions: Array.from({ length: expressions }, () => ({ key: 'a', operator: 'Exists' })),
    })
    expect(beyondSelector(selector(4))).to.equal(undefined)
    expect(beyondSelector(selector(5))).to.equal('65 entries, more than 64')
  })

  it('finds nothing in what is no selector', () => expect(beyondSelector(['a'])).to.equal(undefined))
})

describe('beyond', () => {
  it('says by how many', () => {
    expect(beyond(64, 'autoscalerMetrics', 'entries')).to.equal(undefined)
    expect(beyond(65, 'autoscalerMetrics', 'entries')).to.equal('65 entries, more than 64')
  })
})

describe('hasMoreNodes', () => {
  it('counts keys and items, at any depth', () => {
    const value = { a: [1, { b: 2 }], c: 'x'.repeat(1_000) }
    expect(hasMoreNodes(value, 5)).to.equal(false)
    expect(hasMoreNodes(value, 4)).to.equal(true)
    expect(hasMoreNodes('abc', 0)).to.equal(false)
  })
})

describe('firstPairs', () => {
  it('keeps what is asked for, whatever the number', () => {
    const labels = { a: '1', b: '2', c: '3', z: '26' }
    const keys = Object.keys(labels)
    expect(firstPairs(labels, keys, { most: 2, asked: ['z', 'y'] })).to.deep.equal({ z: '26', a: '1', b: '2' })
    expect(firstPairs(labels, keys, { most: 4, asked: [] })).to.equal(labels)
  })
})
