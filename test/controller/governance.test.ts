import { expect } from 'chai'
import type { ExperimentPolicy } from '../../common/api/policy.ts'
import { KubeError, type KubeErrorKind } from '../../common/kube/errors.ts'
import type { Handler } from '../../common/kube/reflector.ts'
import type { KubeRequest } from '../../common/kube/request.ts'
import { Governance } from '../../controller/governance.ts'
import { Interest } from '../../controller/interest.ts'
import { Places } from '../../controller/places.ts'
import { anExperiment, aPolicy } from '../builders.ts'
import { diaryLog, VirtualTime } from '../virtual-time.ts'

function world() {
  const time = new VirtualTime()
  const diary: string[] = []
  const handlers: Handler<ExperimentPolicy>[] = []
  const cluster = {
    policies: [] as readonly ExperimentPolicy[],
    failure: undefined as KubeErrorKind | undefined,
    inhabited: [] as string[],
    labels: { tier: 'live' } as object,
  }
  const governance = new Governance({
    client: {
      request: async ({ verb, path, body }: KubeRequest) => {
        diary.push(`${verb} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`)
        if (cluster.failure) throw new KubeError({ kind: cluster.failure, message: 'no' })
        return { metadata: { name: 'shop', labels: cluster.labels } }
      },
    },
    policies: { list: () => cluster.policies, subscribe: (handler) => void handlers.push(handler) },
    places: new Places({ interest: new Interest(), experiment: () => undefined, fork: () => undefined }),
    ownNamespace: 'experiment-controller-system',
    keys: () => ['shop/faster-cart'],
    isOfInterest: (namespace) => cluster.inhabited.includes(namespace),
    wake: (namespace) => diary.push(`wake ${namespace ?? 'all'}`),
    timers: time,
    log: diaryLog(),
  })
  const tell: Handler<ExperimentPolicy> = (change) => {
    for (const handler of handlers) handler(change)
  }
  return { time, diary, cluster, governance, reads: governance.reads, tell }
}

describe('what policies are asked', () => {
  it('wakes everybody when one comes, changes or goes, not when its status does', () => {
    const { diary, tell } = world()
    const key = 'limits'
    tell({ is: 'added', key, after: aPolicy() })
    tell({ is: 'updated', key, before: aPolicy(), after: { ...aPolicy(), status: { experiments: 1 } } })
    tell({ is: 'updated', key, before: aPolicy(), after: aPolicy({ generation: 2 }) })
    tell({ is: 'deleted', key, before: aPolicy({ generation: 2 }) })
    expect(diary).to.deep.equal(['wake all', 'wake all', 'wake all'])
  })

  it('notices a label of a namespace in which nobody looks, while there are policies and experiments', async () => {
    const { time, diary, reads, cluster } = world()
    cluster.policies = [aPolicy()]
    cluster.inhabited = ['shop']
    await reads.namespace('shop')
    cluster.labels = { tier: 'test' }
    await time.pass(60_000)
    expect(diary.slice(1)).to.deep.equal(['get /api/v1/namespaces/shop', 'wake shop'])
    expect((await reads.namespace('shop'))?.labels).to.deep.equal({ tier: 'test' })
    cluster.policies = []
    await time.pass(600_000)
    expect(diary).to.have.length(4) // one more for who had looked meanwhile
  })

  it('reads the labels of a namespace once a minute, and wakes whom a change of them may matter to', async () => {
    const { time, diary, reads, cluster } = world()
    expect(await reads.namespace('shop')).to.deep.equal({ name: 'shop', labels: { tier: 'live' } })
    await reads.namespace('shop')
    expect(diary).to.deep.equal(['get /api/v1/namespaces/shop'])
    cluster.failure = 'notFound'
    await time.pass(60_000)
    expect(diary.slice(1)).to.deep.equal(['get /api/v1/namespaces/shop', 'wake shop'])
    expect(await reads.namespace('shop')).to.deep.equal({
      name: 'shop',
      labels: { 'kubernetes.io/metadata.name': 'shop' },
    })
  })

  it('knows no labels that it may not read, and leaves a failing API server to the backoff', async () => {
    const { reads, cluster } = world()
    cluster.failure = 'forbidden'
    expect(await reads.namespace('shop')).to.equal(undefined)
    cluster.failure = 'unreachable'
    const thrown = await reads.namespace('store').catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(KubeError)
  })

  it('leaves kube-system and its own namespace alone', () => {
    const { reads } = world()
    const excluded = ['shop', 'kube-system', 'experiment-controller-system'].map((name) => reads.isExcluded(name))
    expect(excluded).to.deep.equal([false, true, true])
  })

  it('applies what it counted to the status, and to nothing else', async () => {
    const { time, diary, reads, cluster } = world()
    cluster.policies = [aPolicy()]
    const { metadata } = anExperiment()
    reads.judged(`${metadata.namespace}/${metadata.name}`, {
      is: 'judged',
      policies: ['limits'],
      places: [],
      share: [],
      terms: [],
    })
    await time.pass(2_000)
    expect(diary).to.deep.equal([
      'apply /apis/experimentcontroller.example.com/v1alpha1/experimentpolicies/limits/status ' +
        '{"apiVersion":"experimentcontroller.example.com/v1alpha1","kind":"ExperimentPolicy",' +
        '"metadata":{"name":"limits"},"status":{"observedGeneration":1,"experiments":1,"violations":0}}',
    ])
  })
})
