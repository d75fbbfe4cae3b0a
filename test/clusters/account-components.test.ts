import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { EXPERIMENT_ID, GATE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { type Api, ApiError, apiOf } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, SYSTEM_NAMESPACE, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { setGate } from '../integration/gated.ts'
import { usesOwnControlPlane } from './own-plane.ts'

const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/experiment-controller-account'
const ACCOUNT = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts/experiment-controller`
const NAMESPACE = '/api/v1/namespaces/default'
const ONLY_FORKS = 'the controller of experiments may open and shut only pods of forks'
const ONLY_GATE = 'the controller of experiments may change only the gate of a pod'
const ONLY_SWITCH = 'the controller of experiments may only switch a Service to a fork and back'

const pod = (name: string, labels: Readonly<Record<string, string>>, finalizers: readonly string[] = []) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels, finalizers },
  spec: {
    containers: [{ name: 'c', image: 'registry.example/c:1' }],
    readinessGates: [GATE, 'example.com/other'].map((conditionType) => ({ conditionType })),
  },
})
const service = {
  metadata: { name: 'cart', labels: { team: 'shop' }, annotations: { note: 'a' } },
  spec: { selector: { app: 'cart', tier: 'web' }, ports: [{ name: 'http', port: 80 }] },
}
const condition = (type: string, status: string) => ({ type, status })
const opening = { conditions: [condition(GATE, 'True')] }

/** What a request may be: a patch of a path in the namespace, and the words of the refusal. */
interface Attempt {
  readonly path: string
  readonly patch: object
  readonly type?: 'merge' | 'strategic' | 'json'
  readonly says: string
}
const ofPod = (patch: object, says: string, name = 'fork'): Attempt => ({
  ...{ path: `pods/${name}/status`, patch, says },
  type: 'strategic',
})
const ofService = (patch: object, says: string): Attempt => ({ path: 'services/cart', patch, says })
const removal = (path: string) => [{ op: 'remove', path }]

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'opens a pod of a fork': ofPod({ status: opening }, 'accepted'),
  'opens a pod of a fork with the time, the reason and a message': ofPod(
    { status: { conditions: [{ ...condition(GATE, 'True'), reason: 'Opened', message: 'at 10%' }] } },
    'accepted',
  ),
  'shuts a pod of a fork that is being deleted': ofPod(
    { status: { conditions: [condition(GATE, 'False')] } },
    'accepted',
    'deleting',
  ),
  'opens no other pod': ofPod({ status: opening }, ONLY_FORKS, 'other'),
  'opens no other pod by making its labels those of a fork': ofPod(
    { metadata: { labels: { [EXPERIMENT_ID]: 'x' } }, status: opening },
    ONLY_FORKS,
    'other',
  ),
  'does not take the label from a pod of a fork': ofPod(
    { metadata: { labels: { [EXPERIMENT_ID]: null } } },
    ONLY_FORKS,
  ),
  'does not change the condition of another gate': ofPod(
    { status: { conditions: [condition('example.com/other', 'False')] } },
    ONLY_GATE,
  ),
  'does not change another condition together with the gate': ofPod(
    { status: { conditions: [condition(GATE, 'True'), condition('ContainersReady', 'False')] } },
    ONLY_GATE,
  ),
  'does not remove the other conditions': { ...ofPod({ status: opening }, ONLY_GATE), type: 'merge' },
  'does not remove all conditions': {
    ...ofPod(removal('/status/conditions'), ONLY_GATE),
    type: 'json',
  },
  'does not change the phase of a pod': ofPod({ status: { phase: 'Failed' } }, ONLY_GATE),
  'does not add to the status of a pod': ofPod({ status: { message: 'evicted' } }, ONLY_GATE),
  'does not change the address of a pod': {
    ...ofPod({ status: { podIP: '10.9.9.9', podIPs: [{ ip: '10.9.9.9' }] } }, ONLY_GATE),
    type: 'merge',
  },
  'does not take what else the status of a pod has': {
    ...ofPod(removal('/status/startTime'), ONLY_GATE),
    type: 'json',
  },
  'does not change a label of a pod': ofPod({ metadata: { labels: { app: 'till' } } }, ONLY_GATE),
  'does not annotate a pod': ofPod({ metadata: { annotations: { note: 'a' } } }, ONLY_GATE),

  'switches a Service to a fork': ofService({ spec: { selector: { [EXPERIMENT_ID]: 'x' } } }, 'accepted'),
  'switches a Service to a fork whose pods are not ready': ofService(
    { spec: { selector: { [EXPERIMENT_ID]: 'x' }, publishNotReadyAddresses: true } },
    'accepted',
  ),
  'switches a Service back': {
    ...ofService({ spec: { selector: { [EXPERIMENT_ID]: null }, publishNotReadyAddresses: null } }, 'accepted'),
    path: 'services/switched',
  },
  'switches a Service from one fork to another': {
    ...ofService({ spec: { selector: { [EXPERIMENT_ID]: 'y' } } }, 'accepted'),
    path: 'services/switched',
  },
  'does not change another key of a selector': ofService({ spec: { selector: { app: 'till' } } }, ONLY_SWITCH),
  'does not add another key to a selector': ofService({ spec: { selector: { track: 'b' } } }, ONLY_SWITCH),
  'does not take another key from a selector': ofService({ spec: { selector: { tier: null } } }, ONLY_SWITCH),
  'does not take a whole selector': ofService({ spec: { selector: null } }, ONLY_SWITCH),
  'does not change the ports of a Service': ofService({ spec: { ports: [{ name: 'http', port: 81 }] } }, ONLY_SWITCH),
  'does not change the ports of a Service together with the key': ofService(
    { spec: { selector: { [EXPERIMENT_ID]: 'x' }, ports: [{ name: 'http', port: 80, targetPort: 9 }] } },
    ONLY_SWITCH,
  ),
  'does not change the type of a Service': ofService({ spec: { type: 'NodePort' } }, ONLY_SWITCH),
  'does not give a Service addresses': ofService({ spec: { externalIPs: ['192.0.2.1'] } }, ONLY_SWITCH),
  'does not change a label of a Service': ofService({ metadata: { labels: { team: 'bank' } } }, ONLY_SWITCH),
  'does not take a label from a Service': ofService({ metadata: { labels: { team: null } } }, ONLY_SWITCH),
  'does not annotate a Service': ofService({ metadata: { annotations: { more: 'b' } } }, ONLY_SWITCH),
  'does not hold a Service': ofService({ metadata: { finalizers: ['example.com/hold'] } }, ONLY_SWITCH),
}

describe("A-4: what the API server refuses to the controller's account with all components", () => {
  const plane = usesOwnControlPlane(crds)
  let controller: Api | undefined
  const asController = () => {
    if (!controller) throw new Error('the account is there while tests run')
    return controller
  }

  /** The objects of the installation that say what the account may do. */
  async function rights(): Promise<readonly KubeObject[]> {
    const { stdout, stderr } = await plane().kubectl(['kustomize', WITH_CUT_OVER])
    expect(stderr).to.equal('')
    const objects = parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
    return objects.filter(({ kind }) => /^Namespace$|^ServiceAccount$|Role|AdmissionPolicy/.test(kind))
  }

  before('the account, its roles and the policy are there, and pods and a Service', async function () {
    this.timeout(90_000)
    const input = (await rights()).map((object) => JSON.stringify(object)).join('\n---\n')
    const { code, stderr } = await plane().kubectl(['apply', '--validate=strict', '-f', '-'], { input })
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    await eventually('pods to be allowed', 30_000, () => plane().api.get(`${NAMESPACE}/serviceaccounts/default`))
    await create('pods', pod('fork', { app: 'cart', [EXPERIMENT_ID]: 'x' }))
    await create('pods', pod('deleting', { app: 'cart', [EXPERIMENT_ID]: 'x' }, ['example.com/hold']))
    await create('pods', pod('other', { app: 'cart' }))
    await create('services', service)
    const switched = { ...service.spec, selector: { ...service.spec.selector, [EXPERIMENT_ID]: 'x' } }
    await create('services', { metadata: { name: 'switched' }, spec: { ...switched, publishNotReadyAddresses: true } })
    await plane().api.delete(`${NAMESPACE}/pods/deleting`)
    for (const name of ['fork', 'deleting', 'other'])
      await eventually(`${name} to have an address`, 30_000, async () =>
        expect(at(await podCalled(name), 'status', 'podIP')).to.be.a('string'),
      )
    const { status } = await plane().api.create(`${ACCOUNT}/token`, { spec: { expirationSeconds: 3_600 } })
    const token = String(at(status, 'token'))
    controller = apiOf({ server: plane().server, ca: await readFile(plane().caFile, 'utf8'), token })
    await eventually('the policy to refuse', 30_000, async () =>
      expect(await answer(asController(), ofPod({ status: opening }, ONLY_FORKS, 'other'))).to.contain(ONLY_FORKS),
    )
  })
  after(() => controller?.close())

  const create = (resource: string, object: object) => plane().api.create(`${NAMESPACE}/${resource}`, object)
  const podCalled = (name: string) => plane().api.get(`${NAMESPACE}/pods/${name}`)

  /** The answer to a dry run: "accepted", or the refusal. */
  async function answer(api: Api, { path, patch, type }: Attempt): Promise<string> {
    try {
      await api.patch(`${NAMESPACE}/${path}?dryRun=All`, patch, type)
      return 'accepted'
    } catch (error) {
      if (error instanceof ApiError) return error.message
      throw error
    }
  }

  it('has passed the type check of the API server', () =>
    eventually('the API server to have checked the types', 20_000, async () => {
      const found = await plane().api.get(POLICY)
      expect(at(found, 'status', 'observedGeneration')).to.equal(found.metadata.generation)
      expect(at(found, 'status', 'typeChecking', 'expressionWarnings')).to.equal(undefined)
    }))

  for (const [sentence, attempt] of Object.entries(ATTEMPTS)) {
    it(sentence, async () => expect(await answer(asController(), attempt)).to.contain(attempt.says))
    // so the policy refuses it, and nothing else
    it(`${sentence}, but an admin may`, async () => expect(await answer(plane().api, attempt)).to.equal('accepted'))
  }

  it('opens and shuts a pod by server-side apply, and the other conditions stay', async () => {
    const { metadata, status } = await podCalled('fork')
    const others = (of: unknown) =>
      listOr(at(of, 'conditions')).filter((found) => isObject(found) && found.type !== GATE && found.type !== 'Ready')
    for (const [isOpen, text] of [
      [true, 'True'],
      [false, 'False'],
    ] as const) {
      await setGate(asController(), 'default', { name: 'fork', uid: metadata.uid ?? '' }, isOpen)
      const found = (await podCalled('fork')).status
      const gate = listOr(at(found, 'conditions')).find((each) => isObject(each) && each.type === GATE)
      expect(at(gate, 'status')).to.equal(text)
      expect(others(found)).to.deep.equal(others(status))
    }
  })

  it('may do with pods and Services what the components need, and nothing else', async () => {
    const may = async (verb: string, what: string) => {
      const as = `--as=system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`
      return (await plane().kubectl(['auth', 'can-i', verb, ...what.split(' '), '--namespace=default', as])).code === 0
    }
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
    const rightsTo = async (what: string) => {
      const allowed = await Promise.all(verbs.map((verb) => may(verb, what)))
      return verbs.filter((_, index) => allowed[index])
    }
    expect(await rightsTo('pods')).to.deep.equal(['list', 'watch'])
    expect(await rightsTo('pods --subresource=status')).to.deep.equal(['patch'])
    expect(await rightsTo('services')).to.deep.equal(['get', 'list', 'watch', 'patch'])
    expect(await rightsTo('services --subresource=status')).to.deep.equal([])
  })
})
