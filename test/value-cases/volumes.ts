import type { JsonObject } from '../../common/json/json.ts'
import { pod, type ValueCase } from './case.ts'

const volume = (...sources: readonly JsonObject[]) =>
  pod({ volumes: sources.map((source, index) => ({ name: `v${index}`, ...source })) })
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const AT = 'template.spec.volumes[0]'
const items = (path: string) => [{ key: 'a', path }]

/** `common/pod/volumes.ts` */
export const VOLUMES: readonly ValueCase[] = [
  {
    title: 'M5: the name of a volume',
    accepted: volume({ name: 'data-1' }),
    refused: volume({ name: 'data.1' }),
    errors: [`${AT}.name: must be lowercase letters, digits and "-", a letter or digit first and last; got "data.1"`],
  },
  {
    title: 'M5: one name for two volumes',
    accepted: volume({ name: 'a' }, { name: 'b' }),
    refused: volume({ name: 'a' }, { name: 'a' }),
    errors: ['template.spec.volumes[1].name: must be unique; rename or remove one'],
  },
  {
    title: 'M3: a volume of two types',
    accepted: volume({ emptyDir: {} }),
    refused: volume({ emptyDir: {}, hostPath: { path: '/tmp' } }),
    errors: [`${AT}.hostPath: cannot be set together with emptyDir; remove one of them`],
  },
  {
    title: 'M3: a volume of a ConfigMap without a name',
    accepted: volume({ configMap: { name: 'cart' } }),
    refused: volume({ configMap: { items: items('a') } }),
    errors: [`${AT}.configMap.name: must not be empty; set it`],
  },
]

/** `common/pod/volume-files.ts` */
export const VOLUME_FILES: readonly ValueCase[] = [
  {
    title: 'M4: permissions of files',
    accepted: volume({ secret: { secretName: 'a', defaultMode: 511 } }),
    refused: volume({ secret: { secretName: 'a', defaultMode: 644 } }),
    errors: [
      `${AT}.secret.defaultMode: must be from 0 to 0777 octal, which is 511 in JSON; got 644; did you mean 0644, which is 420?`,
    ],
  },
  {
    title: 'M3: the path of a file',
    accepted: volume({ configMap: { name: 'a', items: items('a/b') } }),
    refused: volume({ configMap: { name: 'a', items: items('/etc/a') } }),
    errors: [`${AT}.configMap.items[0].path: must be a relative path; remove the "/" at the start`],
  },
  {
    title: 'M3: a hidden path of a file',
    accepted: volume({ configMap: { name: 'a', items: items('.a') } }),
    refused: volume({ configMap: { name: 'a', items: items('..a') } }),
    errors: [`${AT}.configMap.items[0].path: must not start with ".."; got "..a"`],
  },
  {
    title: 'M3: a file without its field',
    accepted: volume({ downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.labels' } }] } }),
    refused: volume({ downwardAPI: { items: [{ path: 'a' }] } }),
    errors: [`${AT}.downwardAPI.items[0]: must have fieldRef or resourceFieldRef; add one`],
  },
  {
    title: 'M3: a file with an amount of no container',
    accepted: volume({
      downwardAPI: { items: [{ path: 'a', resourceFieldRef: { containerName: 'cart', resource: 'limits.cpu' } }] },
    }),
    refused: volume({ downwardAPI: { items: [{ path: 'a', resourceFieldRef: { resource: 'limits.cpu' } }] } }),
    errors: [`${AT}.downwardAPI.items[0].resourceFieldRef.containerName: must be the name of a container; set it`],
  },
  {
    title: 'M5: one path for two files',
    accepted: volume({ projected: { sources: [{ secret: { name: 'a', items: items('a') } }] } }),
    refused: volume({
      projected: {
        sources: [{ secret: { name: 'a', items: items('a') } }, { configMap: { name: 'b', items: items('a') } }],
      },
    }),
    errors: [`${AT}.projected.sources[1].configMap.items[0].path: must be unique in the volume; got "a" twice`],
  },
  {
    title: 'M4: a token that expires too soon',
    accepted: volume({ projected: { sources: [{ serviceAccountToken: { path: 'a', expirationSeconds: 600 } }] } }),
    refused: volume({ projected: { sources: [{ serviceAccountToken: { path: 'a', expirationSeconds: 599 } }] } }),
    errors: [
      `${AT}.projected.sources[0].serviceAccountToken.expirationSeconds: must be from 600 to 4294967296; got 599`,
    ],
  },
  {
    title: 'M3: two sources in one item',
    accepted: volume({ projected: { sources: [{ secret: { name: 'a' } }, { configMap: { name: 'a' } }] } }),
    refused: volume({ projected: { sources: [{ secret: { name: 'a' }, configMap: { name: 'a' } }] } }),
    errors: [`${AT}.projected.sources[0].configMap: cannot be set together with secret; make it an item of its own`],
  },
]

const ISCSI: JsonObject = { targetPortal: 'a', iqn: 'iqn.2001-04.com.example:storage', lun: 1 }

/** `common/pod/volume-kinds.ts` */
export const VOLUME_KINDS: readonly ValueCase[] = [
  {
    title: 'M4: the size of an emptyDir',
    accepted: volume({ emptyDir: { sizeLimit: '1Gi' } }),
    refused: volume({ emptyDir: { sizeLimit: '-1Gi' } }),
    errors: [`${AT}.emptyDir.sizeLimit: must not be negative; remove it`],
  },
  {
    title: 'M4: the medium of an emptyDir',
    accepted: volume({ emptyDir: { medium: 'HugePages-2Mi' } }),
    refused: volume({ emptyDir: { medium: 'memory' } }),
    errors: [`${AT}.emptyDir.medium: must be Memory, HugePages, or absent for the disk of the node; correct it`],
    isOfKubelet: true,
  },
  {
    title: 'M3: a path of the node',
    accepted: volume({ hostPath: { path: '/tmp' } }),
    refused: volume({ hostPath: { path: '/tmp/../etc' } }),
    errors: [`${AT}.hostPath.path: must not contain ".."; got "/tmp/../etc"`],
  },
  {
    title: 'M3: a relative path of NFS',
    accepted: volume({ nfs: { server: 'a', path: '/b' } }),
    refused: volume({ nfs: { server: 'a', path: 'b' } }),
    errors: [`${AT}.nfs.path: must be an absolute path; start it with "/"`],
  },
  {
    title: 'M3: an ephemeral volume without a template',
    accepted: volume({
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      },
    }),
    refused: volume({ ephemeral: {} }),
    errors: [`${AT}.ephemeral.volumeClaimTemplate: must be a template of a claim; add it`],
  },
  {
    title: 'M3: metadata of an ephemeral volume',
    accepted: volume({ ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec: CLAIM } } }),
    refused: volume({ ephemeral: { volumeClaimTemplate: { metadata: { name: 'a' }, spec: CLAIM } } }),
    errors: [
      `${AT}.ephemeral.volumeClaimTemplate.metadata.name: cannot be set here, only labels and annotations; remove it`,
    ],
  },
  {
    title: 'M5: the name of a CSI driver',
    accepted: volume({ csi: { driver: 'Disk.example.com' } }),
    refused: volume({ csi: { driver: 'disk_example' } }),
    errors: [
      `${AT}.csi.driver: must be a DNS name: lowercase letters, digits and "-", a letter or digit first and last, with "." between parts; got "disk_example"`,
    ],
  },
  {
    title: 'M4: a unit of iSCSI',
    accepted: volume({ iscsi: { targetPortal: 'a', iqn: 'iqn.2001-04.com.example:storage', lun: 255 } }),
    refused: volume({ iscsi: { targetPortal: 'a', iqn: 'iqn.2001-04.com.example:storage', lun: 256 } }),
    errors: [`${AT}.iscsi.lun: must be from 0 to 255; got 256`],
  },
  {
    title: 'M5: a name of iSCSI',
    accepted: volume({ iscsi: { targetPortal: 'a', iqn: 'eui.02004567A425678D', lun: 1 } }),
    refused: volume({ iscsi: { targetPortal: 'a', iqn: 'storage', lun: 1 } }),
    errors: [`${AT}.iscsi.iqn: must be a name of iSCSI such as iqn.2001-04.com.example:storage; got "storage"`],
  },
  {
    title: 'N46: an empty name of an initiator',
    accepted: volume({ iscsi: { ...ISCSI, initiatorName: 'iqn.2001-04.com.example:cart' } }),
    refused: volume({ iscsi: { ...ISCSI, initiatorName: '' } }),
    errors: [`${AT}.iscsi.initiatorName: must be a name of iSCSI such as iqn.2001-04.com.example:storage; got ""`],
  },
  {
    title: 'M3: a disk without names',
    accepted: volume({ fc: { targetWWNs: ['a'], lun: 1 } }),
    refused: volume({ fc: {} }),
    errors: [`${AT}.fc.targetWWNs: must be set, or wwids, but not both; correct it`],
  },
  {
    title: 'M3: a cluster without monitors',
    accepted: volume({ cephfs: { monitors: ['a'] } }),
    refused: volume({ cephfs: { monitors: [] } }),
    errors: [`${AT}.cephfs.monitors: must have a monitor; add one`],
  },
  {
    title: 'M4: a partition of a disk',
    accepted: volume({ awsElasticBlockStore: { volumeID: 'a', partition: 255 } }),
    refused: volume({ awsElasticBlockStore: { volumeID: 'a', partition: -1 } }),
    errors: [`${AT}.awsElasticBlockStore.partition: must be from 0 to 255; got -1`],
  },
]
