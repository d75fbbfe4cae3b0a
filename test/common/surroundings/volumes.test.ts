import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { newClaims, sharedVolumes } from '../../../common/surroundings/volumes.ts'
import { fitted, type Part } from '../../../common/text/fitted.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment, aFork, aStatefulSet } from '../../builders.ts'

const text = (parts: readonly Part[] | undefined) => parts && fitted(256, parts)

const claim = (claimName: string): JsonObject => ({ name: claimName, persistentVolumeClaim: { claimName } })
const nfs: JsonObject = { name: 'data', nfs: { server: '192.0.2.9', path: '/data' } }
const host = (type: string): JsonObject => ({ name: 'data', hostPath: { path: '/var/data', type } })

/** A pod with `volumes`, of which its container mounts each. */
const mounting = (volumes: readonly JsonObject[], mount: JsonObject = {}): JsonObject => ({
  volumes,
  containers: [
    { name: 'cart', volumeMounts: volumes.map(({ name = '' }) => ({ name, mountPath: `/${name}`, ...mount })) },
  ],
})

interface Case {
  readonly source: JsonObject
  readonly override?: JsonObject
  readonly shares: string | undefined
}

const CLAIM_EFFECT = 'pods may not start (ReadWriteOnce) or may write the same data'
const NFS = 'shares volume data (nfs) with the source: pods may write the same data'

const cases: Record<string, Case> = {
  'a claim': {
    source: { volumes: [claim('data')], containers: [] },
    shares: `shares PVC data with the source: ${CLAIM_EFFECT}`,
  },
  'no claim of the override': {
    source: { volumes: [claim('data')], containers: [] },
    override: { volumes: [claim('mine')] },
    shares: undefined,
  },
  'a volume of a server': { source: mounting([nfs]), shares: NFS },
  'a volume that an init container writes': {
    source: {
      volumes: [nfs],
      containers: [],
      initContainers: [{ name: 'fill', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    },
    shares: NFS,
  },
  'a volume of a kind that is not known': {
    source: mounting([{ name: 'data', tapeDrive: { reel: 7 } }]),
    shares: 'shares volume data (tapeDrive) with the source: pods may write the same data',
  },
  'claims and several volumes': {
    source: mounting([claim('sums'), nfs, { ...host(''), name: 'logs' }, { name: 'more', rbd: { image: 'x' } }]),
    shares: `shares PVC sums and volumes data (nfs), logs (hostPath) and 1 more with the source: ${CLAIM_EFFECT}`,
  },
  'no volume that no container mounts': { source: { volumes: [nfs], containers: [] }, shares: undefined },
  'no volume that all mount to read it': { source: mounting([nfs], { readOnly: true }), shares: undefined },
  'no volume that can only be read': {
    source: mounting([{ name: 'data', nfs: { server: 'x', path: '/', readOnly: true } }]),
    shares: undefined,
  },
  'a volume that only the source cannot write': {
    source: mounting([{ name: 'data', nfs: { server: 'x', path: '/', readOnly: true } }]),
    override: mounting([{ name: 'data', nfs: { server: 'x', path: '/' } }]),
    shares: NFS,
  },
  'no volume that the override replaces': {
    source: mounting([nfs]),
    override: { volumes: [{ name: 'data', nfs: { server: '192.0.2.9', path: '/of-the-fork' } }] },
    shares: undefined,
  },
  'no volume of the override': {
    source: mounting([]),
    override: mounting([nfs]),
    shares: undefined,
  },
  'a volume that the override repeats without what the API server fills in': {
    source: mounting([host('')]),
    override: { volumes: [{ name: 'data', hostPath: { path: '/var/data' } }] },
    shares: 'shares volume data (hostPath) with the source: pods may write the same data',
  },
  'no volume that ends with the pod, or cannot be written': {
    source: mounting(
      ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'gitRepo', 'image', 'projected', 'secret'].map(
        (kind) => ({ name: kind.toLowerCase(), [kind]: {} }),
      ),
    ),
    shares: undefined,
  },
}

describe('sharedVolumes', () => {
  const shared = (source: JsonObject, override?: JsonObject) => {
    const workload = aDeployment({ pod: source })
    const fork = aFork(workload, override ? { pod: override } : {})
    return text(sharedVolumes({ kind: deployment, source: workload, referents: [], fork }))
  }

  for (const [sentence, { source, override, shares }] of Object.entries(cases))
    it(`names ${sentence}`, () => expect(shared(source, override)).to.equal(shares))

  it('names a directory of the node, and neither sockets nor devices nor single files', () => {
    const found = [
      '',
      'Directory',
      'DirectoryOrCreate',
      'FileOrCreate',
      'File',
      'Socket',
      'CharDevice',
      'BlockDevice',
    ].filter((type) => shared(mounting([host(type)])) !== undefined)
    expect(found).to.deep.equal(['', 'Directory', 'DirectoryOrCreate', 'FileOrCreate'])
  })

  it('names all of the fork where the source is not known', () => {
    const fork = aFork(aDeployment({ pod: mounting([nfs]) }))
    expect(text(sharedVolumes({ kind: deployment, source: undefined, referents: [], fork }))).to.equal(NFS)
  })
})

describe('newClaims', () => {
  const claims = (...specs: readonly JsonObject[]) => {
    const volumeClaimTemplates = specs.map((spec, index) => ({ metadata: { name: `c${index}` }, spec }))
    return text(newClaims(aFork(aStatefulSet({ spec: { volumeClaimTemplates } }))))
  }
  const snapshot = { dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'nightly' } }
  const other = { dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'data' } }

  it('says that a claim starts empty', () => {
    expect(claims({})).to.equal('PVC c0 starts empty and is deleted with the experiment')
    expect(claims({}, {}, {})).to.equal('PVCs c0, c1 and 1 more start empty and are deleted with the experiment')
  })

  it('says of what a claim is a copy', () => {
    expect(claims(snapshot)).to.equal(
      'PVC c0 starts as a copy of VolumeSnapshot/nightly and is deleted with the experiment',
    )
    expect(claims(other, snapshot)).to.equal(
      'PVCs c0, c1 start as copies of PersistentVolumeClaim/data, VolumeSnapshot/nightly and are deleted with the experiment',
    )
    expect(claims({ ...snapshot, ...other })).to.contain(' of PersistentVolumeClaim/data ')
  })

  it('says which volume a claim asks for', () => {
    expect(claims({ volumeName: 'pv-1' })).to.equal(
      'PVC c0 asks for volume pv-1, which the source may have: pods may stay Pending',
    )
    expect(claims({ volumeName: 'pv-1' }, { volumeName: 'pv-2', ...snapshot })).to.equal(
      'PVCs c0, c1 ask for volumes pv-1, pv-2, which the source may have: pods may stay Pending',
    )
  })

  it('says all of it of different claims', () => {
    expect(claims({}, snapshot, { volumeName: 'pv-1' })).to.equal(
      'PVC c0 starts empty and is deleted with the experiment; ' +
        'PVC c1 starts as a copy of VolumeSnapshot/nightly and is deleted with the experiment; ' +
        'PVC c2 asks for volume pv-1, which the source may have: pods may stay Pending',
    )
  })

  it('says nothing of a workload without claims', () => {
    expect(newClaims(aFork())).to.equal(undefined)
    expect(claims()).to.equal(undefined)
  })
})
