import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { COMMAND, COMMAND_SAW, REVIEWED_TEMPLATE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { ExperimentPolicy, NamespaceView } from '../../common/policy/policy.ts'
import { parseSaw } from '../../common/strategy/command-text.ts'
import { mutator } from '../../webhook/mutate.ts'
import type { PolicySource } from '../../webhook/reads/policies.ts'
import type { Reader } from '../../webhook/reads/reader.ts'
import type { ReviewAnswer } from '../../webhook/review/admission-review.ts'
import { aDeployment, anExperiment, aPolicy, aRollout, imageOverride } from '../builders.ts'
import { aReader } from '../fakes/reader.ts'
import { VirtualTime } from '../virtual-time.ts'
import { aNamespace } from './a-decoded-request.ts'
import { aRequest } from './reviews.ts'
import { type Given as Cluster, depsOf, policy } from './under-policies.ts'

type Request = Parameters<typeof aRequest>[0]
type SpecOf = Parameters<typeof anExperiment>[0]

interface Given {
  readonly kube?: Reader
  readonly request?: Request
  readonly policies?: readonly ExperimentPolicy[]
  readonly namespace?: PolicySource['namespace']
}

const NOT_READ: Reader = { request: () => expect.fail('a source was read for nothing') }
const NO_SCHEMAS = { schemaOf: () => undefined }
const SHORT = aPolicy({ defaultTTLSeconds: 60 })
const never = (): Promise<NamespaceView> => new Promise(() => undefined)
const unasked = (): never => expect.fail('a namespace was read for nothing')

/** The answer of a mutation while the API server waits, and the namespaces that it read. Fails if a timer is left. */
async function mutated({
  kube = NOT_READ,
  request = {},
  policies = [SHORT],
  namespace = async (name) => aNamespace(name),
}: Given) {
  const timers = new VirtualTime()
  const namespaces: string[] = []
  const source: PolicySource = {
    policies: () => policies,
    isExcluded: () => false,
    namespace: (name) => {
      namespaces.push(name)
      return namespace(name)
    },
  }
  let isSettled = false
  const settled = mutator({ kube, policies: source, schemas: NO_SCHEMAS, timers, clock: () => new Date(0) })(
    aRequest(request),
  ).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  )
  void settled.then(() => {
    isSettled = true
  })
  await timers.pass(0)
  if (isSettled) expect(timers.pending).to.equal(0)
  await timers.pass(1_500)
  expect(timers.pending).to.equal(0)
  const outcome = await settled
  if ('error' in outcome) throw outcome.error
  return { answer: outcome.answer, namespaces }
}

const patchOf = (answer: ReviewAnswer): readonly unknown[] => (answer.allowed ? (answer.patch ?? []) : [])
const added = (answer: ReviewAnswer, path: string): unknown =>
  at(
    patchOf(answer).find((operation) => at(operation, 'path') === path),
    'value',
  )
const ttlOf = async (given: Given) => added((await mutated(given)).answer, '/spec/ttlSeconds')
const of = (spec: SpecOf | object): Request => ({
  object: { ...anExperiment(), spec: { ...anExperiment().spec, ...spec } },
})

describe('the TTL of an experiment', () => {
  it('S10: changes nothing in a policy', async () => {
    const policies = { policies: () => [SHORT], namespace: unasked, isExcluded: () => false }
    const clock = () => new Date(0)
    const deps = { kube: { request: unasked }, policies, schemas: NO_SCHEMAS, timers: new VirtualTime(), clock }
    const request = { ...aRequest({ object: { ...SHORT } }), resource: 'experimentpolicies' as const }
    expect(await mutator(deps)(request)).to.deep.equal({ allowed: true })
  })

  const from = (namespace: unknown) => of({ sourceRef: { kind: 'Deployment', name: 'cart', namespace } })
  const onTill = [aPolicy({ defaultTTLSeconds: 30, namespaceSelector: { matchLabels: { team: 'till' } } })]

  const given: Record<string, Given & { readonly expected: number | undefined }> = {
    'is the default of policies where it has none': { expected: 60 },
    'is the default of policies where it is null, which the CRD takes for absent': {
      request: of({ ttlSeconds: null }),
      expected: 60,
    },
    'stays absent where no policy has a default': {
      policies: [aPolicy({ maxReplicas: 3 })],
      expected: undefined,
    },
    'follows policies of the namespace of the source too': {
      request: from('till'),
      policies: onTill,
      expected: 30,
    },
    'does not follow policies of other namespaces': { policies: onTill, expected: undefined },
  }
  for (const [sentence, { expected, ...rest }] of Object.entries(given))
    it(sentence, async () => expect(await ttlOf(rest)).to.equal(expected))

  const none: Record<string, unknown> = { 'an empty string': '', 'a number, which the CRD refuses': 5 }
  for (const [words, namespace] of Object.entries(none))
    it(`is that of its own namespace where the namespace of the source is ${words}`, async () => {
      const { answer, namespaces } = await mutated({ request: from(namespace) })
      expect([added(answer, '/spec/ttlSeconds'), namespaces]).to.deep.equal([60, ['shop']])
    })

  const kept: Record<string, Request> = {
    'stays what the author wrote': of({ ttlSeconds: 5 }),
    'stays a zero, which is a value and which the CRD refuses': of({ ttlSeconds: 0 }),
    'stays as it is when something else is updated: An update never gains a TTL.': {
      object: anExperiment({ replicas: 2 }),
      oldObject: anExperiment(),
    },
  }
  for (const [sentence, request] of Object.entries(kept))
    it(`${sentence}, and no namespace is read`, async () =>
      expect(await ttlOf({ request, namespace: unasked })).to.equal(undefined))

  it('is left out where a namespace cannot be read in time; other defaults need no policies', async () => {
    const { answer } = await mutated({ namespace: never })
    expect(added(answer, '/spec/ttlSeconds')).to.equal(undefined)
    expect(added(answer, '/spec/replicas')).to.equal(1)
  })

  it('leaves an invalid namespace to the CRD and /validate', async () => {
    const namespace = async () => {
      throw new RangeError('".." cannot be a segment of a path')
    }
    expect((await mutated({ namespace })).answer).to.deep.equal({ allowed: true })
  })

  it('does not hide an internal error, which the server writes into the log', async () => {
    const namespace = async () => {
      throw new TypeError('a bug')
    }
    const outcome = await mutated({ namespace }).catch((error: unknown) => error)
    expect(outcome).to.be.instanceOf(TypeError)
  })
})

describe('the default TTL of policies, in a cluster', () => {
  const patched = async (given: Cluster) => {
    const answer = await mutator(depsOf(given))(aRequest(given.request))
    return answer.allowed ? (answer.patch ?? []) : []
  }
  const ttl = { op: 'add', path: '/spec/ttlSeconds' }

  it('The smallest policy TTL wins.', async () => {
    const policies = [policy({ defaultTTLSeconds: 60 }), policy({ defaultTTLSeconds: 30 }, 'less')]
    expect(await patched({ policies })).to.deep.include({ ...ttl, value: 30 })
  })

  it('is left out where it cannot be read, and the request is admitted', async () => {
    const policies = [policy({ defaultTTLSeconds: 60 })]
    for (const given of [{ policies, isDown: true }, { isUnread: true }])
      expect(JSON.stringify(await patched(given))).to.not.contain('ttlSeconds')
  })

  it('is left out where the namespace is invalid, because the CRD is checked later', async () => {
    const policies = [policy({ defaultTTLSeconds: 60 })]
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: '..' }
    expect(await patched({ policies, request: of({ sourceRef }) })).to.deep.equal([])
  })

  it('does not replace what somebody wrote', async () => {
    const policies = [policy({ defaultTTLSeconds: 60 })]
    expect(JSON.stringify(await patched({ policies, request: of({ ttlSeconds: 5 }) }))).to.not.contain('ttlSeconds')
  })
})

describe('the object of the template that a mutation writes', () => {
  const sourceRef = { kind: 'Rollout', name: 'cart', namespace: 'shop' }
  const defaults = { replicas: 1, overrideType: 'Merge', onSourceChange: 'Follow' } as const
  const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' }
  const reading = (answer: () => Promise<unknown>): Reader => ({ request: answer })
  const referring = reading(async () => aRollout({ workloadRef }))
  const plain = reading(async () => aRollout({}))
  const object = (template?: string, spec: SpecOf = {}) =>
    anExperiment({
      sourceRef,
      ...defaults,
      ...spec,
      metadata: template === undefined ? {} : { annotations: { [REVIEWED_TEMPLATE]: template } },
    })
  /** The annotation after the patch. */
  async function annotation(kube: Reader, request: Request): Promise<unknown> {
    const { answer } = await mutated({ kube, request, policies: [] })
    const { newDocument } = jsonPatch.applyPatch(structuredClone(request?.object), patchOf(answer) as Operation[])
    return at(newDocument, 'metadata', 'annotations', REVIEWED_TEMPLATE)
  }

  it('S6: is the one to which the source refers now, whatever the request says', async () => {
    expect(await annotation(referring, { object: object() })).to.equal('Deployment/base')
    expect(await annotation(referring, { object: object('Deployment/secret') })).to.equal('Deployment/base')
    expect(await annotation(plain, { object: object('Deployment/secret') })).to.equal(undefined)
    const update = { object: object('Deployment/old', { replicas: 2 }), oldObject: object('Deployment/old') }
    expect(await annotation(referring, update)).to.equal('Deployment/base')
  })

  it('stays as it was stored where an update leaves it out and the spec does not change', async () => {
    const update = { object: object(), oldObject: object('Deployment/old') }
    expect(await annotation(referring, update)).to.equal('Deployment/old')
    expect(await annotation(plain, update)).to.equal('Deployment/old')
    expect(await annotation(referring, { object: object(), oldObject: object() })).to.equal(undefined)
  })

  it('stays as it was sent where the spec does not change, or the source cannot be read', async () => {
    const update = { object: object('Deployment/new'), oldObject: object() }
    expect(await annotation(referring, update)).to.equal('Deployment/new')
    const failing = reading(async () => {
      throw new KubeError({ kind: 'notFound', message: 'no such rollout' })
    })
    expect(await annotation(failing, { object: object('Deployment/new') })).to.equal('Deployment/new')
    expect(
      await annotation(
        reading(() => new Promise(() => undefined)),
        { object: object() },
      ),
    ).to.equal(undefined)
  })
})

describe('what the author of a command sees in the source', () => {
  const experiment = anExperiment({ strategy: { canary: {} }, overrideSpec: imageOverride('example/cart:2') })
  const oldObject = { ...experiment, status: { strategy: { stepIndex: 1, revision: '1f2e3d4c5b' } } }
  /** What is written beside `command`, and which paths were read for it. */
  async function saw(command: string, world: readonly KubeObject[]) {
    const { kube, asked } = aReader(world)
    const metadata = { ...experiment.metadata, annotations: { [COMMAND]: command } }
    const answer = await mutator({ ...depsOf({}), kube })(aRequest({ object: { ...oldObject, metadata }, oldObject }))
    const path = `/metadata/annotations/${COMMAND_SAW.replaceAll('/', '~1')}`
    const written = (answer.allowed ? (answer.patch ?? []) : []).find((operation) => at(operation, 'path') === path)
    return { values: parseSaw(String(at(written, 'value')))?.values, asked }
  }

  it('N12: is a hash of the values that promote writes over, as they are now', async () => {
    const [one, other] = [await saw('promote', [aDeployment()]), await saw('promote', [aDeployment({ image: 'a:9' })])]
    expect(one.values).to.match(/^[0-9a-f]{64}$/)
    expect(other.values).to.match(/^[0-9a-f]{64}$/)
    expect(other.values).to.not.equal(one.values)
    expect((await saw('promote step=2', [aDeployment()])).values).to.equal(one.values)
  })

  it('N12: is left out where the source cannot be read, and the command is stamped all the same', async () =>
    expect((await saw('promote', [])).values).to.equal(undefined))

  it('N12: is read for promote only', async () => {
    const { values, asked } = await saw('resume', [aDeployment()])
    expect([values, asked]).to.deep.equal([undefined, []])
  })
})
