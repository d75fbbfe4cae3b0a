import { expect } from 'chai'
import { UNREAD } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { ExperimentCounter } from '../../../webhook/reads/experiment-counter.ts'
import { anExperiment, aPolicy, NO_POLICIES } from '../../builders.ts'
import { turn, VirtualTime } from '../../virtual-time.ts'
import { aDecodedRequest } from '../a-decoded-request.ts'

const GROUP = '/apis/experimentcontroller.example.com/v1alpha1'
const OF_CART = 'spec.sourceRef.kind=Deployment,spec.sourceRef.name=cart'
const [LONG, LONGEST] = [4 * 1024 * 1024, 8 * 1024 * 1024]

interface Given {
  readonly spec?: ExperimentPolicySpec
  readonly sourceNamespace?: string
  /** the number of stored experiments; each has `bytes` bytes */
  readonly stored?: number
  readonly bytes?: number
  readonly silent?: boolean
  /** whether the first of them is too large to be read */
  readonly hasUnread?: boolean
}

/** An API server that pages `stored` experiments. `diary` lists its requests. */
function world({ spec = {}, sourceNamespace, stored = 0, bytes = 100, silent = false, hasUnread = false }: Given) {
  const diary: string[] = []
  const all = Array.from({ length: stored }, (_, index) => {
    const { metadata, ...rest } = anExperiment({ overrideSpec: { template: { big: true } } })
    const unread = hasUnread && index === 0 ? { [UNREAD]: 'it is longer than 1.5 MiB' } : {}
    return { ...rest, ...unread, metadata: { ...metadata, name: `copy-${index}`, uid: `uid-of-${index}` } }
  })
  const request = async ({ path, query = {}, maxBytes = 0, signal }: KubeRequest) => {
    diary.push([path.replace(GROUP, ''), query.fieldSelector ?? 'all', query.limit, query.continue].join(' ').trim())
    if (silent)
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new KubeError({ kind: 'unreachable', message: 'too late' }))),
      )
    const [limit, from] = [Number(query.limit), Number(query.continue ?? 0)]
    const items = all.slice(from, from + limit)
    if (items.length * bytes > maxBytes) throw new KubeError({ kind: 'invalid', message: 'too long' })
    await turn()
    const isLast = from + limit >= all.length
    return { kind: 'List', items, metadata: isLast ? {} : { continue: `${from + limit}` } }
  }
  const sourceRef = { kind: 'Deployment', name: 'cart', ...(sourceNamespace && { namespace: sourceNamespace }) }
  const decoded = aDecodedRequest({ object: anExperiment({ sourceRef }) })
  const time = new VirtualTime()
  const counter = new ExperimentCounter({ request }, time)
  const facts = {
    ...NO_POLICIES,
    policies: [aPolicy(spec)],
    sourceNamespace: { name: sourceNamespace ?? 'shop', labels: {} },
  }
  const review = new AbortController()
  return { diary, time, review, others: () => counter.others(decoded, facts, review.signal) }
}

describe('the other experiments that limits count', () => {
  const asking: Record<string, readonly [Given, ...string[]]> = {
    'are read by source where a limit counts those of the source': [
      { spec: { maxExperimentsPerSource: 3 } },
      `/namespaces/shop/experimentdeployments ${OF_CART} 100`,
    ],
    'are all of the namespace where a limit counts them': [
      { spec: { maxExperimentsPerNamespace: 3 } },
      '/namespaces/shop/experimentdeployments all 100',
    ],
    'are read in no other namespace where no limit counts those of the source': [
      { spec: { maxExperimentsPerNamespace: 3, allowSourcesFrom: ['shop', 'lab'] }, sourceNamespace: 'core' },
      '/namespaces/shop/experimentdeployments all 100',
    ],
    'are read where the source is, and where its namespace shares it': [
      { spec: { maxExperimentsPerSource: 3, allowSourcesFrom: ['shop', 'lab'] }, sourceNamespace: 'core' },
      `/namespaces/shop/experimentdeployments ${OF_CART} 100`,
      `/namespaces/core/experimentdeployments ${OF_CART} 100`,
      `/namespaces/lab/experimentdeployments ${OF_CART} 100`,
    ],
    'are read in the whole cluster only where many namespaces share the source': [
      { spec: { maxExperimentsPerSource: 3, allowSourcesFrom: Array.from({ length: 9 }, (_, at) => `lab-${at}`) } },
      `/namespaces/shop/experimentdeployments ${OF_CART} 100`,
      `/experimentdeployments ${OF_CART} 100`,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(asking))
    it(sentence, async () => {
      const { diary, others } = world(given)
      expect(await others()).to.deep.equal([])
      expect(diary).to.deep.equal(expected)
    })

  it('are read page by page, without their overrides', async () => {
    const found = await world({ stored: 250 }).others()
    expect(found).to.have.length(250)
    expect(found?.at(-1)?.metadata.uid).to.equal('uid-of-249')
    expect(found?.at(0)?.spec).to.deep.include({ overrideSpec: {}, sourceRef: anExperiment().spec.sourceRef })
  })

  it('are read in smaller pages where they are long', async () => {
    const { diary, others } = world({ stored: 11, bytes: 1_500_000 })
    expect(await others()).to.have.length(11)
    expect(diary.map((line) => line.split(' ').slice(2).join(' '))).to.deep.equal(['100', '5', '5 5', '5 10'])
    expect([11 * 1_500_000 > LONG, 5 * 1_500_000 < LONGEST]).to.deep.equal([true, true])
  })

  it('N29: are unknown where one of them is too large to be read: the count would be too low', async () => {
    expect(await world({ stored: 2, hasUnread: true }).others()).to.equal(undefined)
  })

  it('are read once for all reviews at the same time', async () => {
    const { diary, others } = world({ stored: 3 })
    const found = await Promise.all([others(), others(), others()])
    expect(found.map((each) => each?.length)).to.deep.equal([3, 3, 3])
    expect(diary).to.have.length(2)
  })

  it('are unknown to a review that has ended, and after 4 s', async () => {
    const { time, review, others } = world({ silent: true })
    const [first, second] = [others(), others()]
    review.abort(new Error('over'))
    expect(await Promise.all([first, second])).to.deep.equal([undefined, undefined])
    await time.pass(8_000)
    expect(time.pending).to.equal(0)
  })
})
