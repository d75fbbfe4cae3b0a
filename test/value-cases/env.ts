import type { JsonObject } from '../../common/json/json.ts'
import { CART, container, pod, type ValueCase } from './case.ts'

const env = (...items: readonly JsonObject[]) => container({ env: items })
const from = (valueFrom: JsonObject) => env({ name: 'A', valueFrom })
const AT = 'template.spec.containers[0].env[0]'
const secret = { name: 'cart', key: 'token' }

/** `common/pod/env.ts` */
export const ENV: readonly ValueCase[] = [
  {
    title: 'M5: the name of a variable',
    accepted: env({ name: '1.A-B c', value: 'b' }),
    refused: env({ name: 'A=B', value: 'b' }),
    errors: [`${AT}.name: must be printable ASCII characters without "="; got "A=B"`],
  },
  {
    title: 'M5: a variable without a name',
    accepted: env({ name: 'A' }),
    refused: env({ name: '', value: 'b' }),
    errors: [`${AT}.name: must be the name of a variable; set it`],
  },
  {
    title: 'M3: a variable without a source',
    accepted: from({ secretKeyRef: secret }),
    refused: from({}),
    errors: [
      `${AT}.valueFrom: must have one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef; add one, or use value`,
    ],
  },
  {
    title: 'M3: a variable with a value and a source',
    accepted: env({ name: 'A', value: '', valueFrom: { secretKeyRef: secret } }),
    refused: env({ name: 'A', value: 'b', valueFrom: { secretKeyRef: secret } }),
    errors: [`${AT}.valueFrom: cannot be set together with value; remove one of them`],
  },
  {
    title: 'M3: a variable with two sources',
    accepted: from({ configMapKeyRef: secret }),
    refused: from({ configMapKeyRef: secret, secretKeyRef: secret }),
    errors: [`${AT}.valueFrom.secretKeyRef: cannot be set together with configMapKeyRef; remove one of them`],
  },
  {
    title: 'M5: the name of a Secret',
    accepted: from({ secretKeyRef: { ...secret, name: 'a.b-c' } }),
    refused: from({ secretKeyRef: { ...secret, name: 'a_b' } }),
    errors: [
      `${AT}.valueFrom.secretKeyRef.name: must be a DNS name: lowercase letters, digits and "-", a letter or digit first and last, with "." between parts; got "a_b"`,
    ],
  },
  {
    title: 'M5: a Secret without a name',
    accepted: from({ secretKeyRef: secret }),
    refused: from({ secretKeyRef: { key: 'token' } }),
    errors: [`${AT}.valueFrom.secretKeyRef.name: must be the name of a Secret; set it`],
  },
  {
    title: 'M5: the key of a ConfigMap',
    accepted: from({ configMapKeyRef: { ...secret, key: 'A_b-c.d' } }),
    refused: from({ configMapKeyRef: { ...secret, key: 'a b' } }),
    errors: [`${AT}.valueFrom.configMapKeyRef.key: must be letters, digits, "-", "_" and "."; got "a b"`],
  },
  {
    title: 'M3: a field of the pod',
    accepted: from({ fieldRef: { fieldPath: "metadata.labels['app']" } }),
    refused: from({ fieldRef: { fieldPath: 'metadata.nmae' } }),
    errors: [
      `${AT}.valueFrom.fieldRef.fieldPath: must be one of metadata.name, metadata.namespace, metadata.uid, spec.nodeName, spec.serviceAccountName, status.hostIP, status.hostIPs, status.podIP, status.podIPs, or metadata.labels['KEY']; got "metadata.nmae"`,
    ],
  },
  {
    title: 'M3: an amount of the container',
    accepted: from({ resourceFieldRef: { resource: 'limits.cpu' } }),
    refused: from({ resourceFieldRef: { resource: 'cpu' } }),
    errors: [
      `${AT}.valueFrom.resourceFieldRef.resource: must be one of limits.cpu, requests.cpu, limits.memory, requests.memory, limits.ephemeral-storage, requests.ephemeral-storage; got "cpu"`,
    ],
  },
  {
    title: 'M4: the unit of an amount',
    accepted: from({ resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } }),
    refused: from({ resourceFieldRef: { resource: 'limits.cpu', divisor: '1Mi' } }),
    errors: [`${AT}.valueFrom.resourceFieldRef.divisor: must be one of 1, 1m; got "1Mi"`],
  },
  {
    title: 'M4: the unit of an amount with an exponent',
    accepted: from({ resourceFieldRef: { resource: 'limits.memory', divisor: '1k' } }),
    refused: from({ resourceFieldRef: { resource: 'limits.memory', divisor: '1e3' } }),
    errors: [
      `${AT}.valueFrom.resourceFieldRef.divisor: must be one of 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei; got "1e3"`,
    ],
  },
  ...Object.entries({ '+1': '1000m', '01': '1.0', '1e0': '0.001', '+1m': '.001' }).map(
    ([divisor, accepted]): ValueCase => ({
      title: `N46: another text of a divisor: ${divisor}`,
      accepted: from({ resourceFieldRef: { resource: 'limits.cpu', divisor: accepted } }),
      refused: from({ resourceFieldRef: { resource: 'limits.cpu', divisor } }),
      errors: [`${AT}.valueFrom.resourceFieldRef.divisor: must be one of 1, 1m; got "${divisor}"`],
    }),
  ),
  {
    title: 'M3: a file of a volume that is no emptyDir',
    accepted: pod({
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [
        { ...CART, env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'data', path: 'env', key: 'A' } } }] },
      ],
    }),
    refused: from({ fileKeyRef: { volumeName: 'data', path: 'env', key: 'A' } }),
    errors: [`${AT}.valueFrom.fileKeyRef.volumeName: must be the name of an emptyDir volume of the pod; got "data"`],
  },
  {
    title: 'M3: variables from nowhere',
    accepted: container({ envFrom: [{ configMapRef: { name: 'cart' } }] }),
    refused: container({ envFrom: [{ prefix: 'A_' }] }),
    errors: ['template.spec.containers[0].envFrom[0]: must have configMapRef or secretRef; add one'],
  },
  {
    title: 'M3: variables from an object without a name',
    accepted: container({ envFrom: [{ secretRef: { name: 'cart' } }] }),
    refused: container({ envFrom: [{ secretRef: {} }] }),
    errors: ['template.spec.containers[0].envFrom[0].secretRef.name: must be the name of an object; set it'],
  },
]
