import { expect } from 'chai'
import { REQUESTED_BY } from '../../common/api/names.ts'
import { at } from '../../common/api/object.ts'
import type { ExperimentPolicy, NamespaceView } from '../../common/api/policy.ts'
import { defaultsPatch } from '../../webhook/default.ts'
import type { PolicySource } from '../../webhook/look.ts'
import { mutator } from '../../webhook/mutate.ts'
import type { Answer } from '../../webhook/review.ts'
import { anExperiment, aPolicy } from '../builders.ts'
import { VirtualTime } from '../virtual-time.ts'
import { aNamespace } from './an-asked.ts'
import { aRequest } from './reviews.ts'

type Request = Parameters<typeof aRequest>[0]
type SpecOf = Parameters<typeof anExperiment>[0]

interface Given {
  readonly request?: Request
  readonly policies?: readonly ExperimentPolicy[]
  readonly namespace?: PolicySource['namespace']
}

const SHORT = aPolicy({ defaultTTLSeconds: 60 })
const never = (): Promise<NamespaceView> => new Promise(() => undefined)
const unasked = (): never => expect.fail('a namespace was read for nothing')

/** What a mutation answers while the API server waits, and of which namespaces it asked; it leaves no timer behind. */
async function mutated({ request = {}, policies = [SHORT], namespace = async (name) => aNamespace(name) }: Given) {
  const timers = new VirtualTime()
  const namespaces: string[] = []
  const source: PolicySource = {
    policies: () => policies,
    namespace: (name) => {
      namespaces.push(name)
      return namespace(name)
    },
  }
  let isSettled = false
  const settled = mutator({ policies: source, timers })(aRequest(request)).then(
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

const patchOf = (answer: Answer): readonly unknown[] => (answer.allowed ? (answer.patch ?? []) : [])
const added = (answer: Answer, path: string): unknown =>
  at(
    patchOf(answer).find((operation) => at(operation, 'path') === path),
    'value',
  )
const ttlOf = async (given: Given) => added((await mutated(given)).answer, '/spec/ttlSeconds')
const of = (spec: SpecOf | object): Request => ({
  object: { ...anExperiment(), spec: { ...anExperiment().spec, ...spec } },
})

describe('the TTL of an experiment', () => {
  const from = (namespace: unknown) => of({ sourceRef: { kind: 'Deployment', name: 'cart', namespace } })
  const onTill = [aPolicy({ defaultTTLSeconds: 30, namespaceSelector: { matchLabels: { team: 'till' } } })]

  const given: Record<string, Given & { readonly expected: number | undefined }> = {
    'is what policies want where it has none': { expected: 60 },
    'is what policies want where it is null, which the CRD takes for none': {
      request: of({ ttlSeconds: null }),
      expected: 60,
    },
    'is nobody’s affair where no policy says anything': {
      policies: [aPolicy({ maxReplicas: 3 })],
      expected: undefined,
    },
    'follows the policies on the source’s namespace too': {
      request: from('till'),
      policies: onTill,
      expected: 30,
    },
    'does not follow those on a namespace that it has nothing from': { policies: onTill, expected: undefined },
  }
  for (const [sentence, { expected, ...rest }] of Object.entries(given))
    it(sentence, async () => expect(await ttlOf(rest)).to.equal(expected))

  const none: Record<string, unknown> = { nothing: '', 'no name, which the CRD refuses': 5 }
  for (const [words, namespace] of Object.entries(none))
    it(`is that of its own namespace where the source’s is written as ${words}`, async () => {
      const { answer, namespaces } = await mutated({ request: from(namespace) })
      expect([added(answer, '/spec/ttlSeconds'), namespaces]).to.deep.equal([60, ['shop']])
    })

  const kept: Record<string, Request> = {
    'stays what somebody wrote': of({ ttlSeconds: 5 }),
    'stays a zero, which is no absence and which the CRD refuses': of({ ttlSeconds: 0 }),
    'stays what it was when something else is updated: An update never gains a TTL.': {
      object: anExperiment({ replicas: 2 }),
      oldObject: anExperiment(),
    },
  }
  for (const [sentence, request] of Object.entries(kept))
    it(`${sentence}, and nobody is asked for policies`, async () =>
      expect(await ttlOf({ request, namespace: unasked })).to.equal(undefined))

  it('is left alone where a namespace cannot be read in time; other defaults need no policies', async () => {
    const { answer } = await mutated({ namespace: never })
    expect(added(answer, '/spec/ttlSeconds')).to.equal(undefined)
    expect(added(answer, '/spec/replicas')).to.equal(1)
  })

  it('is for the CRD and /validate to refuse where a namespace can be none', async () => {
    const namespace = async () => {
      throw new RangeError('".." cannot be a segment of a path')
    }
    expect((await mutated({ namespace })).answer).to.deep.equal({ allowed: true })
  })

  it('hides no bug of ours: who answers the API server tells it in the log', async () => {
    const namespace = async () => {
      throw new TypeError('a bug')
    }
    const outcome = await mutated({ namespace }).catch((error: unknown) => error)
    expect(outcome).to.be.instanceOf(TypeError)
  })
})

describe('the patch of defaults', () => {
  const bare = { kind: 'Deployment', name: 'cart' }
  const namespaceIn = (patch: readonly unknown[]) =>
    at(
      patch.find((operation) => at(operation, 'path') === '/spec/sourceRef/namespace'),
      'value',
    )

  it('makes a place for the first annotation once: a second would take it away again', () => {
    const paths = defaultsPatch(aRequest()).map((operation) => at(operation, 'path'))
    expect(paths.filter((path) => path === '/metadata/annotations')).to.have.length(1)
    expect(paths).to.include('/spec/replicas')
  })

  it('leaves the source in the namespace that is written', () => {
    const sourceRef = { ...bare, namespace: 'till' }
    expect(namespaceIn(defaultsPatch(aRequest(of({ sourceRef }))))).to.equal(undefined)
  })

  it('takes the source for one of its own namespace where none is written', () => {
    expect(namespaceIn(defaultsPatch(aRequest(of({ sourceRef: bare }))))).to.equal('shop')
  })

  it('fills in the namespace for a null, which the CRD takes for nothing', () => {
    const patch = defaultsPatch(aRequest(of({ sourceRef: { ...bare, namespace: null } })))
    expect(namespaceIn(patch)).to.equal('shop')
  })

  it('makes no source of what is none: the CRD refuses it', () => {
    for (const sourceRef of ['cart', null, ['cart']])
      expect(JSON.stringify(defaultsPatch(aRequest(of({ sourceRef }))))).to.not.contain('sourceRef')
  })

  it('takes off what was written for the requester where the stored one is no name', () => {
    const sourceRef = { ...bare, namespace: 'shop' }
    const { spec } = anExperiment({ sourceRef, replicas: 1, overrideType: 'Merge', onSourceChange: 'Follow' })
    const by = (who: unknown) => ({ metadata: { annotations: { [REQUESTED_BY]: who } }, spec })
    const patch = defaultsPatch(aRequest({ object: by('root'), oldObject: by(5) }))
    expect(patch).to.deep.equal([{ op: 'remove', path: `/metadata/annotations/${REQUESTED_BY.replace('/', '~1')}` }])
  })
})
