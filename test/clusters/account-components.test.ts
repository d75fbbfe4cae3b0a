import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { EXPERIMENT_ID, GATE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { rollout } from '../../common/workload/rollout.ts'
import { type Api, ApiError, apiOf } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, SYSTEM_NAMESPACE, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { argoCrds } from '../../sandbox/modules.ts'
import { setGate } from '../integration/gated.ts'
import { needs } from '../needs.ts'
import { ATTEMPTS, type Attempt, NAMESPACE, ONLY_FORKS, ofPod, opening, ROLLOUTS } from './account-attempts.ts'
import { usesOwnControlPlane } from './own-plane.ts'

const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/experiment-controller-account'
const ACCOUNT = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts/experiment-controller`

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
const rolloutStatus = { phase: 'Progressing', currentPodHash: 'b', stableRS: 'a', currentStepIndex: 1 }

describe("A-4: what the API server refuses to the controller's account with all components", () => {
  const plane = usesOwnControlPlane(async () => [...(await crds()), ...(await argoCrds())])
  needs('argoFiles')
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

  before('the account, its roles and the policy are there, and pods, a Service and Rollouts', async function () {
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
    for (const name of ['cart', 'new'])
      await plane().api.create(ROLLOUTS, {
        ...{ apiVersion: rollout.apiVersion, kind: rollout.kind, metadata: { name } },
        spec: { replicas: 2, selector: { matchLabels: { app: name } } },
      })
    await plane().api.patch(`${ROLLOUTS}/cart/status`, { status: rolloutStatus })
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
      await api.patch(`${path}?dryRun=All`, patch, type)
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
