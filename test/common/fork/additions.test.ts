import { expect } from 'chai'
import { MAX_WARNING } from '../../../common/api/conditions.ts'
import type { ManagedFieldsEntry } from '../../../common/api/object.ts'
import { additions } from '../../../common/fork/additions.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { FieldChange } from '../../../common/override/changes.ts'
import { differences } from '../../../common/override/differences.ts'
import { fitted } from '../../../common/text/fitted.ts'
import { aDeployment, POD } from '../../builders.ts'

const LABEL = { template: { metadata: { labels: { tier: 'x' } } } }
/** The fields of the pod that a manager owns. */
const inPod = (fields: JsonObject): JsonObject => ({ 'f:template': { 'f:spec': fields } })
const by = (fields: JsonObject, of: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: 'kubectl-edit',
  operation: 'Update',
  fieldsV1: { 'f:spec': fields },
  ...of,
})
const VOLUMES = {
  'f:volumes': { '.': {}, 'k:{"name":"host"}': { '.': {}, 'f:name': {}, 'f:hostPath': { '.': {}, 'f:path': {} } } },
}
const textsOf = (changes: readonly FieldChange[]) => differences(changes).map((parts) => fitted(MAX_WARNING, parts))
const found = (pod: JsonObject, ...managedFields: readonly ManagedFieldsEntry[]) =>
  textsOf(
    additions(
      aDeployment({ pod, metadata: { managedFields } }),
      () => aDeployment(),
      () => POD,
    ),
  )

describe('the additions of other clients to a fork', () => {
  const host = { volumes: [{ name: 'host', hostPath: { path: '/etc' } }] }
  const cases: Readonly<Record<string, readonly [pod: JsonObject, fields: JsonObject, ...string[]]>> = {
    'are a field of the pod': [{ hostNetwork: true }, inPod({ 'f:hostNetwork': {} }), 'hostNetwork: set'],
    'are an item of a list with keys': [host, inPod(VOLUMES), 'volumes[host]: added'],
    'are all in a place that the other owns as a whole': [
      { nodeSelector: { a: 'b' } },
      inPod({ 'f:nodeSelector': {} }),
      'nodeSelector.a: set',
    ],
    'are a field of a container': [
      { containers: [{ name: 'cart', image: 'example/cart:1', tty: true }] },
      inPod({ 'f:containers': { 'k:{"name":"cart"}': { 'f:tty': {} } } }),
      'containers[cart].tty: set',
    ],
    'are no defaults of the API server, which belong to nobody': [
      { hostNetwork: true, dnsPolicy: 'ClusterFirst' },
      inPod({ 'f:hostNetwork': {} }),
      'hostNetwork: set',
    ],
    'are no fields that the controller sets, because they are put back': [
      { containers: [{ name: 'cart', image: 'example/cart:2' }] },
      inPod({ 'f:containers': { 'k:{"name":"cart"}': { 'f:image': {} } } }),
    ],
    'are a port of several keys, and an item by its value or by its index': [
      {
        containers: [
          { name: 'cart', image: 'example/cart:1', ports: [{ containerPort: 80, protocol: 'UDP' }], args: ['a'] },
        ],
        hostAliases: [{ ip: '10.0.0.1' }],
      },
      inPod({
        'f:containers': {
          'k:{"name":"cart"}': {
            'f:ports': { 'k:{"containerPort":80,"protocol":"UDP"}': { '.': {}, 'f:containerPort': {} } },
            'f:args': { 'v:"a"': {} },
          },
        },
        'f:hostAliases': { 'i:0': { 'f:ip': {} } },
      }),
      'containers[cart].ports[80/UDP]: added',
      'containers[cart].args[0]: added',
      'hostAliases[0]: added',
    ],
    'are no items of another key': [host, inPod({ 'f:volumes': { 'k:{"name":"other"}': {} } })],
  }
  for (const [sentence, [pod, fields, ...expected]] of Object.entries(cases))
    it(`S8: ${sentence}`, () => expect(found(pod, by(fields))).to.deep.equal(expected))

  it('S8: are found also where they are nested deeper than anything recursive could read', () => {
    let deep: JsonObject = {}
    for (let level = 0; level < 50_000; level++) deep = { a: deep }
    const [change, ...others] = additions(
      aDeployment({ pod: { deep }, metadata: { managedFields: [by(inPod({ 'f:deep': {} }))] } }),
      () => aDeployment(),
      () => POD,
    )
    expect(change?.path.slice(0, 3).map((step) => step.is === 'member' && step.key)).to.deep.equal([
      'template',
      'spec',
      'deep',
    ])
    expect(others).to.deep.equal([])
  })

  it('N29: are found among those of thousands of managers', () => {
    const nodeSelector = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key-${index}`, 'v']))
    const owning = (index: number) => by(inPod({ 'f:nodeSelector': { [`f:key-${index}`]: {} } }))
    const managers = Array.from({ length: 5_000 }, (_, index) => ({ ...owning(index), manager: `m-${index}` }))
    expect(found({ nodeSelector, hostNetwork: true }, ...managers)).to.have.length(5_000)
    const whole = by(inPod({ 'f:nodeSelector': {} }))
    expect(found({ nodeSelector }, ...managers, whole)).to.have.length(10_000)
  })

  it('S8: include a label of the pods', () => {
    const managedFields = [by({ 'f:template': { 'f:metadata': { 'f:labels': { 'f:tier': {} } } } })]
    const live = aDeployment({ podLabels: LABEL.template.metadata.labels, metadata: { managedFields } })
    const changes = additions(
      live,
      () => aDeployment(),
      () => POD,
    )
    expect(textsOf(changes)).to.deep.equal(['template.metadata.labels.tier: set'])
  })

  it('S8: are not what the controller applies or what a status has, but also what somebody wrote in its name', () => {
    const fields = inPod({ 'f:hostNetwork': {} })
    const ours = { manager: 'experiment-controller', operation: 'Apply' }
    expect(found({ hostNetwork: true }, by(fields, ours))).to.deep.equal([])
    expect(found({ hostNetwork: true }, by(fields, { subresource: 'status' }))).to.deep.equal([])
    expect(found({ hostNetwork: true }, by(fields, { ...ours, operation: 'Update' }))).to.have.length(1)
  })
})
