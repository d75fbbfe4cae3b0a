import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { PROMOTION_MANAGER, SCALE_MANAGER, SCALED, SCALED_BY } from '../../../common/api/names.ts'
import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '../../../common/api/object.ts'
import { objectOr } from '../../../common/json/json.ts'
import type { SizeRecord } from '../../../common/scaling/record.ts'
import { sizeOf } from '../../../common/scaling/size.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import {
  releaseSourceSize,
  replicasIn,
  resizeSource,
  type SourceSizeWrite,
  unlabelSource,
} from '../../../common/writes/source-size-writes.ts'
import { aDeployment, anExperiment, UID } from '../../builders.ts'

const EXPERIMENT = anExperiment()
const record = (size: number, written: number): SizeRecord => ({ experiment: UID, size, written })
const REVISION = { 'deployment.kubernetes.io/revision': '4' }

/** A Deployment as the API server has it: with a status, and entries of those who wrote it. */
const stored = (metadata: Partial<ObjectMeta> = {}, replicas = 5): KubeObject => ({
  ...aDeployment({
    spec: { replicas },
    metadata: {
      ...{ resourceVersion: '70', annotations: REVISION },
      managedFields: [entry('kubectl-client-side-apply'), entry('kube-controller-manager', 'Update', 'status')],
      ...metadata,
    },
  }),
  status: { replicas, readyReplicas: replicas, availableReplicas: replicas },
})
const entry = (manager: string, operation = 'Update', subresource?: string): ManagedFieldsEntry => ({
  ...{ manager, operation, time: '2026-11-28T14:00:00Z' },
  ...(subresource === undefined ? {} : { subresource }),
})
const without = (member: 'labels' | 'annotations', { metadata, ...of }: KubeObject): KubeObject => {
  const { [member]: _, ...others } = metadata
  return { ...of, metadata: others }
}
/** One that was made smaller: 2 of 5. */
const small = (metadata: Partial<ObjectMeta> = {}) =>
  stored(
    {
      labels: { app: 'cart', [SCALED]: `${UID}.5.2` },
      annotations: { ...REVISION, [SCALED_BY]: 'shop/faster-cart' },
      ...metadata,
    },
    2,
  )
const sized = (of: KubeObject) => ({ resource: deployment, of })
const resized = (of: KubeObject, to: SizeRecord) => resizeSource(sized(of), to, EXPERIMENT)

/** What the API server makes of a write. @throws JsonPatchError if the source is another than was read */
const made = ({ operations }: SourceSizeWrite, of: KubeObject): KubeObject =>
  jsonPatch.applyPatch(structuredClone(of), structuredClone(operations) as unknown as Operation[], true).newDocument
const refusal = (write: SourceSizeWrite, of: KubeObject): string => {
  try {
    made(write, of)
    return 'made'
  } catch (error) {
    return (error as Error).name
  }
}
const conflicts = (write: SourceSizeWrite, of: KubeObject) =>
  expect(refusal(write, of)).to.be.oneOf(['TEST_OPERATION_FAILED', 'OPERATION_PATH_UNRESOLVABLE'])

describe('a write of the size of a source', () => {
  it('gives it another number, a label and an annotation, and changes nothing else', () => {
    const [before, write] = [stored(), resized(stored(), record(5, 2))]
    const after = made(write, before)
    expect(after).to.deep.equal({
      ...before,
      metadata: {
        ...before.metadata,
        labels: { app: 'cart', [SCALED]: `${UID}.5.2` },
        annotations: { ...REVISION, [SCALED_BY]: 'shop/faster-cart' },
      },
      spec: { ...objectOr(before.spec), replicas: 2 },
    })
    expect(sizeOf(after)).to.deep.equal({ wanted: 5, now: 2 })
    expect([write.isShrinking, replicasIn(write)]).to.deep.equal([true, 2])
  })

  for (const member of ['labels', 'annotations'] as const)
    it(`works for a source without ${member}`, () => {
      const before = without(member, stored())
      const { metadata } = made(resized(before, record(5, 2)), before)
      const ours = member === 'labels' ? { [SCALED]: `${UID}.5.2` } : { [SCALED_BY]: 'shop/faster-cart' }
      expect(metadata[member]).to.deep.equal(ours)
    })

  it('replaces the label of the write before', () => {
    const write = resized(small(), record(5, 4))
    const after = made(write, small())
    expect(after.metadata.labels).to.deep.equal({ app: 'cart', [SCALED]: `${UID}.5.4` })
    expect(sizeOf(after)).to.deep.equal({ wanted: 5, now: 4 })
    expect(write).to.not.have.property('isShrinking')
  })

  it('is of the label alone where the source has the number', () => {
    const write = resized(small(), record(3, 2))
    expect(replicasIn(write)).to.equal(undefined)
    expect(write).to.not.have.property('isShrinking')
    const after = made(write, small())
    expect(after.spec).to.deep.equal(small().spec)
    expect(after.metadata.labels).to.include({ [SCALED]: `${UID}.3.2` })
  })

  it('names the source, and the role of its own', () => {
    const of = stored()
    expect(resized(of, record(5, 2))).to.include({ verb: 'jsonPatch', role: 'sourceSize', resource: deployment, of })
  })

  it('is a conflict with any change before there is a label', () => {
    const write = resized(stored(), record(5, 2))
    conflicts(write, stored({ resourceVersion: '71' }))
    conflicts(write, stored({}, 6))
    conflicts(write, stored({ uid: 'uid-of-another' }))
  })

  it('is no conflict with a change of the status once there is one', () => {
    const write = resized(small(), record(5, 1))
    const busy = { ...small({ resourceVersion: '99' }), status: { replicas: 3 } }
    expect(sizeOf(made(write, busy))).to.deep.equal({ wanted: 5, now: 1 })
  })

  const HANDS: Readonly<Record<string, () => KubeObject>> = {
    'who set another number': () => ({ ...small(), spec: { ...objectOr(small().spec), replicas: 4 } }),
    'who removed the label': () => small({ labels: { app: 'cart' } }),
    'who removed all labels': () => without('labels', small()),
    'who changed the label': () => small({ labels: { app: 'cart', [SCALED]: `${UID}.9.2` } }),
    'who made the source again': () => small({ uid: 'uid-of-another' }),
  }
  for (const [who, source] of Object.entries(HANDS))
    it(`is a conflict with another hand ${who}`, () => {
      conflicts(resized(small(), record(5, 1)), source())
      conflicts(unlabelSource(sized(small()), 5), source())
    })
})

describe('the last write of the size of a source', () => {
  it('gives its pods back, and takes label and annotation away', () => {
    const write = unlabelSource(sized(small()), 5)
    expect(made(write, small())).to.deep.equal({
      ...stored(),
      status: small().status,
      metadata: { ...stored().metadata, labels: { app: 'cart' } },
    })
    expect([write.isShrinking, replicasIn(write)]).to.deep.equal([undefined, 5])
  })

  it('takes only the label where the number stays', () => {
    const write = unlabelSource(sized(small()), undefined)
    expect(replicasIn(write)).to.equal(undefined)
    const after = made(write, small())
    expect(after.spec).to.deep.equal(small().spec)
    expect([after.metadata.labels, after.metadata.annotations]).to.deep.equal([{ app: 'cart' }, REVISION])
  })

  it('gives the pods back also where somebody has removed what it takes away', () => {
    const plain = stored({ resourceVersion: '80' }, 2)
    const write = unlabelSource(sized(plain), 5)
    expect(made(write, plain)).to.deep.equal({ ...plain, spec: { ...objectOr(plain.spec), replicas: 5 } })
    conflicts(write, stored({ resourceVersion: '81' }, 2))
    const undone = small({ annotations: REVISION }) // as `kubectl rollout undo` leaves it
    expect(made(unlabelSource(sized(undone), 5), undone).metadata.annotations).to.deep.equal(REVISION)
    const bare = without('annotations', small())
    expect(made(unlabelSource(sized(bare), 5), bare).metadata).to.not.have.property('annotations')
  })
})

describe('the release of the size of a source', () => {
  const others = [entry('kubectl-client-side-apply'), entry('kube-controller-manager', 'Update', 'status')]
  const managed = (...managedFields: readonly ManagedFieldsEntry[]) => stored({ managedFields })

  it('takes our entry out of the managed fields, and leaves those of others', () => {
    const [first, second] = others as [ManagedFieldsEntry, ManagedFieldsEntry]
    for (const source of [
      managed(first, entry(SCALE_MANAGER), second),
      managed(entry(SCALE_MANAGER), first, second),
      managed(first, second, entry(SCALE_MANAGER)),
    ]) {
      const write = releaseSourceSize(sized(source))
      if (!write) throw new Error('nothing to release')
      expect(made(write, source)).to.deep.equal(managed(first, second))
      expect([replicasIn(write), write.isShrinking]).to.deep.equal([undefined, undefined])
    }
  })

  it('is for the version that was read, because it takes an entry by its place', () => {
    const write = releaseSourceSize(sized(managed(entry(SCALE_MANAGER), ...others)))
    if (!write) throw new Error('nothing to release')
    conflicts(write, stored({ resourceVersion: '71', managedFields: [...others, entry(SCALE_MANAGER)] }))
  })

  it('is nothing where there is no such entry', () => {
    expect(releaseSourceSize(sized(managed(...others)))).to.equal(undefined)
    const foreign = managed(entry(SCALE_MANAGER, 'Apply'), entry(PROMOTION_MANAGER))
    expect(releaseSourceSize(sized(foreign))).to.equal(undefined)
    const { managedFields, ...metadata } = stored().metadata
    expect(managedFields).to.not.equal(undefined)
    expect(releaseSourceSize(sized({ ...stored(), metadata }))).to.equal(undefined)
  })
})
