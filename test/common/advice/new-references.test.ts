import { expect } from 'chai'
import { newReferences } from '../../../common/advice/new-references.ts'
import type { JsonObject } from '../../../common/json/json.ts'

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const container = (members: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', ...members }] })
const fromSecret = (name: string, key: string): JsonObject => ({
  env: [{ name: 'A', valueFrom: { secretKeyRef: { name, key } } }],
})

const SOURCE = pod({
  serviceAccountName: 'cart',
  volumes: [
    { name: 'a', configMap: { name: 'cart-config' } },
    { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
  ],
  containers: [{ name: 'cart', ...fromSecret('cart-secret', 'password') }],
})
const NEEDED = 'no pod starts without it'

const cases: Record<string, readonly [JsonObject, ...string[]]> = {
  'is none without an override of pods': [{ paused: true }],
  'is none of what the source uses too': [
    pod({
      serviceAccountName: 'cart',
      volumes: [{ name: 'a', configMap: { name: 'cart-config' } }],
      containers: [{ name: 'x', ...fromSecret('cart-secret', 'password') }],
    }),
  ],
  'is a misspelt ServiceAccount, by both names of the field': [
    pod({ serviceAccountName: 'crat' }),
    'serviceaccount/crat is not used by the source: did you mean "cart"?',
  ],
  'is one by the old name of the field': [
    pod({ serviceAccount: 'robot' }),
    `serviceaccount/robot is not used by the source: ${NEEDED}`,
  ],
  'is a class': [
    pod({ priorityClassName: 'high', runtimeClassName: 'gvisor' }),
    `priorityclass/high is not used by the source: ${NEEDED}`,
    `runtimeclass/gvisor is not used by the source: ${NEEDED}`,
  ],
  'is what a volume is made of': [
    pod({
      volumes: [
        { name: 'a', configMap: { name: 'cart-confg' } },
        { name: 'b', secret: { secretName: 'tls' } },
        { name: 'c', persistentVolumeClaim: { claimName: 'date' } },
        { name: 'd', projected: { sources: [{ secret: { name: 'token' } }, { configMap: { name: 'ca' } }] } },
      ],
    }),
    'configmap/cart-confg is not used by the source: did you mean "cart-config"?',
    `secret/tls is not used by the source: ${NEEDED}`,
    'persistentvolumeclaim/date is not used by the source: did you mean "data"?',
    `secret/token is not used by the source: ${NEEDED}`,
    `configmap/ca is not used by the source: ${NEEDED}`,
  ],
  'is what variables are taken from, once': [
    container({
      envFrom: [
        { configMapRef: { name: 'extra' } },
        { secretRef: { name: 'extra' } },
        { configMapRef: { name: 'extra' } },
      ],
    }),
    `configmap/extra is not used by the source: ${NEEDED}`,
    `secret/extra is not used by the source: ${NEEDED}`,
  ],
  'is a key of what the source uses': [
    container(fromSecret('cart-secret', 'pasword')),
    'key "pasword" of secret/cart-secret is not used by the source: did you mean "password"?',
  ],
  'is nothing optional': [
    pod({
      volumes: [{ name: 'a', configMap: { name: 'x', optional: true } }],
      containers: [{ name: 'cart', envFrom: [{ secretRef: { name: 'x', optional: true } }] }],
    }),
  ],
  'is nothing in values of other types': [
    pod({ serviceAccountName: 1, volumes: [null, 1], containers: { env: 1 }, initContainers: [{ env: [null] }] }),
  ],
}

describe('an object that only an override needs', () => {
  for (const [sentence, [override, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(newReferences(override, SOURCE)).to.deep.equal(expected))
})
