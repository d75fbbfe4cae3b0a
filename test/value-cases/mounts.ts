import type { JsonObject } from '../../common/json/json.ts'
import { CART, pod, type ValueCase } from './case.ts'

const volumes = [
  { name: 'data', emptyDir: {} },
  { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } },
]
const mounts = (...volumeMounts: readonly JsonObject[]) => pod({ volumes, containers: [{ ...CART, volumeMounts }] })
const devices = (...volumeDevices: readonly JsonObject[]) => pod({ volumes, containers: [{ ...CART, volumeDevices }] })
const data = { name: 'data', mountPath: '/data' }
const windows = { volumes, containers: [{ ...CART, volumeMounts: [{ ...data, mountPath: 'D:' }] }] }
const AT = 'template.spec.containers[0].volumeMounts'
const DEVICES = 'template.spec.containers[0].volumeDevices'

/** `common/pod/mounts.ts` */
export const MOUNTS: readonly ValueCase[] = [
  {
    title: 'M3: a mount without its volume',
    accepted: mounts(data),
    refused: mounts({ ...data, name: 'date' }),
    errors: [`${AT}[0].name: must be the name of a volume of the pod; did you mean "data"?`],
  },
  {
    title: 'M3: an empty mountPath',
    accepted: mounts({ ...data, mountPath: 'relative' }),
    refused: mounts({ ...data, mountPath: '' }),
    errors: [`${AT}[0].mountPath: must be a path in the container; set it`],
  },
  {
    title: 'M3: a mountPath with a colon',
    accepted: mounts(data),
    refused: mounts({ ...data, mountPath: '/host:/data' }),
    errors: [`${AT}[0].mountPath: must not contain ":"; a mount has one path, in the container`],
    isOfKubelet: true,
  },
  {
    title: 'M3: a mountPath with a colon, but a drive of Windows',
    accepted: mounts({ ...data, mountPath: 'C:\\data' }, { ...data, mountPath: 'd:/data' }),
    refused: mounts({ ...data, mountPath: 'data:C:\\data' }),
    errors: [`${AT}[0].mountPath: must not contain ":"; a mount has one path, in the container`],
    isOfKubelet: true,
  },
  {
    title: 'M3: a mountPath with a colon, but a pod for Windows',
    accepted: pod({ ...windows, os: { name: 'windows' } }),
    refused: pod({ ...windows, os: { name: 'linux' } }),
    errors: [`${AT}[0].mountPath: must not contain ":"; a mount has one path, in the container`],
    isOfKubelet: true,
  },
  {
    title: 'M5: one mountPath twice',
    accepted: mounts(data, { ...data, mountPath: '/more' }),
    refused: mounts(data, { ...data, mountPath: '/data/../data' }, { name: 'disk', mountPath: '/data/../data' }),
    errors: [`${AT}[2].mountPath: must be unique: another mount has this path; change one of them`],
  },
  {
    title: 'M3: a path in the volume',
    accepted: mounts({ ...data, subPath: 'a/b' }),
    refused: mounts({ ...data, subPath: '../a' }),
    errors: [`${AT}[0].subPath: must not contain ".."; got "../a"`],
  },
  {
    title: 'M3: an absolute path in the volume',
    accepted: mounts({ ...data, subPathExpr: '$(A)' }),
    refused: mounts({ ...data, subPathExpr: '/a' }),
    errors: [`${AT}[0].subPathExpr: must be a relative path; remove the "/" at the start`],
  },
  {
    title: 'M3: two paths in the volume',
    accepted: mounts({ ...data, subPath: 'a', subPathExpr: '' }),
    refused: mounts({ ...data, subPath: 'a', subPathExpr: 'b' }),
    errors: [`${AT}[0].subPathExpr: cannot be set together with subPath; remove one of them`],
  },
  {
    title: 'M4: mounts that reach the node',
    accepted: mounts({ ...data, mountPropagation: 'HostToContainer' }),
    refused: mounts({ ...data, mountPropagation: 'Bidirectional' }),
    errors: [
      `${AT}[0].mountPropagation: cannot be Bidirectional in a container that is not privileged; use HostToContainer`,
    ],
  },
  {
    title: 'M4: read only below too',
    accepted: mounts({ ...data, readOnly: true, recursiveReadOnly: 'Enabled' }),
    refused: mounts({ ...data, recursiveReadOnly: 'Enabled' }),
    errors: [`${AT}[0].recursiveReadOnly: needs readOnly: true; set it, or remove this`],
  },
  {
    title: 'M3: a device without its volume',
    accepted: devices({ name: 'disk', devicePath: '/dev/a' }),
    refused: devices({ name: 'disc', devicePath: '/dev/a' }),
    errors: [`${DEVICES}[0].name: must be the name of a volume of the pod; did you mean "disk"?`],
  },
  {
    title: 'M3: a device that is no claim',
    accepted: devices({ name: 'disk', devicePath: '/dev/a' }),
    refused: devices({ name: 'data', devicePath: '/dev/a' }),
    errors: [`${DEVICES}[0].name: must be a volume of a PersistentVolumeClaim; mount others by volumeMounts`],
  },
  {
    title: 'M3: a volume that is mounted and a device',
    accepted: pod({
      volumes,
      containers: [{ ...CART, volumeMounts: [data], volumeDevices: [{ name: 'disk', devicePath: '/dev/a' }] }],
    }),
    refused: pod({
      volumes,
      containers: [
        {
          ...CART,
          volumeMounts: [{ name: 'disk', mountPath: '/disk' }],
          volumeDevices: [{ name: 'disk', devicePath: '/dev/a' }],
        },
      ],
    }),
    errors: [`${AT}[0].name: cannot also be in volumeDevices; remove one of them`],
  },
]
