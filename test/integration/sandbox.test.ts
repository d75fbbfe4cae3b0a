import { expect } from 'chai'
import { auditEvents } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { guestbook } from '../../sandbox/modules.ts'
import { collect } from '../collect.ts'
import { needs } from '../needs.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'

/** Shorter than the timeout of mocha, which cannot name the reason. */
const DEADLINE_MS = 50_000
const PREFIX = 'sandbox.experiment-controller.example.com/'

interface Condition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string
}
interface ContainerStatus {
  readonly name: string
  readonly ready: boolean
  readonly restartCount: number
  readonly state: { readonly waiting?: { readonly reason: string }; readonly running?: object }
}
interface Pod {
  readonly metadata: { readonly uid: string }
  readonly status: {
    readonly phase: string
    readonly startTime: string
    readonly conditions: readonly Condition[]
    readonly containerStatuses: readonly ContainerStatus[]
  }
}
interface EndpointSlice {
  readonly endpoints: readonly { readonly conditions: { readonly ready: boolean } }[] | null
}

const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false

const summary = ({ status }: Pod): string =>
  [
    status.phase,
    ...(status.containerStatuses ?? []).map(
      ({ ready, state }) => state.waiting?.reason ?? (ready ? 'ready' : 'running'),
    ),
  ].join(' ')

const aPod = (name: string, annotations: Readonly<Record<string, string>>, tag = '1.0.0') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations, labels: { app: name } },
  spec: {
    containers: [
      { name: 'app', image: `registry.example/app:${tag}` },
      { name: 'side', image: 'registry.example/side:1.0.0' },
    ],
  },
})

const aDeployment = (name: string, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: `registry.example/${name}:1` }] },
    },
  },
})

/** Pods that misbehave, and the state in which each of them ends. */
const MISBEHAVING: Record<string, { readonly given: ReturnType<typeof aPod>; readonly seen: string }> = {
  'never becomes Ready': {
    given: aPod('never', { [`${PREFIX}behavior`]: 'never-ready' }),
    seen: 'Running running running',
  },
  'cannot pull its images': {
    given: aPod('pull', { [`${PREFIX}behavior`]: 'image-pull-error' }),
    seen: 'Pending ImagePullBackOff ImagePullBackOff',
  },
  'cannot pull the image tagged broken': {
    given: aPod('broken', {}, 'broken'),
    seen: 'Pending ImagePullBackOff ready',
  },
  'crashes in a loop': {
    given: aPod('loop', { [`${PREFIX}behavior`]: 'crash-loop' }),
    seen: 'Running CrashLoopBackOff CrashLoopBackOff',
  },
  'crashes where the image is tagged crash': {
    given: aPod('crash', {}, 'crash'),
    seen: 'Running CrashLoopBackOff ready',
  },
  'fails after a while': {
    given: aPod('failing', { [`${PREFIX}behavior`]: 'failing', [`${PREFIX}after`]: '1s' }),
    seen: 'Running running running',
  },
}

describe('the sandbox, on the real control plane', () => {
  const plane = usesControlPlane()
  needs('kubernetesFiles')
  let namespace = ''
  const inNamespace = (rest: string, group = '/api/v1'): string => `${group}/namespaces/${namespace}/${rest}`

  before(async () => {
    namespace = await aNamespace()
  })

  const podThat = (name: string, what: string, holds: (pod: Pod) => boolean): Promise<Pod> =>
    eventually(`pod ${name} ${what}`, DEADLINE_MS, async () => {
      const pod = await plane().api.get<Pod>(inNamespace(`pods/${name}`))
      if (!holds(pod)) throw new Error(summary(pod))
      return pod
    })

  it('makes a Deployment Ready, with its pods behind the Service', async () => {
    const { api } = plane()
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'cart' },
      spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] },
    }
    await api.create(inNamespace('services'), service)
    await api.create(inNamespace('deployments', '/apis/apps/v1'), aDeployment('cart', 3))
    await eventually('three ready endpoints behind the Service', DEADLINE_MS, async () => {
      const path = inNamespace(
        'endpointslices?labelSelector=kubernetes.io/service-name=cart',
        '/apis/discovery.k8s.io/v1',
      )
      const endpoints = (await api.list<EndpointSlice>(path)).flatMap((slice) => slice.endpoints ?? [])
      expect(endpoints.filter(({ conditions }) => conditions.ready)).to.have.length(3)
    })
  })

  for (const [sentence, { given, seen }] of Object.entries(MISBEHAVING))
    it(`simulates a pod that ${sentence}`, async () => {
      await plane().api.create(inNamespace('pods'), given)
      const pod = await podThat(given.metadata.name, `to be "${seen}"`, (pod) => summary(pod) === seen)
      expect(isReady(pod)).to.equal(false)
    })

  it('counts restarts of a crashing container, and of no other', async () => {
    await plane().api.create(inNamespace('pods'), aPod('restarts', {}, 'crash'))
    const restarts = ({ status }: Pod): readonly number[] =>
      (status.containerStatuses ?? []).map(({ restartCount }) => restartCount)
    const pod = await podThat('restarts', 'to have crashed three times', (pod) => (restarts(pod)[0] ?? 0) >= 3)
    expect(restarts(pod)[1]).to.equal(0)
  })

  it('simulates a pod that becomes Ready slowly', async () => {
    const slow = aPod('slow', { [`${PREFIX}behavior`]: 'slow', [`${PREFIX}after`]: '1s' })
    await plane().api.create(inNamespace('pods'), slow)
    const { status } = await podThat('slow', 'to be Ready', isReady)
    // in whole seconds; both times are equal for any other pod
    const readyAt = status.conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? ''
    expect(Date.parse(readyAt) - Date.parse(status.startTime)).to.be.at.least(1_000)
  })

  const podIsGone = (name: string) =>
    eventually(`pod ${name} to be gone`, DEADLINE_MS, async () => {
      const pods = await plane().api.list(inNamespace(`pods?fieldSelector=metadata.name=${name}`))
      expect(pods).to.have.length(0)
    })

  it('removes a deleted pod, but keeps one that never ends until it is deleted without a grace period', async () => {
    const { api } = plane()
    await api.create(inNamespace('pods'), aPod('lasting', { [`${PREFIX}ends`]: 'never' }))
    await api.create(inNamespace('pods'), aPod('short', {}))
    for (const name of ['lasting', 'short']) {
      await podThat(name, 'to be Ready', isReady)
      await api.delete(inNamespace(`pods/${name}`))
    }
    await podIsGone('short')
    const { metadata } = await api.get(inNamespace('pods/lasting'))
    expect(metadata.deletionTimestamp).to.be.a('string')
    await api.delete(inNamespace('pods/lasting'), { gracePeriodSeconds: 0 })
    await podIsGone('lasting')
  })

  it("runs Kubernetes' guestbook, unmodified", async () => {
    const { kubectl } = plane()
    const { code, stderr } = await kubectl(['apply', '-n', namespace, '-f', '-'], {
      input: (await guestbook()).join('\n---\n'),
    })
    expect(code, stderr).to.equal(0)
    const wait = [
      'wait',
      '-n',
      namespace,
      '--for=condition=Available',
      'deployment',
      '--all',
      `--timeout=${DEADLINE_MS / 1_000}s`,
    ]
    const waited = await kubectl(wait)
    expect(waited.code, waited.stderr).to.equal(0)
    expect(waited.stdout.match(/condition met/g)).to.have.length.at.least(5)
  })

  it('gives users no permissions until they are bound to a role', async () => {
    const { kubectl, kubeconfigAs, apiAs } = plane()
    const { code, stderr } = await kubectl(['get', 'pods', '-n', namespace], {
      kubeconfig: await kubeconfigAs('alice'),
    })
    expect(stderr).to.contain('User "alice" cannot list resource "pods"')
    expect(code).to.equal(1)
    const refused = await apiAs('bob')
      .list(inNamespace('pods'))
      .catch((error: unknown) => String(error))
    expect(refused).to.contain('403').and.contain('User "bob" cannot list')
  })

  it('gives a ServiceAccount a kubeconfig of its own', async () => {
    const { kubectl, serviceAccountKubeconfig } = plane()
    const kubeconfig = await serviceAccountKubeconfig({ namespace, name: 'default' })
    const { stdout } = await kubectl(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'], { kubeconfig })
    expect(stdout).to.equal(`system:serviceaccount:${namespace}:default`)
  })

  it('shows in the audit log who wrote what', async () => {
    const { api, auditLog } = plane()
    await api.create(inNamespace('configmaps'), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'note' },
      data: {},
    })
    await eventually('the audit log to tell of the ConfigMap', DEADLINE_MS, async () => {
      const mine = (await collect(auditEvents(auditLog, namespace))).filter(
        ({ objectRef }) =>
          objectRef?.namespace === namespace && objectRef.resource === 'configmaps' && objectRef.name === 'note',
      )
      expect(mine.map(({ verb, user, stage }) => `${user.username} ${verb} ${stage}`)).to.deep.equal([
        'admin create ResponseComplete',
      ])
      expect(mine[0]?.requestObject?.kind).to.equal('ConfigMap')
    })
  })
})
