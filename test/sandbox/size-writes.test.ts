import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { SCALE_MANAGER, SCALED, SCALED_BY } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { deployment } from '../../common/workload/deployment.ts'
import {
  releaseSourceSize,
  resizeSource,
  type SourceSizeWrite,
  unlabelSource,
} from '../../common/writes/source-size-writes.ts'
import type { AuditEvent } from '../../sandbox/audit.ts'
import { SizeWrites, sizeWriteOf, sizeWrites } from '../../sandbox/size-writes.ts'
import { SourceWrites } from '../../sandbox/source-writes.ts'
import { aDeployment, anExperiment, UID } from '../builders.ts'

const CONTROLLER = 'system:serviceaccount:experiment-controller-system:experiment-controller'
const PLACE = '/apis/apps/v1/namespaces/shop/deployments/cart'
const AT = '2026-11-28T14:00:00.000Z'

const event = (of: Partial<AuditEvent>): AuditEvent => ({
  ...{ auditID: 'a', stage: 'ResponseComplete', verb: 'patch', requestURI: `${PLACE}?fieldManager=${SCALE_MANAGER}` },
  user: { username: CONTROLLER },
  objectRef: { apiGroup: 'apps', resource: 'deployments', namespace: 'shop', name: 'cart' },
  responseStatus: { code: 200 },
  ...{ requestReceivedTimestamp: AT, stageTimestamp: AT },
  ...of,
})
/** The audit log has the operations of a JSON patch as they were sent. */
const patch = (operations: readonly JsonObject[], of: Partial<AuditEvent> = {}) =>
  event({ requestObject: operations as unknown as KubeObject, ...of })
const sent = ({ operations }: SourceSizeWrite, of: Partial<AuditEvent> = {}) => patch(operations, of)

/** `cart` with a number of pods, and a label. */
const cart = (replicas: number, label?: string) => ({
  resource: deployment,
  of: aDeployment({
    spec: { replicas },
    ...(label === undefined ? {} : { labels: { [SCALED]: label } }),
    metadata: {
      resourceVersion: '70',
      managedFields: [{ manager: SCALE_MANAGER, operation: 'Update' }],
      ...(label === undefined ? {} : { annotations: { [SCALED_BY]: 'shop/faster-cart' }, labels: { [SCALED]: label } }),
    },
  }),
})
const EXPERIMENT = anExperiment({ strategy: { canary: { scaleDownSource: true } } })
const resized = (from: number, size: number, written: number, label?: string, of: Partial<AuditEvent> = {}) =>
  sent(resizeSource(cart(from, label), { experiment: UID, size, written }, EXPERIMENT), of)

/** A status of the experiment, as it was stored. */
function status(scaled: object | undefined, of: Partial<AuditEvent> = {}, experiment = EXPERIMENT): AuditEvent {
  const { apiVersion, kind, metadata, spec } = experiment
  const stored = { status: { strategy: { ...(scaled ? { scaled } : {}) } } }
  return event({
    requestURI: '/status?fieldManager=experiment-controller',
    objectRef: {
      ...{ resource: 'experimentdeployments', subresource: 'status' },
      namespace: 'shop',
      name: 'faster-cart',
    },
    requestObject: { apiVersion, kind, metadata, ...stored },
    responseObject: { apiVersion, kind, metadata, spec, ...stored } as unknown as KubeObject,
    ...of,
  })
}
const says = (size: number, written: number) => status({ uid: 'uid-of-cart', size, written })
const LABEL = `${UID}.5.2`
const notAsking = anExperiment({ strategy: { canary: {} } })
const ofOther = anExperiment({ ...EXPERIMENT.spec, sourceRef: { kind: 'Deployment', name: 'till' }, overrideSpec: {} })

/** What is wrong with the last event after all others. */
function problem(...events: readonly AuditEvent[]): string | undefined {
  const writes = new SizeWrites()
  for (const each of events) writes.note(each)
  const last = events.at(-1)
  return last && writes.problemOf(last)
}

const CASES: Readonly<Record<string, readonly [events: readonly AuditEvent[], finding: string | undefined]>> = {
  'a source that gets smaller after a status said so': [[says(5, 2), resized(5, 5, 2)], undefined],
  'one that gets smaller again': [[says(5, 2), resized(5, 5, 2), says(5, 1), resized(2, 5, 1, LABEL)], undefined],
  'one that gets smaller after a status whose author was stopped before the answer': [
    [status(undefined), withoutAnswer(says(5, 2)), resized(5, 5, 2)],
    undefined,
  ],
  'one that gets larger, with the label': [[says(5, 2), resized(2, 5, 4, LABEL)], undefined],
  'another number that somebody set': [[says(5, 2), resized(3, 3, 3, LABEL)], undefined],
  'one that gets its pods back': [[sent(unlabelSource(cart(2, LABEL), 5))], undefined],
  'one that gets its pods back though its label is gone': [[says(5, 2), sent(unlabelSource(cart(2), 5))], undefined],
  'a label that goes': [[sent(unlabelSource(cart(2, LABEL), undefined))], undefined],
  'managed fields that are released': [[released()], undefined],
  'a write that was refused, but asked for': [
    [says(5, 2), resized(5, 5, 2, undefined, { responseStatus: { code: 422 } })],
    undefined,
  ],

  'one that gets smaller before a status said so': [[status(undefined), resized(5, 5, 2)], 'than a status said before'],
  'one that gets smaller than the status said': [[says(5, 2), resized(5, 5, 1)], 'than a status said before'],
  'one that gets smaller after the status of another source': [
    [status({ uid: 'uid-of-till', size: 5, written: 2 }), resized(5, 5, 2)],
    'than a status said before',
  ],
  'one that gets smaller after a status that was refused': [
    [status(undefined), { ...says(5, 2), responseStatus: { code: 409 } }, resized(5, 5, 2)],
    'than a status said before',
  ],
  'one whose experiment did not ask': [
    [status({ uid: 'uid-of-cart', size: 5, written: 2 }, {}, notAsking), resized(5, 5, 2)],
    'did not ask for that',
  ],
  'one whose experiment has another source': [
    [status({ uid: 'uid-of-cart', size: 5, written: 2 }, {}, ofOther), resized(5, 5, 2)],
    'did not ask for that',
  ],
  'one that gets smaller without the label': [
    [says(5, 2), patch([...tests(5), { op: 'replace', path: '/spec/replicas', value: 2 }])],
    'smaller without the label',
  ],
  'one that gets larger than it was': [[says(5, 2), resized(2, 5, 6, LABEL)], 'larger than it was'],
  'one that gets back what its label does not say': [
    [says(5, 2), sent(unlabelSource(cart(2, LABEL), 4))],
    'what no label says',
  ],
  'one that gets back what no status says': [[says(5, 2), sent(unlabelSource(cart(2), 6))], 'what no status says'],
  'a label with another number': [
    [says(5, 2), patch([...tests(5), label(`${UID}.5.1`), { op: 'replace', path: '/spec/replicas', value: 2 }])],
    'says another number',
  ],
  'a source of any size': [
    [says(5, 2), patch([...tests(5).slice(1), label(LABEL), { op: 'replace', path: '/spec/replicas', value: 2 }])],
    'of any size',
  ],
  'a source that was not read': [[says(5, 2), patch([tests(5)[0] ?? {}, label(`${UID}.5.5`)])], 'has not read'],
  'another field': [
    [says(5, 2), patch([...tests(5), { op: 'replace', path: '/spec/paused', value: true }])],
    'more than the size',
  ],
  'another label': [
    [says(5, 2), patch([...tests(5), { op: 'add', path: '/metadata/labels/app', value: 'till' }])],
    'more than the size',
  ],
  'labels that are replaced by others': [
    [says(5, 2), patch([...tests(5), { op: 'add', path: '/metadata/labels', value: { app: 'till' } }])],
    'more than the size',
  ],
  'no JSON patch': [
    [says(5, 2), event({ requestObject: { spec: { replicas: 2 } } as unknown as KubeObject })],
    'more than the size',
  ],
  'a subresource': [
    [says(5, 2), resized(5, 5, 2, undefined, { objectRef: { ...event({}).objectRef, subresource: 'scale' } })],
    'more than the size',
  ],
  'a StatefulSet': [
    [says(5, 2), resized(5, 5, 2, undefined, { objectRef: { ...event({}).objectRef, resource: 'statefulsets' } })],
    'more than the size',
  ],
  'a deletion': [[says(5, 2), resized(5, 5, 2, undefined, { verb: 'delete' })], 'more than the size'],
}

function tests(replicas: number): readonly JsonObject[] {
  return [
    { op: 'test', path: '/spec/replicas', value: replicas },
    { op: 'test', path: '/metadata/uid', value: 'uid-of-cart' },
    { op: 'test', path: '/metadata/resourceVersion', value: '70' },
  ]
}
function label(value: string): JsonObject {
  return { op: 'add', path: `/metadata/labels/${SCALED.replaceAll('/', '~1')}`, value }
}
function withoutAnswer({ responseObject, responseStatus, ...of }: AuditEvent): AuditEvent {
  expect([responseObject, responseStatus]).to.not.include(undefined)
  return of
}
function released(): AuditEvent {
  const write = releaseSourceSize(cart(5))
  if (!write) throw new Error('nothing to release')
  return sent(write)
}

describe('writes of sizes in the audit log', () => {
  for (const [what, [events, finding]] of Object.entries(CASES))
    it(`${finding === undefined ? 'may be' : 'may not be'} ${what}`, () => {
      if (finding === undefined) expect(problem(...events)).to.equal(undefined)
      else expect(problem(...events)).to.contain(finding)
    })

  it('are the only writes of a source besides promotions', () => {
    const sources = new SourceWrites()
    sources.note(says(5, 2))
    expect(sources.problemOf(resized(5, 5, 2))).to.equal(undefined)
    expect(sources.problemOf(resized(5, 5, 1))).to.contain('patch deployments/shop/cart makes a source smaller')
    for (const manager of ['experiment-controller', 'experiment-controller-promotion'])
      expect(sources.problemOf(resized(5, 5, 2, undefined, { requestURI: `${PLACE}?fieldManager=${manager}` })))
        .to.contain('patch deployments/shop/cart')
        .and.not.contain('size')
  })

  it('say who wrote which number into which source', () => {
    const write = sizeWriteOf(resized(5, 5, 2))
    expect(write).to.deep.equal({
      ...{ by: CONTROLLER, source: 'deployments/shop/cart', uid: 'uid-of-cart' },
      ...{ from: 5, to: 2, found: undefined, record: { experiment: UID, size: 5, written: 2 }, code: 200 },
      at: new Date(AT),
    })
    const back = sizeWriteOf(sent(unlabelSource(cart(2, LABEL), 5)))
    expect(back).to.include({ from: 2, to: 5, record: null })
    expect(back?.found).to.deep.equal({ experiment: UID, size: 5, written: 2 })
    expect(sizeWriteOf(released())).to.include({ uid: undefined, from: undefined, to: undefined, record: undefined })
  })

  it('are no reads, and no writes under another name', () => {
    expect(sizeWriteOf(event({ verb: 'get' }))).to.equal(undefined)
    expect(sizeWriteOf(event({ requestURI: `${PLACE}?fieldManager=kubectl` }))).to.equal(undefined)
    expect(sizeWriteOf(says(5, 2))).to.equal(undefined)
  })

  it('are found in a log, in their order', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'size-writes-'))
    try {
      const events = [says(5, 2), resized(5, 5, 2), says(5, 1), resized(2, 5, 1, LABEL), released()]
      writeFileSync(join(folder, 'log'), events.map((each) => `${JSON.stringify(each)}\n`).join(''))
      const found = await sizeWrites(join(folder, 'log'), '"shop"')
      expect(found.map(({ from, to }) => [from, to])).to.deep.equal([
        [5, 2],
        [2, 1],
        [undefined, undefined],
      ])
      expect(await sizeWrites(join(folder, 'log'), '"bank"')).to.deep.equal([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
