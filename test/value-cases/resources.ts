import type { JsonObject } from '../../common/json/json.ts'
import { CART, container, pod, type ValueCase } from './case.ts'

const resources = (of: JsonObject) => container({ resources: of })
const AT = 'template.spec.containers[0].resources'

/** `common/pod/resources.ts` and `common/api/quantity.ts` */
export const RESOURCES: readonly ValueCase[] = [
  {
    title: 'M4: a request over its limit',
    accepted: resources({ requests: { memory: '1Gi', cpu: 0.5 }, limits: { memory: '1024Mi', cpu: '500m' } }),
    refused: resources({ requests: { memory: '1Gi' }, limits: { memory: '1G' } }),
    errors: [`${AT}.requests.memory: must be at most the limit ("1G"); lower it, or raise the limit`],
  },
  {
    title: 'M4: a negative quantity',
    accepted: resources({ limits: { cpu: 0 } }),
    refused: resources({ limits: { cpu: -1 } }),
    errors: [`${AT}.limits.cpu: must not be negative; got -1`],
  },
  {
    title: 'M4: a fraction of a byte',
    accepted: resources({ limits: { memory: '512Mi' } }),
    refused: resources({ limits: { memory: '512m' } }),
    errors: [
      `${AT}.limits.memory: must be at least 1M; got "512m", which is a fraction of a byte; did you mean "512Mi"?`,
    ],
    isOfKubelet: true,
  },
  {
    title: 'M4: bytes without a unit',
    accepted: resources({ limits: { memory: 0 } }),
    refused: resources({ limits: { memory: 512 } }),
    errors: [`${AT}.limits.memory: must be at least 1M; got 512, which is 512 bytes; did you mean "512Mi"?`],
    isOfKubelet: true,
  },
  {
    title: 'M4: a few bytes as a limit of memory, but not as another amount',
    accepted: resources({
      requests: { memory: '512Ki', 'ephemeral-storage': '100Ki' },
      limits: { 'ephemeral-storage': '500k' },
    }),
    refused: resources({ limits: { memory: '512Ki' } }),
    errors: [`${AT}.limits.memory: must be at least 1M; got "512Ki", which is 524288 bytes; did you mean "512Mi"?`],
    isOfKubelet: true,
  },
  {
    title: 'M4: a request without a unit',
    accepted: pod({ overhead: { memory: '100Ki' } }),
    refused: resources({ requests: { memory: '512m', 'ephemeral-storage': '512' } }),
    errors: [
      `${AT}.requests.memory: must have a unit such as Mi; got "512m", which is a fraction of a byte; did you mean "512Mi"?`,
      `${AT}.requests.ephemeral-storage: must have a unit such as Mi; got "512", which is 512 bytes; did you mean "512Mi"?`,
    ],
    isOfKubelet: true,
  },
  {
    title: 'M4: a device without its maker',
    accepted: resources({ limits: { 'nvidia.com/gpu': 1 } }),
    refused: resources({ limits: { gpu: 1 } }),
    errors: [`${AT}.limits.gpu: unknown resource; devices have the domain of their maker, such as nvidia.com/gpu`],
  },
  {
    title: 'M4: an unknown resource',
    accepted: resources({ limits: { 'ephemeral-storage': '1Gi', 'kubernetes.io/any': '1' } }),
    refused: resources({ limits: { memry: '1Gi' } }),
    errors: [`${AT}.limits.memry: unknown resource; did you mean "memory"?`],
  },
  {
    title: 'M4: a resource of a claim',
    accepted: resources({ requests: { memory: '1Gi' } }),
    refused: resources({ requests: { storage: '1Gi' } }),
    errors: [
      `${AT}.requests.storage: unknown resource; known are cpu, memory, ephemeral-storage and names with a domain`,
    ],
  },
  {
    title: 'M4: half a device',
    accepted: resources({ limits: { 'example.com/gpu': 1 } }),
    refused: resources({ limits: { 'example.com/gpu': '500m' } }),
    errors: [`${AT}.limits["example.com/gpu"]: must be a whole number; got "500m"`],
  },
  {
    title: 'M4: a device that is requested without a limit',
    accepted: resources({ requests: { 'example.com/gpu': 1 }, limits: { 'example.com/gpu': 1 } }),
    refused: resources({ requests: { 'example.com/gpu': 1 } }),
    errors: [`${AT}.limits["example.com/gpu"]: must be equal to the request (1); set it`],
  },
  {
    title: 'M4: fewer devices requested than the limit',
    accepted: resources({ requests: { 'example.com/gpu': 1 }, limits: { 'example.com/gpu': '1' } }),
    refused: resources({ requests: { 'example.com/gpu': 1 }, limits: { 'example.com/gpu': 2 } }),
    errors: [`${AT}.requests["example.com/gpu"]: must be equal to the limit (2); change one of them`],
  },
  {
    title: 'M4: huge pages alone',
    accepted: resources({ limits: { 'hugepages-2Mi': '4Mi', memory: '1Gi' } }),
    refused: resources({ limits: { 'hugepages-2Mi': '4Mi' } }),
    errors: [`${AT}: must have an amount of cpu or memory too, because it has huge pages; add one`],
  },
  {
    title: 'M4: part of a huge page',
    accepted: resources({ limits: { 'hugepages-1Gi': '2Gi', memory: '1Gi' } }),
    refused: resources({ limits: { 'hugepages-2Mi': '3Mi', memory: '1Gi' } }),
    errors: [`${AT}.limits.hugepages-2Mi: must be a multiple of 2Mi; change it`],
  },
  {
    title: 'M3: a claim that the pod does not have',
    accepted: pod({
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
      containers: [{ ...CART, resources: { claims: [{ name: 'gpu' }] } }],
    }),
    refused: resources({ claims: [{ name: 'gpu' }] }),
    errors: [`${AT}.claims[0].name: must be the name of a claim in resourceClaims of the pod; add it there`],
  },
  {
    title: 'M4: a resource that a pod cannot have',
    accepted: pod({ resources: { limits: { memory: '1Gi' } } }),
    refused: pod({ resources: { limits: { 'ephemeral-storage': '1Gi' } } }),
    errors: [
      'template.spec.resources.limits.ephemeral-storage: unknown resource; known are cpu, memory and names with a domain',
    ],
  },
  {
    title: 'M4: a limit over that of the pod',
    accepted: pod({
      resources: { limits: { memory: '1Gi' } },
      containers: [{ ...CART, resources: { limits: { memory: '1Gi' } } }],
    }),
    refused: pod({
      resources: { limits: { memory: '1Gi' } },
      containers: [{ ...CART, resources: { limits: { memory: '2Gi' } } }],
    }),
    errors: [`${AT}.limits.memory: must be at most the limit of the pod ("1Gi"); lower it`],
  },
  {
    title: 'M4: requests over those of the pod',
    accepted: pod({
      resources: { requests: { cpu: 1 } },
      containers: [{ ...CART, resources: { requests: { cpu: '1' } } }],
    }),
    refused: pod({
      resources: { requests: { cpu: 1 } },
      containers: [
        { ...CART, resources: { requests: { cpu: '1' } } },
        { ...CART, name: 'log', resources: { requests: { cpu: '1m' } } },
      ],
    }),
    errors: [
      'template.spec.resources.requests.cpu: must be at least the sum of the requests of all containers; raise it',
    ],
  },
  {
    title: 'M4: the overhead of a runtime class',
    accepted: pod({ overhead: { cpu: '1' } }),
    refused: pod({ overhead: { cpu: '-1' } }),
    errors: ['template.spec.overhead.cpu: must not be negative; got "-1"'],
  },
]
