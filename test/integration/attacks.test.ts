/** The attacks of docs/attacks.md that admission answers, against the product and the real API server. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY, PREFIX } from '../../common/api/names.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { ApiError } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aNamespace, controlPlane } from './fixture.ts'
import { aSource, DEADLINE_MS, type Place, usesProduct } from './product.ts'

const RESTRICTED = parse(readFileSync(new URL('../../manifests/policies/restricted.yaml', import.meta.url), 'utf8'))

const pod = (spec: JsonObject): JsonObject => ({ template: { spec } })
const container = (more: JsonObject): JsonObject => pod({ containers: [{ name: 'cart', ...more }] })
const metadata = (more: JsonObject): JsonObject => ({ template: { metadata: more } })
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const denied = (path: string) => `spec.overrideSpec.${path}: cannot be changed`

interface Attack {
  /** a member as raw JSON, where an object literal cannot express it */
  readonly override?: JsonObject | string
  readonly spec?: JsonObject
  readonly sourceRef?: JsonObject
  readonly metadata?: JsonObject
  /** whether the namespace is one to which the shipped policy applies */
  readonly isRestricted?: boolean
  readonly status?: number
  /** a part of each answer */
  readonly says: readonly string[]
}

/** The attacks by their number: what is sent, and the expected answer. */
const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  A1: ['__proto__', 'constructor', 'prototype'].map((key) => ({
    override: `{"template":{"${key}":{"a":1}}}`,
    says: [`spec.overrideSpec.template.${key}: this key is reserved`],
  })),
  A2: [
    { override: nested(65), says: ['nested deeper than 64 levels'] },
    {
      // a review holds it about twice
      override: JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, 1]))),
      status: 413,
      says: ['more than 100,000 keys and items'],
    },
    { override: metadata({ annotations: { a: 'x'.repeat(1024 * 1024) } }), says: ['more than 262144 characters'] },
    { override: JSON.stringify({ a: Array(6_000).fill(1) }), says: ['more than 5000 keys and items'] },
  ],
  A3: [{ override: { selector: { matchLabels: { a: 'b' } } }, says: ['spec.overrideSpec.selector: '] }],
  A4: [
    {
      override: metadata({ labels: { app: 'other' } }),
      isRestricted: true,
      says: [denied('template.metadata.labels.app')],
    },
  ],
  A5: [
    {
      override: metadata({ labels: { app: null } }),
      isRestricted: true,
      says: [denied('template.metadata.labels.app')],
    },
  ],
  A6: ['name', 'namespace', 'uid', 'ownerReferences', 'finalizers', 'managedFields'].map((key) => ({
    override: metadata({ [key]: key === 'uid' ? 'x' : [] }),
    says: [`spec.overrideSpec.template.metadata.${key}: only labels and annotations can be set here`],
  })),
  A8: [
    {
      override: pod({ serviceAccountName: 'root' }),
      isRestricted: true,
      says: [denied('template.spec.serviceAccountName')],
    },
    {
      override: pod({ automountServiceAccountToken: true }),
      isRestricted: true,
      says: [denied('template.spec.automountServiceAccountToken')],
    },
  ],
  A9: [
    { override: pod({ hostNetwork: true }), isRestricted: true, says: [denied('template.spec.hostNetwork')] },
    { override: pod({ hostPID: true }), isRestricted: true, says: [denied('template.spec.hostPID')] },
    {
      override: pod({ volumes: [{ name: 'host', hostPath: { path: '/' } }] }),
      isRestricted: true,
      says: ['spec.overrideSpec.template.spec.volumes[0].hostPath'],
    },
    {
      override: container({ image: 'registry.example/cart:1', securityContext: { privileged: true } }),
      isRestricted: true,
      says: ['spec.overrideSpec.template.spec.containers[0].securityContext'],
    },
    {
      override: container({ image: 'registry.example/cart:1', securityContext: { capabilities: { add: ['ALL'] } } }),
      isRestricted: true,
      says: ['spec.overrideSpec.template.spec.containers[0].securityContext'],
    },
  ],
  A10: (
    [
      ['secret', { secretName: 'x' }],
      ['configMap', { name: 'x' }],
      ['projected', { sources: [] }],
      ['csi', { driver: 'x' }],
      ['persistentVolumeClaim', { claimName: 'x' }],
    ] as const
  ).map(([kind, of]) => ({
    override: pod({ volumes: [{ name: 'v', [kind]: of }] }),
    isRestricted: true,
    says: [`spec.overrideSpec.template.spec.volumes[0].${kind}`],
  })),
  A11: [
    {
      override: pod({ imagePullSecrets: [{ name: 'x' }] }),
      isRestricted: true,
      says: ['spec.overrideSpec.template.spec.imagePullSecrets'],
    },
  ],
  A12: [
    {
      override: pod({
        containers: [
          { name: 'cart', image: 'registry.example/cart:1' },
          { name: 'miner', image: 'miner' },
        ],
      }),
      isRestricted: true,
      says: ['spec.overrideSpec.template.spec.containers[1]'],
    },
    { override: pod({ ephemeralContainers: [] }), says: ['spec.overrideSpec.template.spec.ephemeralContainers: '] },
  ],
  A13: ['nodeName', 'priorityClassName', 'runtimeClassName', 'schedulerName'].map((key) => ({
    override: pod({ [key]: 'mine' }),
    isRestricted: true,
    says: [denied(`template.spec.${key}`)],
  })),
  A14: [
    { spec: { replicas: -1 }, says: ['spec.replicas'] },
    { spec: { replicas: 1.5 }, says: ['spec.replicas'] },
    { spec: { replicas: '3' }, says: ['spec.replicas'] },
    { spec: { replicas: 2 ** 31 }, says: ['spec.replicas'] },
    { override: { replicas: 3 }, says: ['spec.overrideSpec.replicas: cannot be set here; use spec.replicas'] },
  ],
  A16: [
    { sourceRef: { kind: 'Pod', name: 'cart' }, says: ['spec.sourceRef.kind: Unsupported value: "Pod"'] },
    { sourceRef: { kind: 'deployments/../secrets', name: 'cart' }, says: ['spec.sourceRef.kind: Unsupported value'] },
  ],
  A17: ['..', 'x?watch=true', 'x'.repeat(254), 'ünïcode', ''].map((name) => ({
    sourceRef: { kind: 'Deployment', name },
    says: ['spec.sourceRef.name'],
  })),
  A21: [{ metadata: { name: 'x'.repeat(64) }, says: ['metadata.name: must be no more than 63 characters'] }],
  A22: [
    {
      override: metadata({ labels: { app: 'not a label' } }),
      says: ['spec.overrideSpec.template.metadata.labels.app'],
    },
    {
      override: metadata({ labels: { app: 'x'.repeat(64) } }),
      says: ['spec.overrideSpec.template.metadata.labels.app'],
    },
    { override: metadata({ annotations: { 'not a key': 'x' } }), says: ['template.metadata.annotations["not a key"]'] },
  ],
  A23: [
    {
      override: container({ image: 'x', env: [{ name: 'A' }, { name: 'A' }] }),
      says: ['spec.overrideSpec.template.spec.containers[0].env[1].name: duplicate of [0]'],
    },
    { override: pod({ $patch: 'replace' }), says: ['spec.overrideSpec.template.spec.$patch: '] },
    { override: pod({ containers: null }), says: ['spec.overrideSpec.template.spec.containers'] },
  ],
  A24: [
    { override: '{"minReadySeconds":9007199254740993}', says: ['spec.overrideSpec.minReadySeconds'] },
    {
      override: container({ image: 'x', resources: { limits: { cpu: '1e999999999999999999' } } }),
      says: ['limits.cpu'],
    },
    { override: container({ image: 'x', resources: { limits: { cpu: '1O0m' } } }), says: ['limits.cpu'] },
  ],
}

describe('attacks that admission answers', () => {
  const place = usesProduct()
  let restricted = ''

  before('there is a source, and a namespace to which the shipped policy applies', async function () {
    this.timeout(DEADLINE_MS)
    const { api } = place()
    restricted = await aNamespace()
    await api.patch(`/api/v1/namespaces/${restricted}`, { metadata: { labels: { [`${PREFIX}policy`]: 'restricted' } } })
    await api.apply(resourcePath(EXPERIMENT_POLICY, { name: 'restricted' }), RESTRICTED)
    await aSource(place(), 'cart')
    await aSource(inRestricted(), 'cart')
    await eventually('the policy to rule', DEADLINE_MS, async () => {
      const answer = await send({ override: pod({ hostNetwork: true }), isRestricted: true, says: [] })
      if (!answer.text.includes('cannot be changed')) throw new Error(answer.text)
    })
  })
  after('the policy is deleted', () => place().api.delete(resourcePath(EXPERIMENT_POLICY, { name: 'restricted' })))

  const inRestricted = (): Place => ({
    ...place(),
    path: (of, name) => place().path(of, name).replace(place().namespace, restricted),
  })

  /** The answer of the API server to a dry run. */
  async function send({ override = {}, spec, sourceRef, metadata: more, isRestricted = false }: Attack) {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const namespace = isRestricted ? restricted : place().namespace
    const body = JSON.stringify({
      apiVersion,
      kind,
      metadata: { name: 'attack', ...more },
      spec: { sourceRef: sourceRef ?? { kind: 'Deployment', name: 'cart' }, overrideSpec: 'HERE', ...spec },
    }).replace('"HERE"', () => (typeof override === 'string' ? override : JSON.stringify(override)))
    const path = `${resourcePath(EXPERIMENT_DEPLOYMENT, { namespace })}?dryRun=All`
    const answer = await (await controlPlane()).api.create(path, body).catch((error: unknown) => error)
    if (!(answer instanceof ApiError)) return { status: 201, text: 'accepted' }
    return { status: answer.status, text: answer.message }
  }

  for (const [row, attacks] of Object.entries(ATTACKS))
    it(`${row} is refused`, async () => {
      const answers = await Promise.all(attacks.map(send))
      answers.forEach(({ status, text }, index) => {
        const { status: expected = 422, says = [] } = attacks[index] ?? {}
        for (const part of says) expect(text).to.contain(part)
        expect(status).to.equal(expected)
      })
    })
})
