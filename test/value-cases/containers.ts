import { CART, container, pod, type ValueCase } from './case.ts'

const IMAGE = 'must be a reference such as registry.example/shop/cart:1.0'
const UNIQUE = 'must be unique among containers and initContainers'
const DNS = 'must be lowercase letters, digits and "-", a letter or digit first and last'
const init = (fields: object) => pod({ initContainers: [{ name: 'init', image: 'busybox', ...fields }] })

/** `common/pod/containers.ts` */
export const CONTAINERS: readonly ValueCase[] = [
  {
    title: 'M1: a new container without an image',
    accepted: pod({ containers: [CART, { name: 'log', image: 'log' }] }),
    refused: pod({ containers: [CART, { name: 'crat' }] }),
    errors: [
      'template.spec.containers[1].image: must be set: the source has no container "crat", so this is a new one; did you mean "cart"?',
    ],
  },
  {
    title: 'M2: a container without an image',
    accepted: pod({ containers: [CART] }),
    refused: pod({ containers: [{ name: 'cart' }] }),
    errors: [
      'template.spec.containers[0].image: must be set: Merge replaces the whole container; use overrideType: Strategic to change only some of its fields',
    ],
  },
  {
    title: 'M2: an empty image',
    accepted: container({ image: 'cart' }),
    refused: init({ image: '' }),
    errors: [
      'template.spec.initContainers[0].image: must be set: the source has no container "init", so this is a new one; set it',
    ],
  },
  {
    title: 'M2: an image with blanks',
    accepted: container({ image: 'Registry.example:5000/shop/cart:1.0-RC1' }),
    refused: container({ image: 'cart :1' }),
    errors: [`template.spec.containers[0].image: ${IMAGE} without blanks; got "cart :1"`],
    isOfKubelet: true,
  },
  {
    title: 'M2: an image with capitals in the repository',
    accepted: container({ image: `cart@sha256:${'a'.repeat(64)}` }),
    refused: container({ image: 'registry.example/Cart:1' }),
    errors: [`template.spec.containers[0].image: ${IMAGE} with a name in lowercase; got "registry.example/Cart:1"`],
    isOfKubelet: true,
  },
  {
    title: 'M5: the name of a container',
    accepted: pod({ containers: [{ ...CART, name: '1-cart' }] }),
    refused: pod({ containers: [{ ...CART, name: 'Cart_1' }] }),
    errors: [`template.spec.containers[0].name: ${DNS}; got "Cart_1"`],
  },
  {
    title: 'M5: the length of the name of a container',
    accepted: pod({ containers: [{ ...CART, name: 'a'.repeat(63) }] }),
    refused: pod({ containers: [{ ...CART, name: 'a'.repeat(64) }] }),
    errors: ['template.spec.containers[0].name: must have at most 63 characters, got 64; shorten it'],
  },
  {
    title: 'M5: one name in both lists of containers',
    accepted: init({}),
    refused: init({ name: 'cart' }),
    errors: [`template.spec.initContainers[0].name: ${UNIQUE}: another one is called "cart"; rename it`],
  },
  {
    title: 'M4: no container',
    accepted: pod({ containers: [CART] }),
    refused: pod({ containers: [] }),
    errors: ['template.spec.containers: must have a container; keep one'],
  },
  {
    title: 'M4: a probe of an init container',
    accepted: init({ restartPolicy: 'Always', livenessProbe: { exec: { command: ['true'] } } }),
    refused: init({ livenessProbe: { exec: { command: ['true'] } } }),
    errors: [
      'template.spec.initContainers[0].livenessProbe: cannot be set in an init container unless its restartPolicy is Always; remove it',
    ],
  },
  {
    title: 'M4: the restart policy of a container',
    accepted: init({ restartPolicy: 'OnFailure' }),
    refused: init({ restartPolicy: 'Sometimes' }),
    errors: ['template.spec.initContainers[0].restartPolicy: must be one of Always, Never, OnFailure; got "Sometimes"'],
  },
  {
    title: 'M4: rules of restarts without a policy',
    accepted: container({
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
    }),
    refused: container({ restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }] }),
    errors: ['template.spec.containers[0].restartPolicy: must be set with restartPolicyRules; set it'],
  },
  {
    title: 'M4: a rule of restarts without exit codes',
    accepted: container({
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'NotIn', values: [] } }],
    }),
    refused: container({ restartPolicy: 'Never', restartPolicyRules: [{ action: 'Restart' }] }),
    errors: ['template.spec.containers[0].restartPolicyRules[0].exitCodes: must be set; add it'],
  },
  {
    title: 'M4: a policy of resizing',
    accepted: container({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
    refused: container({ resizePolicy: [{ resourceName: 'disk', restartPolicy: 'NotRequired' }] }),
    errors: ['template.spec.containers[0].resizePolicy[0].resourceName: must be one of cpu, memory; got "disk"'],
  },
  {
    title: 'M4: a restart on resizing an init container',
    accepted: init({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
    refused: init({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
    errors: [
      'template.spec.initContainers[0].resizePolicy[0].restartPolicy: cannot be RestartContainer in an init container; use NotRequired',
    ],
  },
  {
    title: 'M4: devices of a pod with users of its own',
    accepted: pod({
      volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }],
      containers: [{ ...CART, volumeDevices: [{ name: 'disk', devicePath: '/dev/xvda' }] }],
    }),
    refused: pod({
      hostUsers: false,
      volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }],
      containers: [{ ...CART, volumeDevices: [{ name: 'disk', devicePath: '/dev/xvda' }] }],
    }),
    errors: ['template.spec.containers[0].volumeDevices: cannot be set while hostUsers is false; remove one of them'],
  },
]
