import { expect } from 'chai'
import type { ExperimentPolicySpec } from '../../common/api/policy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { KubeError } from '../../common/kube/errors.ts'
import type { KubeRequest } from '../../common/kube/request.ts'
import { askedBy } from '../../webhook/asked.ts'
import { Census } from '../../webhook/census.ts'
import { anExperiment, aPolicy } from '../builders.ts'
import { turn, VirtualTime } from '../virtual-time.ts'
import { aRequest } from './reviews.ts'

const GROUP = '/apis/experimentcontroller.example.com/v1alpha1'
const OF_CART = 'spec.sourceRef.kind=Deployment,spec.sourceRef.name=cart'
const [LONG, LONGEST] = [4 * 1024 * 1024, 8 * 1024 * 1024]

interface Given {
  readonly spec?: ExperimentPolicySpec
  readonly sourceNamespace?: string
  /** how many there are, each as long as `bytes` */
  readonly stored?: number
  readonly bytes?: number
  readonly silent?: boolean
}

/** An API server that pages `stored` experiments; with a diary of what it was asked. */
function world({ spec = {}, sourceNamespace, stored = 0, bytes = 100, silent = false }: Given) {
  const diary: string[] = []
  const all = Array.from({ length: stored }, (_, index) => {
    const { metadata, ...rest } = anExperiment({ overrideSpec: { template: { big: true } } })
    return { ...rest, metadata: { ...metadata, name: `copy-${index}`, uid: `uid-of-${index}` } }
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
  const object: ExperimentDeployment = anExperiment()
  const { sourceRef } = object.spec
  const read = askedBy(
    aRequest({
      object: {
        ...object,
        spec: { ...object.spec, sourceRef: { ...sourceRef, ...(sourceNamespace && { namespace: sourceNamespace }) } },
      },
    }),
  )
  if (read.is !== 'asked') throw new Error('the request is a good one')
  const time = new VirtualTime()
  const census = new Census({ request }, time)
  const rules = {
    policies: [aPolicy(spec)],
    namespace: { name: 'shop', labels: {} },
    sourceNamespace: { name: sourceNamespace ?? 'shop', labels: {} },
  }
  const review = new AbortController()
  return { diary, time, review, beside: () => census.beside(read.asked, rules, review.signal) }
}

describe('the census of experiments', () => {
  const asking: Record<string, readonly [Given, ...string[]]> = {
    'asks for those of the source alone where no limit counts others': [
      { spec: { maxExperimentsPerSource: 3 } },
      `/namespaces/shop/experimentdeployments ${OF_CART} 100`,
    ],
    'asks for all of the namespace where a limit counts them': [
      { spec: { maxExperimentsPerNamespace: 3 } },
      '/namespaces/shop/experimentdeployments all 100',
    ],
    'asks nowhere else where none counts those of the source': [
      { spec: { maxExperimentsPerNamespace: 3, allowSourcesFrom: ['shop', 'lab'] }, sourceNamespace: 'core' },
      '/namespaces/shop/experimentdeployments all 100',
    ],
    'asks where the source is, and where its namespace shares it': [
      { spec: { maxExperimentsPerSource: 3, allowSourcesFrom: ['shop', 'lab'] }, sourceNamespace: 'core' },
      `/namespaces/shop/experimentdeployments ${OF_CART} 100`,
      `/namespaces/core/experimentdeployments ${OF_CART} 100`,
      `/namespaces/lab/experimentdeployments ${OF_CART} 100`,
    ],
    'asks the whole cluster only where many namespaces share the source': [
      { spec: { maxExperimentsPerSource: 3, allowSourcesFrom: Array.from({ length: 9 }, (_, at) => `lab-${at}`) } },
      `/namespaces/shop/experimentdeployments ${OF_CART} 100`,
      `/experimentdeployments ${OF_CART} 100`,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(asking))
    it(sentence, async () => {
      const { diary, beside } = world(given)
      expect(await beside()).to.deep.equal([])
      expect(diary).to.deep.equal(expected)
    })

  it('turns every page, and keeps of each what is counted', async () => {
    const found = await world({ stored: 250 }).beside()
    expect(found).to.have.length(250)
    expect(found?.at(-1)?.metadata.uid).to.equal('uid-of-249')
    expect(found?.at(0)?.spec).to.deep.include({ overrideSpec: {}, sourceRef: anExperiment().spec.sourceRef })
  })

  it('takes smaller pages where their authors made them long', async () => {
    const { diary, beside } = world({ stored: 11, bytes: 1_500_000 })
    expect(await beside()).to.have.length(11)
    expect(diary.map((line) => line.split(' ').slice(2).join(' '))).to.deep.equal(['100', '5', '5 5', '5 10'])
    expect([11 * 1_500_000 > LONG, 5 * 1_500_000 < LONGEST]).to.deep.equal([true, true])
  })

  it('is taken once for all who ask meanwhile', async () => {
    const { diary, beside } = world({ stored: 3 })
    const found = await Promise.all([beside(), beside(), beside()])
    expect(found.map((each) => each?.length)).to.deep.equal([3, 3, 3])
    expect(diary).to.have.length(2)
  })

  it('is unknown to a review that is over, and by itself after 4 s', async () => {
    const { time, review, beside } = world({ silent: true })
    const [first, second] = [beside(), beside()]
    review.abort(new Error('over'))
    expect(await Promise.all([first, second])).to.deep.equal([undefined, undefined])
    await time.pass(8_000)
    expect(time.pending).to.equal(0)
  })
})
