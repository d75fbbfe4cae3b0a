import { expect } from 'chai'
import { COMMAND, COMMAND_BY, EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY } from '../../common/api/names.ts'
import type { CanaryStep, PromotionSpec, RunPhase } from '../../common/api/strategy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { NAMESPACE, usesOwnProduct } from '../clusters/own-product.ts'
import { aSource, DEADLINE_MS, forkOf, hasEndpoints, imagesOf } from '../integration/product.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const [GROUP = ''] = EXPERIMENT_DEPLOYMENT.apiVersion.split('/')
const [FORMER, PROMOTED] = ['registry.example/cart:1', 'registry.example/cart:2']
const ALL = ['manual', 'automatic', 'held', 'named'] as const
const OVERRIDE = { template: { spec: { containers: [{ name: 'cart', image: PROMOTED }] } } }

describe('what a command needs, in a cluster with the component for promotion', () => {
  const { plane, place } = usesOwnProduct(() => WITH_PROMOTION)

  const deployments = (verbs: readonly string[], resourceNames?: readonly string[]) => ({
    apiGroups: ['apps'],
    resources: ['deployments'],
    verbs,
    ...(resourceNames ? { resourceNames } : {}),
  })

  /** Grants `user` experiments and these rights. Waits until the API server uses the last of them. */
  async function grant(user: string, rules: readonly ReturnType<typeof deployments>[], proof: readonly string[]) {
    const { api, kubectl } = place()
    const all = [{ apiGroups: [GROUP], resources: ['experimentdeployments'], verbs: ['*'] }, ...rules]
    await api.create(`${RBAC}/namespaces/${NAMESPACE}/roles`, { metadata: { name: user }, rules: all })
    await api.create(`${RBAC}/namespaces/${NAMESPACE}/rolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    })
    await eventually(`${user} to have the rights`, DEADLINE_MS, async () => {
      const { text } = await kubectl(['auth', 'can-i', ...proof, `--as=${user}`])
      if (!/^yes/m.test(text)) throw new Error(text)
    })
  }

  before('bob may change forks but not their sources, alice may both', async function () {
    this.timeout(180_000)
    await Promise.all(ALL.map((name) => aSource(place(), name, { replicas: 3 })))
    await Promise.all(ALL.map((name) => hasEndpoints(place(), name, 3)))
    await anExperiment('held', [{ setWeight: 30 }], { mode: 'Manual' })
    await anExperiment('named', [{ setWeight: 30 }], { mode: 'Manual' })
    await anExperiment('manual', [{ setWeight: 30 }], { mode: 'Manual' })
    await anExperiment('automatic', [{ setWeight: 30 }, { pause: {} }], { mode: 'Automatic' })
    const forks = await Promise.all(ALL.map((name) => shows(name, 'Paused').then(forkOf)))
    const [fork = ''] = forks
    await grant('alice', [deployments(['create', 'get', 'patch'])], ['patch', 'deployments/manual'])
    const ofBob = [deployments(['create', 'get']), deployments(['patch'], forks)]
    await grant('bob', ofBob, ['patch', `deployments/${fork}`])
  })

  const anExperiment = (name: string, steps: readonly CanaryStep[], promotion: PromotionSpec) =>
    place().experiment(name, {
      source: name,
      overrideSpec: OVERRIDE,
      strategy: { canary: { steps, scaleDownDelaySeconds: 1 } },
      promotion,
    })
  const shows = (name: string, phase: RunPhase): Promise<ExperimentDeployment> =>
    place().shows(name, phase, ({ status }) => status?.strategy?.phase === phase)
  const annotate = (user: string, name: string, ...annotations: readonly string[]) =>
    place().kubectl(['annotate', '--overwrite', `expd/${name}`, ...annotations, `--as=${user}`])
  const says = async (user: string, name: string, verb: string) => {
    const { code, text } = await annotate(user, name, `${COMMAND}=${verb}`)
    expect(code, text).to.equal(0)
  }
  async function mayNot(user: string, name: string, verb: string): Promise<void> {
    const { code, text } = await annotate(user, name, `${COMMAND}=${verb}`)
    expect(code, text).to.equal(1)
    expect(text).to.contain(`and "patch deployments.apps/${name}" in namespace "${NAMESPACE}"`)
  }
  const imageOf = async (name: string) => imagesOf(await place().deployment(name))[0]

  it('promote and undo need "patch" on the source; a manual retry, pause and abort need nothing more', async () => {
    await mayNot('bob', 'manual', 'promote')
    expect(await imageOf('manual')).to.equal(FORMER)
    await says('alice', 'manual', 'promote')
    await shows('manual', 'Promoted')
    await mayNot('bob', 'manual', 'undo')
    expect(await imageOf('manual')).to.equal(PROMOTED)
    await says('alice', 'manual', 'undo')
    await shows('manual', 'Undone')
    expect(await imageOf('manual')).to.equal(FORMER)
    await says('bob', 'manual', 'retry')
    await place().shows('manual', 'the wait for a promotion', ({ status }) => status?.strategy?.stepName === 'await')
    await says('bob', 'manual', 'pause')
    await says('bob', 'manual', 'abort')
    await shows('manual', 'Aborted')
  })

  it('resume and retry need it where nobody has to say promote, and pause and abort do not', async () => {
    await mayNot('bob', 'automatic', 'resume')
    await says('bob', 'automatic', 'pause')
    await place().shows('automatic', 'it is held', ({ status }) => status?.strategy?.held === true)
    await says('bob', 'automatic', 'abort')
    await shows('automatic', 'Aborted')
    await mayNot('bob', 'automatic', 'retry')
    await says('alice', 'automatic', 'retry')
    await shows('automatic', 'Paused')
    expect(await imageOf('automatic')).to.equal(FORMER)
    await says('alice', 'automatic', 'resume')
    await shows('automatic', 'Promoted')
    expect(await imageOf('automatic')).to.equal(PROMOTED)
  })

  it('a spec that promotes without a command needs it, and a Manual one does not', async () => {
    const manifest = (name: string, promotion: PromotionSpec) => ({
      apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
      kind: EXPERIMENT_DEPLOYMENT.kind,
      metadata: { name, namespace: NAMESPACE },
      spec: { sourceRef: { kind: 'Deployment', name: 'manual' }, overrideSpec: OVERRIDE, promotion },
    })
    const create = (name: string, promotion: PromotionSpec) =>
      place().kubectl(['create', '-f', '-', '--dry-run=server', '--as=bob'], JSON.stringify(manifest(name, promotion)))
    const refused = '"patch deployments.apps/manual" in namespace "shop"'
    expect((await create('by-itself', { mode: 'Automatic' })).text).to.contain(refused)
    expect((await create('approved', { mode: 'Manual', approvedRevision: '1f2e3d4c5b' })).text).to.contain(refused)
    expect((await create('by-word', { mode: 'Manual' })).code).to.equal(0)
    expect((await create('by-git', { mode: 'Export' })).code).to.equal(0)
  })

  it('command-by is the author, whatever the request says', async () => {
    const { code, text } = await annotate('bob', 'manual', `${COMMAND}=retry`, `${COMMAND_BY}=alice`)
    expect(code, text).to.equal(0)
    const paused = await shows('manual', 'Paused')
    expect(paused.metadata.annotations?.[COMMAND_BY]).to.equal('bob')
    expect(paused.status?.strategy?.command).to.include({ verb: 'retry', by: 'bob', answer: 'Done' })
  })

  it('command-by goes with the command, whoever removes it', async () => {
    const { code, text } = await annotate('alice', 'manual', `${COMMAND}-`)
    expect(code, text).to.equal(0)
    expect((await place().experimentAt('manual')).metadata.annotations).to.not.have.any.keys(COMMAND, COMMAND_BY)
  })

  it('N32: resume of a run that is held at its promotion needs it, also with the pack', async () => {
    const stops = (paused: boolean) => place().api.patch(place().path('deployments', 'held'), { spec: { paused } })
    await stops(true)
    await says('alice', 'held', 'promote')
    await place().shows('held', 'SourceHoldsBack', ({ status }) => status?.strategy?.stepName === 'promote')
    await says('bob', 'held', 'pause')
    await place().shows('held', 'it is held', ({ status }) => status?.strategy?.held === true)
    await stops(false)
    await mayNot('bob', 'held', 'resume')
    const applied = await plane().kubectl(['apply', '--server-side', '-k', 'manifests/pack'])
    expect(applied.code, applied.stderr).to.equal(0)
    await eventually('the pack to refuse it', DEADLINE_MS, async () => {
      const { code, text } = await annotate('bob', 'held', `${COMMAND}=resume`)
      expect(code, text).to.equal(1)
      expect(text).to.contain("ValidatingAdmissionPolicy 'experiment-deployment-controller'")
      expect(text).to.contain('denied request: needs "patch deployments.apps/held" in namespace "shop"')
    })
    expect(await imageOf('held')).to.equal(FORMER)
    await says('alice', 'held', 'resume')
    await shows('held', 'Promoted')
    expect(await imageOf('held')).to.equal(PROMOTED)
  })

  it('N33: promote counts with the whole revision only, where a policy wants that', async () => {
    const { apiVersion, kind } = EXPERIMENT_POLICY
    const policy = { apiVersion, kind, metadata: { name: 'named' }, spec: { requireRevision: true } }
    await plane().api.create(resourcePath(EXPERIMENT_POLICY), policy)
    const { status } = await place().experimentAt('named')
    const { wholeRevision = '', revision } = status?.strategy ?? {}
    const promotes = (...words: readonly string[]) =>
      annotate('alice', 'named', `${COMMAND}=${['promote', ...words].join(' ')}`)
    await eventually('a refusal', DEADLINE_MS, async () => {
      const { code, text } = await annotate('alice', 'named', `${COMMAND}=promote`, '--dry-run=server')
      expect(code, text).to.equal(1)
      expect(text).to.contain(`must name the revision: promote ${wholeRevision}`)
    })
    expect((await promotes(revision ?? '')).code).to.equal(1)
    const { code, text } = await promotes(wholeRevision)
    expect(code, text).to.equal(0)
    await shows('named', 'Promoted')
    expect(await imageOf('named')).to.equal(PROMOTED)
  })
})
