import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseDocument } from 'yaml'
import { COMMAND, COMMAND_BY, EXPERIMENT_DEPLOYMENT, REQUESTED_BY } from '../../common/api/names.ts'
import type { BlueGreenStrategy } from '../../common/api/strategy.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { ApiError } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { usesOwnControlPlane } from './own-plane.ts'
import { bindUsers } from './pack-users.ts'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/experiment-deployment-controller'

/** The CRD of the installation. The tests ask the pack about sources in another namespace, too. */
function crd(): string {
  const document = parseDocument(
    readFileSync(new URL('../../crds/experimentdeployments.yaml', import.meta.url), 'utf8'),
  )
  const spec = ['spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties']
  const field = [...spec, 'sourceRef', 'properties', 'namespace']
  if (!document.hasIn(field)) document.setIn(field, { type: 'string' })
  return document.toString()
}

const NEEDS = 'needs "create deployments.apps" and "get deployments.apps/cart" in namespace "shop"'
const FORGED = `metadata.annotations["${REQUESTED_BY}"]: is set by the webhook to the name of the requester; remove it`
const FORGED_AUTHOR = `metadata.annotations["${COMMAND_BY}"]: is set by the webhook to the author of the command; remove it`

const PREVIEWED: BlueGreenStrategy = { activeService: 'cart', previewService: 'preview' }
const needsServices = (...names: readonly string[]) =>
  `needs ${names.map((name) => `"patch services/${name}"`).join(' and ')} in namespace "shop"`

type User = 'admin' | 'alice' | 'bob'
interface Asks {
  readonly by: User
  readonly kind?: string
  readonly from?: string
  readonly source?: string
  readonly overrideSpec?: JsonObject
  readonly requester?: string
  readonly blueGreen?: BlueGreenStrategy
  /** what a command says */
  readonly verb?: string
  readonly dryRun?: boolean
  readonly namespace?: string
}

describe('the pack, while there is no webhook configuration', () => {
  const plane = usesOwnControlPlane(() => [crd()])
  const apiOf = (user: User) => (user === 'admin' ? plane().api : plane().apiAs(user))
  const path = (namespace: string, name?: string) =>
    resourcePath(EXPERIMENT_DEPLOYMENT, name === undefined ? { namespace } : { namespace, name })

  let count = 0
  /** Creates an experiment in `shop`. Returns "accepted", or the message of the refusal. */
  async function create({ by, kind = 'Deployment', source = 'cart', dryRun = true, ...asks }: Asks): Promise<string> {
    const { from, namespace = 'shop', overrideSpec = {}, requester, blueGreen, verb } = asks
    count += 1
    const annotations = {
      ...(requester === undefined ? {} : { [REQUESTED_BY]: requester }),
      ...(verb === undefined ? {} : { [COMMAND]: verb }),
    }
    const experiment = {
      apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
      kind: EXPERIMENT_DEPLOYMENT.kind,
      metadata: { name: `e${count}`, annotations },
      spec: {
        sourceRef: { kind, name: source, ...(from !== undefined && { namespace: from }) },
        overrideSpec,
        ...(blueGreen ? { strategy: { blueGreen } } : {}),
      },
    }
    return answered(apiOf(by).create(`${path(namespace)}${dryRun ? '?dryRun=All' : ''}`, experiment))
  }

  /** Changes the annotations of the experiment that was created last, and returns the same. */
  const annotate = (by: User, annotations: JsonObject): Promise<string> =>
    answered(apiOf(by).patch(path('shop', `e${count}`), { metadata: { annotations } }))

  before('the pack is enforced', async () => {
    const { code, stderr } = await plane().kubectl([
      'apply',
      '--server-side',
      '--validate=strict',
      '-k',
      'manifests/pack',
    ])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    await bindUsers(plane())
    await eventually('the pack to refuse', 20_000, async () => {
      if ((await create({ by: 'bob' })) === 'accepted') throw new Error('it does not yet')
    })
  })

  it('passes the type check of the API server', () =>
    eventually('the API server to have checked the types', 20_000, async () => {
      const found = await plane().api.get(POLICIES)
      expect(at(found, 'status', 'observedGeneration')).to.equal(found.metadata.generation)
      expect(at(found, 'status', 'typeChecking', 'expressionWarnings')).to.equal(undefined)
    }))

  const cases: Record<string, Asks & { readonly answer: string }> = {
    'allows a user who may create and get the source': { by: 'alice', answer: 'accepted' },
    'refuses a user who may only create experiments': { by: 'bob', answer: NEEDS },
    'says the same about a source that does not exist': {
      by: 'bob',
      source: 'nothing',
      answer: NEEDS.replace('cart', 'nothing'),
    },
    'says the same to a user who may create but not get': {
      by: 'alice',
      namespace: 'blind',
      answer: NEEDS.replace('shop', 'blind'),
    },
    'checks the namespace of the source': { by: 'alice', from: 'other', answer: NEEDS.replace('shop', 'other') },
    'checks the kind of the source': {
      by: 'alice',
      kind: 'StatefulSet',
      answer: NEEDS.replaceAll('deployments', 'statefulsets'),
    },
    'checks the group of the source': {
      by: 'alice',
      kind: 'Rollout',
      answer:
        'needs "create rollouts.argoproj.io", "get rollouts.argoproj.io/cart" and "get replicasets.apps" in namespace "shop"',
    },
    'refuses replicas in the override': {
      by: 'alice',
      overrideSpec: { replicas: 3 },
      answer: 'spec.overrideSpec.replicas: cannot be set here; use spec.replicas',
    },
    'refuses a selector in the override, also one that is null': {
      by: 'alice',
      overrideSpec: { selector: null },
      answer: 'spec.overrideSpec.selector: the fork has its own selector; remove this',
    },
    'refuses a blue-green to a user who may not change its preview': {
      by: 'alice',
      blueGreen: PREVIEWED,
      answer: needsServices('preview'),
    },
    'allows it to a user who may': { by: 'alice', namespace: 'green', blueGreen: PREVIEWED, answer: 'accepted' },
    'asks for the active Service where the cut-over needs no command': {
      by: 'alice',
      blueGreen: { activeService: 'cart' },
      answer: needsServices('cart'),
    },
    'asks for both where that is so with a preview': {
      by: 'alice',
      blueGreen: { ...PREVIEWED, autoPromotionEnabled: true },
      answer: needsServices('cart', 'preview'),
    },
    'asks for the Services by their names': {
      by: 'alice',
      namespace: 'green',
      blueGreen: { activeService: 'other', previewService: 'preview', autoPromotionEnabled: true },
      answer: needsServices('other', 'preview').replace('shop', 'green'),
    },
    'asks for none where neither is changed yet': {
      by: 'alice',
      blueGreen: { activeService: 'cart', autoPromotionEnabled: false },
      answer: 'accepted',
    },
    'allows users to name themselves as the requester': { by: 'alice', requester: 'alice', answer: 'accepted' },
    'refuses a forged requester': {
      by: 'alice',
      requester: 'bob',
      answer: FORGED,
    },
  }
  for (const [sentence, { answer, ...asks }] of Object.entries(cases))
    it(sentence, async () => {
      const said = await create(asks)
      expect(said.replace(/^.* denied request: /, 'Forbidden: ')).to.equal(
        answer === 'accepted' ? answer : `Forbidden: ${answer}`,
      )
    })

  it('prints a refusal in one line', async () => {
    const input = JSON.stringify({
      ...EXPERIMENT_DEPLOYMENT,
      metadata: { name: 'x' },
      spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {} },
    })
    const { stderr } = await plane().kubectl(['-n', 'shop', 'create', '--validate=false', '-f', '-'], {
      input,
      kubeconfig: await plane().kubeconfigAs('bob'),
    })
    expect(stderr).to.match(/^Error from server \(Forbidden\): .* denied request: needs "create deployments\.apps"/)
    expect(stderr.trim().split('\n')).to.have.lengthOf(1)
  })

  it('asks for the Services that a command to a blue-green lets the controller change', async () => {
    expect(await create({ by: 'admin', blueGreen: PREVIEWED, dryRun: false })).to.equal('accepted')
    const made = path('shop', `e${count}`)
    const says = (by: User, verb: string) =>
      answered(apiOf(by).patch(`${made}?dryRun=All`, { metadata: { annotations: { [COMMAND]: verb } } }))
    expect(await says('alice', 'resume')).to.contain(needsServices('cart'))
    expect(await says('alice', 'retry')).to.contain(needsServices('preview'))
    for (const verb of ['resume', 'retry']) expect(await says('admin', verb), verb).to.equal('accepted')
    for (const verb of ['pause', 'abort']) expect(await says('alice', verb), verb).to.equal('accepted')
  })

  it('lets nobody remove a command and keep its author, who would pass for the author of an approval', async () => {
    expect(await create({ by: 'admin', dryRun: false })).to.equal('accepted')
    expect(await annotate('alice', { [COMMAND]: 'pause', [COMMAND_BY]: 'alice' })).to.equal('accepted')
    for (const by of ['admin', 'alice'] as const)
      expect(await annotate(by, { [COMMAND]: null }), by).to.contain(FORGED_AUTHOR)
    expect(await annotate('admin', { [COMMAND]: null, [COMMAND_BY]: null })).to.equal('accepted')
  })

  it('allows an abort to everybody, and no other author beside it', async () => {
    expect(await create({ by: 'admin', dryRun: false })).to.equal('accepted')
    expect(await annotate('alice', { [COMMAND]: 'abort', [COMMAND_BY]: 'bob' })).to.contain(FORGED_AUTHOR)
    expect(await annotate('alice', { [COMMAND]: 'pause', [COMMAND_BY]: 'alice' })).to.equal('accepted')
    expect(await annotate('bob', { [COMMAND]: 'abort' })).to.equal('accepted')
    expect(await annotate('alice', { [COMMAND_BY]: 'bob' })).to.contain(FORGED_AUTHOR)
  })

  it('checks changes of the spec, and not those of labels, status and finalizers', async () => {
    expect(await create({ by: 'alice', requester: 'alice', dryRun: false })).to.equal('accepted')
    const made = path('shop', `e${count}`)
    const patch = (by: User, body: object, where = made) => answered(apiOf(by).patch(where, body))
    expect(await patch('bob', { metadata: { labels: { seen: 'yes' } } })).to.equal('accepted')
    expect(await patch('bob', { status: { share: '8%' } }, `${made}/status`)).to.equal('accepted')
    expect(await patch('bob', { spec: { overrideSpec: { paused: false } } })).to.contain(NEEDS)
    const named = (name: string | null) => ({ metadata: { annotations: { [REQUESTED_BY]: name } } })
    const edit = { spec: { ttlSeconds: 60, promotion: { mode: 'Manual' } } }
    expect(await patch('admin', edit), 'an edit in the name of alice').to.contain(FORGED)
    expect(await patch('admin', { ...edit, ...named(null) })).to.equal('accepted')
    expect(await patch('alice', { spec: { ttlSeconds: 90 }, ...named('alice') })).to.equal('accepted')
    const approval = { spec: { promotion: { approvedRevision: '1f2e3d4c5b' } } }
    expect(await patch('admin', approval), 'an approval is no edit').to.equal('accepted')
    expect(await patch('admin', { spec: { promotion: null } }), 'but a removal is').to.contain(FORGED)
    expect(await patch('alice', named('bob'))).to.contain(FORGED)
    expect(await answered(apiOf('bob').delete(made))).to.equal('accepted')
  })
})

/** "accepted", or the message of the refusal. */
const answered = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return error.message
      throw error
    },
  )
