import type { JsonObject } from '../../common/json/json.ts'
import { pod, type ValueCase } from './case.ts'

const rolling = (rollingUpdate: JsonObject) => ({ strategy: { type: 'RollingUpdate', rollingUpdate } })
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const claims = (name: string, spec: JsonObject = {}) => [{ metadata: { name }, spec: { ...claimSpec, ...spec } }]
const claim = (spec: JsonObject, name = 'data') => ({
  volumeClaimTemplates: claims(name, spec),
})
const set = (updateStrategy: JsonObject) => ({ updateStrategy })
const CLAIM = 'volumeClaimTemplates[0]'

/** `common/pod/workload.ts` */
export const WORKLOADS: readonly ValueCase[] = [
  {
    title: 'M4: maxSurge and maxUnavailable both 0',
    accepted: rolling({ maxSurge: 0, maxUnavailable: '100%' }),
    refused: rolling({ maxSurge: 0, maxUnavailable: '0%' }),
    errors: ['strategy.rollingUpdate.maxUnavailable: cannot be 0 while maxSurge is 0; raise one of them'],
  },
  {
    title: 'M4: maxUnavailable over 100%',
    accepted: rolling({ maxSurge: '200%' }),
    refused: rolling({ maxUnavailable: '101%' }),
    errors: ['strategy.rollingUpdate.maxUnavailable: must be at most 100%; lower it'],
  },
  {
    title: 'M4: maxSurge that is no percentage',
    accepted: rolling({ maxSurge: '25%' }),
    refused: rolling({ maxSurge: '2.5%' }),
    errors: ['strategy.rollingUpdate.maxSurge: must be a whole number or a percentage such as "25%"; got "2.5%"'],
  },
  {
    title: 'M4: Recreate beside rollingUpdate',
    accepted: { strategy: { type: 'Recreate' } },
    refused: { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
    errors: [
      'strategy.rollingUpdate: cannot be set with type: Recreate; use overrideType: Strategic, which removes it, or set rollingUpdate to null',
    ],
  },
  {
    title: 'M4: minReadySeconds over the deadline',
    accepted: { minReadySeconds: 599 },
    refused: { minReadySeconds: 600 },
    errors: ['progressDeadlineSeconds: must be more than minReadySeconds (600); raise it'],
  },
  {
    title: 'M4: a negative minReadySeconds',
    accepted: { minReadySeconds: 0, progressDeadlineSeconds: 1 },
    refused: { minReadySeconds: -1 },
    errors: ['minReadySeconds: must not be negative; got -1'],
  },
  {
    title: 'M4: a negative revisionHistoryLimit',
    accepted: { revisionHistoryLimit: 0 },
    refused: { revisionHistoryLimit: -1 },
    errors: ['revisionHistoryLimit: must not be negative; got -1'],
  },
  {
    title: 'M4: OnDelete beside rollingUpdate',
    kind: 'StatefulSet',
    accepted: set({ type: 'OnDelete' }),
    refused: set({ type: 'OnDelete', rollingUpdate: { partition: 1 } }),
    errors: [
      'updateStrategy.rollingUpdate: cannot be set with type: OnDelete; use overrideType: Strategic, which removes it, or set rollingUpdate to null',
    ],
  },
  {
    title: 'M4: a negative partition',
    kind: 'StatefulSet',
    accepted: set({ rollingUpdate: { partition: 1 } }),
    refused: set({ rollingUpdate: { partition: -1 } }),
    errors: ['updateStrategy.rollingUpdate.partition: must not be negative; got -1'],
  },
  {
    title: 'M4: a negative ordinal',
    kind: 'StatefulSet',
    accepted: { ordinals: { start: 1 } },
    refused: { ordinals: { start: -1 } },
    errors: ['ordinals.start: must not be negative; got -1'],
  },
  {
    title: 'M4: when claims are deleted',
    kind: 'StatefulSet',
    accepted: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } },
    refused: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Always' } },
    errors: ['persistentVolumeClaimRetentionPolicy.whenDeleted: must be one of Retain, Delete; got "Always"'],
  },
  {
    title: 'M5: serviceName',
    kind: 'StatefulSet',
    accepted: { serviceName: '' },
    refused: { serviceName: 'Cart' },
    errors: ['serviceName: must be lowercase letters, digits and "-", a letter or digit first and last; got "Cart"'],
  },
  {
    title: 'M5: the name of a claim',
    kind: 'StatefulSet',
    accepted: claim({}),
    refused: claim({}, 'Data'),
    errors: [
      `${CLAIM}.metadata.name: must be lowercase letters, digits and "-", a letter or digit first and last; got "Data"`,
    ],
  },
  {
    title: 'D5: two claims of one name',
    kind: 'StatefulSet',
    accepted: { volumeClaimTemplates: [...claims('data'), ...claims('logs')] },
    refused: { volumeClaimTemplates: [...claims('data'), ...claims('data')] },
    errors: [
      'volumeClaimTemplates[1].metadata.name: must be unique: the pods have only one claim of this name; rename or remove one',
    ],
    isOfKubelet: true,
  },
  {
    title: 'D5: a volume of the name of a claim',
    kind: 'StatefulSet',
    accepted: { ...claim({}), ...pod({ volumes: [{ name: 'logs', emptyDir: {} }] }) },
    refused: { ...claim({}), ...pod({ volumes: [{ name: 'data', emptyDir: {} }] }) },
    errors: [
      'template.spec.volumes[0].name: has no effect, because the claim "data" of volumeClaimTemplates takes its place; remove one of them',
    ],
    isOfKubelet: true,
  },
  {
    title: 'M5: the host name of a pod of a StatefulSet, which replaces it',
    kind: 'StatefulSet',
    accepted: pod({ hostname: 'Cart' }),
    refused: pod({ restartPolicy: 'OnFailure' }),
    errors: ['template.spec.restartPolicy: must be Always in a workload; remove it'],
  },
]

/** `common/pod/claims.ts` */
export const CLAIMS: readonly ValueCase[] = [
  {
    title: 'M4: the size of a claim',
    kind: 'StatefulSet',
    accepted: claim({ resources: { requests: { storage: '1' } } }),
    refused: claim({ resources: { requests: { storage: '0' } } }),
    errors: [`${CLAIM}.spec.resources.requests.storage: must be more than 0; set a size such as 1Gi`],
  },
  {
    title: 'M4: a claim without a size',
    kind: 'StatefulSet',
    accepted: claim({}),
    refused: claim({ resources: {} }),
    errors: [`${CLAIM}.spec.resources.requests.storage: must be the size of the volume; set it`],
  },
  {
    title: 'M4: the access mode of a claim',
    kind: 'StatefulSet',
    accepted: claim({ accessModes: ['ReadWriteMany', 'ReadOnlyMany'] }),
    refused: claim({ accessModes: ['ReadWrite'] }),
    errors: [
      `${CLAIM}.spec.accessModes[0]: must be one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod`,
    ],
  },
  {
    title: 'M4: a claim without an access mode',
    kind: 'StatefulSet',
    accepted: claim({ accessModes: ['ReadWriteOncePod'] }),
    refused: claim({ accessModes: [] }),
    errors: [
      `${CLAIM}.spec.accessModes: must have one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod; add it`,
    ],
  },
  {
    title: 'M4: ReadWriteOncePod with another mode',
    kind: 'StatefulSet',
    accepted: claim({ accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }),
    refused: claim({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] }),
    errors: [`${CLAIM}.spec.accessModes: must have no other mode beside ReadWriteOncePod; remove the others`],
  },
  {
    title: 'M5: the class of a claim',
    kind: 'StatefulSet',
    accepted: claim({ storageClassName: '' }),
    refused: claim({ storageClassName: 'Fast' }),
    errors: [
      `${CLAIM}.spec.storageClassName: must be a DNS name: lowercase letters, digits and "-", a letter or digit first and last, with "." between parts; got "Fast"`,
    ],
  },
  {
    title: 'M4: the source of the data of a claim',
    kind: 'StatefulSet',
    accepted: claim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'a' } }),
    refused: claim({ dataSource: { kind: 'VolumeSnapshot', name: 'a' } }),
    errors: [`${CLAIM}.spec.dataSource.kind: must be PersistentVolumeClaim, or apiGroup must be set; correct it`],
  },
]
