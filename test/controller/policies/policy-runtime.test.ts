import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import type { Handler } from '../../../common/kube/watch/handlers.ts'
import { NO_SHAPE } from '../../../common/override/shape.ts'
import type { ExperimentPolicy } from '../../../common/policy/policy.ts'
import { ExperimentIndex } from '../../../controller/indexes/experiment-index.ts'
import { PolicyRuntime } from '../../../controller/policies/policy-runtime.ts'
import { Reservations } from '../../../controller/policies/reservations.ts'
import { anExperiment, aPolicy } from '../../builders.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'

function world(onlyNamespace?: string) {
  const time = new VirtualTime()
  const diary: string[] = []
  const log = diaryLog()
  const handlers: Handler<ExperimentPolicy>[] = []
  const cluster = {
    policies: [] as readonly ExperimentPolicy[],
    failure: undefined as KubeError | undefined,
    used: [] as string[],
    analyzed: [] as string[],
    labels: { tier: 'live' } as object,
  }
  const runtime = new PolicyRuntime({
    client: {
      request: async ({ verb, path, body }: KubeRequest) => {
        diary.push(`${verb} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`)
        if (cluster.failure) throw cluster.failure
        return { metadata: { name: 'shop', labels: cluster.labels } }
      },
    },
    policies: { list: () => cluster.policies, subscribe: (handler) => void handlers.push(handler) },
    reservations: new Reservations({
      index: new ExperimentIndex(),
      experiment: () => undefined,
      fork: () => undefined,
    }),
    kinds: () => [{ kind: 'Deployment', shape: NO_SHAPE }],
    clock: () => new Date('2026-11-21T12:00:00Z'),
    ownNamespace: 'experiment-controller-system',
    keys: () => ['shop/faster-cart'],
    isKnown: (key) => key === 'shop/faster-cart',
    isUsedNamespace: (namespace) => cluster.used.includes(namespace),
    isAnalyzedNamespace: (namespace) => cluster.analyzed.includes(namespace),
    wake: (namespace) => diary.push(`wake ${namespace ?? 'all'}`),
    timers: time,
    log,
    ...(onlyNamespace === undefined ? {} : { onlyNamespace }),
  })
  runtime.startStatus()
  const emit: Handler<ExperimentPolicy> = (change) => {
    for (const handler of handlers) handler(change)
  }
  return { time, diary, log, cluster, runtime, reads: runtime, emit }
}

describe('the policy runtime', () => {
  it('wakes all experiments when a policy is added, changed or deleted, not when its status changes', () => {
    const { diary, emit } = world()
    const key = 'limits'
    emit({ is: 'added', key, after: aPolicy() })
    emit({ is: 'updated', key, before: aPolicy(), after: { ...aPolicy(), status: { experiments: 1 } } })
    emit({ is: 'updated', key, before: aPolicy(), after: aPolicy({ generation: 2 }) })
    emit({ is: 'deleted', key, before: aPolicy({ generation: 2 }) })
    expect(diary).to.deep.equal(['wake all', 'wake all', 'wake all'])
  })

  it('reads a namespace again without a pass, while there are policies and experiments in it', async () => {
    const { time, diary, reads, cluster } = world()
    cluster.policies = [aPolicy()]
    cluster.used = ['shop']
    await reads.namespace('shop')
    cluster.labels = { tier: 'test' }
    await time.pass(60_000)
    expect(diary.slice(1)).to.deep.equal(['get /api/v1/namespaces/shop', 'wake shop'])
    expect((await reads.namespace('shop'))?.labels).to.deep.equal({ tier: 'test' })
    cluster.policies = []
    await time.pass(600_000)
    expect(diary).to.have.length(4) // one more read, because a pass read it meanwhile
  })

  it('reads a namespace again without a pass and without policies, while it has an analysis', async () => {
    const { time, diary, reads, cluster } = world()
    cluster.analyzed = ['shop']
    await reads.namespace('shop')
    await time.pass(60_000)
    cluster.labels = { tier: 'test' }
    await time.pass(60_000)
    const get = 'get /api/v1/namespaces/shop'
    expect(diary).to.deep.equal([get, get, get, 'wake shop'])
    cluster.analyzed = []
    await time.pass(600_000)
    expect(diary).to.have.length(4)
  })

  it('reads the labels of a namespace once a minute, and wakes the experiments there when they change', async () => {
    const { time, diary, reads, cluster } = world()
    expect(await reads.namespace('shop')).to.deep.equal({ name: 'shop', labels: { tier: 'live' } })
    await reads.namespace('shop')
    expect(diary).to.deep.equal(['get /api/v1/namespaces/shop'])
    cluster.failure = new KubeError({ kind: 'notFound', message: 'no' })
    await time.pass(60_000)
    expect(diary.slice(1)).to.deep.equal(['get /api/v1/namespaces/shop', 'wake shop'])
    expect(await reads.namespace('shop')).to.deep.equal({
      name: 'shop',
      labels: { 'kubernetes.io/metadata.name': 'shop' },
    })
  })

  it('has no labels when it may not read them', async () => {
    const { reads, cluster } = world()
    cluster.failure = new KubeError({ kind: 'forbidden', message: 'no' })
    expect(await reads.namespace('shop')).to.equal(undefined)
  })

  for (const failure of [
    new KubeError({ kind: 'unreachable', message: 'no route' }),
    new KubeError({ kind: 'throttled', message: 'too many requests', retryAfterMs: 9_000 }),
  ])
    it(`throws the failure of the API server, with the time that it asks for: ${failure.kind}`, async () => {
      const { diary, reads, cluster } = world()
      cluster.failure = failure
      const thrown = () => reads.namespace('store').catch((error: unknown) => error)
      expect([await thrown(), await thrown()]).to.deep.equal([failure, failure])
      expect(diary, 'a failure is not kept').to.have.length(2)
    })

  it('excludes kube-system and its own namespace', () => {
    const { reads } = world()
    const excluded = ['shop', 'kube-system', 'experiment-controller-system'].map((name) => reads.isExcluded(name))
    expect(excluded).to.deep.equal([false, true, true])
  })

  it('says whether a policy counts the pods or the experiments of others', () => {
    const { runtime, cluster } = world()
    const counting = [{}, { maxReplicas: 1 }, { maxShare: '10%' }, { maxExperimentsPerSource: 1 }].map((limits) => {
      cluster.policies = [aPolicy(limits)]
      return runtime.areCounting
    })
    expect(counting).to.deep.equal([false, false, true, true])
  })

  it('logs each mistake of a policy once where it writes no status', async () => {
    const { time, diary, log, runtime, cluster, emit } = world('shop')
    const change = (policies: readonly ExperimentPolicy[]) => {
      cluster.policies = policies
      emit({ is: 'added', key: 'limits', after: aPolicy() })
      runtime.schemasChanged()
    }
    const wrong = aPolicy({ allowedImages: ['not an image'] })
    change([wrong])
    change([])
    change([wrong])
    change([aPolicy()])
    await time.pass(60_000)
    const line = {
      text: 'warn a part of a policy matches nothing',
      facts: {
        policy: 'limits',
        mistakes: 'spec.allowedImages[0]: "not an image" matches no image: no image has such a name',
      },
    }
    expect(log.lines).to.deep.equal([line, line])
    expect(diary.filter((request) => request.startsWith('apply'))).to.deep.equal([])
  })

  it('applies the counts to the status of the policy only', async () => {
    const { time, diary, runtime, cluster } = world()
    cluster.policies = [aPolicy()]
    const { metadata } = anExperiment()
    runtime.status.record(`${metadata.namespace}/${metadata.name}`, {
      is: 'decided',
      policies: ['limits'],
      findings: [],
    })
    await time.pass(2_000)
    expect(diary).to.deep.equal([
      'apply /apis/experimentcontroller.example.com/v1alpha1/experimentpolicies/limits/status ' +
        '{"apiVersion":"experimentcontroller.example.com/v1alpha1","kind":"ExperimentPolicy",' +
        '"metadata":{"name":"limits"},"status":{"observedGeneration":1,"experiments":1,"violations":0,' +
        '"conditions":[{"type":"Valid","status":"True","reason":"Valid","message":"","observedGeneration":1,' +
        '"lastTransitionTime":"2026-11-21T12:00:00Z"}],"actions":"Deny"}}',
    ])
  })
})
