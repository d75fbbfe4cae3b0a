import { expect } from 'chai'
import { GATE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, objectOr } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aNamespace, usesControlPlane } from '../integration/fixture.ts'
import { gatedTemplate, setGate, type TemplateOf } from '../integration/gated.ts'

/** Shorter than the timeout of mocha, which cannot name the reason. */
const DEADLINE_MS = 50_000
const OTHER_GATE = 'example.com/registered'
const PREFIX = 'sandbox.experiment-controller.example.com/'

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}
type Pod = KubeObject & {
  readonly metadata: { readonly uid: string }
  readonly status: {
    readonly conditions?: readonly Condition[]
    readonly containerStatuses?: readonly { readonly restartCount: number }[]
  }
}
interface EndpointSlice {
  readonly endpoints: readonly Endpoint[] | null
}
interface Endpoint {
  readonly conditions: { readonly ready: boolean }
  readonly targetRef: { readonly name: string }
}
const aPod = (name: string, of?: TemplateOf) => {
  const { metadata, spec } = gatedTemplate(name, '1', of)
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec }
}

/** `Ready: False ReadinessGatesNotReady` */
const shown = ({ status }: Pod, type: string): string => {
  const found = status.conditions?.find((condition) => condition.type === type)
  return [`${type}: ${found?.status ?? 'absent'}`, found?.reason].filter(Boolean).join(' ')
}

const SHUT = 'Ready: False ReadinessGatesNotReady'

describe('readiness gates in the sandbox, on the real control plane', () => {
  const plane = usesControlPlane()
  let namespace = ''
  const core = (rest: string): string => `/api/v1/namespaces/${namespace}/${rest}`

  before(async () => {
    namespace = await aNamespace()
  })

  const podThat = (name: string, ...wanted: readonly string[]): Promise<Pod> =>
    eventually(`pod ${name} to have ${wanted.join(', ')}`, DEADLINE_MS, async () => {
      const pod = await plane().api.get<Pod>(core(`pods/${name}`))
      const found = wanted.map((condition) => shown(pod, condition.split(':')[0] ?? ''))
      expect(found.join(', ')).to.equal(wanted.join(', '))
      return pod
    })

  const set = ({ metadata: { name, uid } }: Pod, isOpen: boolean) =>
    setGate<Pod>(plane().api, namespace, { name, uid }, isOpen)

  /** Creates a Service `name` for pods of the same name. */
  const serve = (name: string) =>
    plane().api.create(core('services'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ port: 80 }] },
    })

  /** Waits until the slices of Service `name` list these pods: `pod-1: ready`. */
  const slicesShow = (name: string, wanted: readonly string[]) =>
    eventually(`the slices of ${name} to list ${wanted}`, DEADLINE_MS, async () => {
      const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`
      const slices = await plane().api.list<EndpointSlice>(`${path}?labelSelector=kubernetes.io/service-name=${name}`)
      const listed = slices.flatMap(({ endpoints }) => endpoints ?? [])
      const text = ({ targetRef, conditions }: Endpoint) => `${targetRef.name}: ${conditions.ready ? 'ready' : 'shut'}`
      expect(listed.map(text).sort()).to.deep.equal(wanted)
    })

  const created = async (name: string, of?: TemplateOf) => {
    await plane().api.create(core('pods'), aPod(name, of))
  }

  it('keep a new pod out of the slices until its gate is opened, and again when it is shut', async () => {
    await serve('opened')
    await created('opened')
    const pod = await podThat('opened', 'ContainersReady: True', SHUT, `${GATE}: absent`)
    const ready = pod.status.conditions?.find(({ type }) => type === 'Ready')
    expect(ready?.message).to.equal(`corresponding condition of pod readiness gate "${GATE}" does not exist.`)
    await slicesShow('opened', ['opened: shut'])
    await set(pod, true)
    await podThat('opened', 'Ready: True', `${GATE}: True`)
    await slicesShow('opened', ['opened: ready'])
    await set(pod, false)
    const shut = await podThat('opened', 'ContainersReady: True', SHUT, `${GATE}: False`)
    expect(shut.status.conditions?.find(({ type }) => type === 'Ready')?.message).to.equal(
      `the status of pod readiness gate "${GATE}" is not "True", but False`,
    )
    await slicesShow('opened', ['opened: shut'])
  })

  it('are opened by server-side apply, which leaves the other conditions and refuses another uid', async () => {
    await created('applied', { gates: [GATE, OTHER_GATE] })
    const before = await podThat('applied', 'ContainersReady: True', `${OTHER_GATE}: True`, SHUT)
    const others = ({ status }: Pod) => status.conditions?.filter(({ type }) => type !== GATE && type !== 'Ready')
    const opened = await set(before, true)
    expect(others(opened)).to.deep.equal(others(before))
    const ours = opened.metadata.managedFields?.find(({ manager }) => manager === 'gate')
    expect(Object.keys(objectOr(at(ours?.fieldsV1, 'f:status', 'f:conditions')))).to.deep.equal([
      `k:{"type":"${GATE}"}`,
    ])
    expect(others(await podThat('applied', 'Ready: True'))).to.deep.equal(others(before))
    const other = { ...before, metadata: { ...before.metadata, uid: '00000000-0000-4000-8000-000000000000' } }
    const refused = await set(other, false).catch((error: unknown) => error)
    expect(isObject(refused) && refused.status, String(refused)).to.equal(422)
    await podThat('applied', 'Ready: True', `${GATE}: True`)
  })

  it('of other people are True from the start, unless the pod asks otherwise', async () => {
    await created('other', { gates: [OTHER_GATE] })
    await podThat('other', 'Ready: True', `${OTHER_GATE}: True`)
    await created('asked', { gates: [OTHER_GATE], annotations: { [`${PREFIX}gates`]: 'shut' } })
    await podThat('asked', SHUT, `${OTHER_GATE}: absent`)
  })

  it('keep their condition while a container restarts', async () => {
    await created('restarts', { annotations: { [`${PREFIX}behavior`]: 'restarting', [`${PREFIX}after`]: '2s' } })
    await set(await podThat('restarts', 'ContainersReady: True'), true)
    const unready = await podThat('restarts', 'ContainersReady: False ContainersNotReady', `${GATE}: True`)
    expect(unready.status.containerStatuses?.map(({ restartCount }) => restartCount)).to.deep.equal([1])
    expect(shown(unready, 'Ready')).to.equal('Ready: False ContainersNotReady')
    await podThat('restarts', 'ContainersReady: True', 'Ready: True', `${GATE}: True`)
  })

  it('do not hide that containers fail or become ready late', async () => {
    await created('failing', { annotations: { [`${PREFIX}behavior`]: 'failing', [`${PREFIX}after`]: '1s' } })
    await created('slow', { annotations: { [`${PREFIX}behavior`]: 'slow', [`${PREFIX}after`]: '1s' } })
    await podThat('failing', 'ContainersReady: False ContainersNotReady', 'Ready: False ContainersNotReady')
    await podThat('slow', 'ContainersReady: True', SHUT)
  })
})
