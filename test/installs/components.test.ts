import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { crds, install, SYSTEM_NAMESPACE, WITH_ANALYSIS, WITH_CUT_OVER, WITH_GATE } from '../../sandbox/installation.ts'
import { anOverlay } from '../clusters/overlay.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { aSource, placeAt } from '../integration/product.ts'

/** What each optional component sets in both programs. */
const VARIABLES = { promotion: 'PROMOTION', gate: 'GATE', 'cut-over': 'CUT_OVER', analysis: 'ANALYSIS' } as const
const OPTIONAL = ['promotion', 'gate', 'cut-over'] as const
const ALL = [...OPTIONAL, 'analysis'] as const

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const ACCOUNT_POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/experiment-controller-account'

/** Every order of `names`. */
const orders = (names: readonly string[]): readonly (readonly string[])[] =>
  names.length === 0
    ? [[]]
    : names.flatMap((first) => orders(names.filter((name) => name !== first)).map((rest) => [first, ...rest]))

/** Where ../beside may be: behind ../namespaced. */
const POSSIBLE = orders(['namespaced', 'beside', ...OPTIONAL]).filter(
  (names) => names.indexOf('namespaced') < names.indexOf('beside'),
)

/** Lists whose order means nothing are sorted. */
const sorted = (values: unknown): readonly string[] =>
  listOr(values)
    .map((value) => JSON.stringify(value))
    .sort()

describe('the optional components of an installation', () => {
  const plane = usesOwnControlPlane()

  /** The objects of an installation for the namespace "bank" beside another one. */
  async function built(components: readonly string[], resources = ['base']): Promise<readonly KubeObject[]> {
    const watch = { namespace: 'bank', installation: 'experiments-bank' }
    // ../default has the analysis already
    return builtFrom(await anOverlay({ resources, components: ['cert-manager', ...components], watch }))
  }
  async function builtFrom(folder: string): Promise<readonly KubeObject[]> {
    const { stdout, stderr } = await plane().kubectl(['kustomize', folder])
    expect(stderr).to.equal('')
    return parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
  }
  const variables = (of: KubeObject) => sorted(at(listOr(at(of, 'spec', 'template', 'spec', 'containers'))[0], 'env'))

  /** The objects, with the lists sorted to which components add. */
  const inOrder = (objects: readonly KubeObject[]) =>
    objects
      .map((object) =>
        object.kind === 'Deployment'
          ? { ...object, spec: variables(object) }
          : object.rules
            ? { ...object, rules: sorted(object.rules) }
            : object,
      )
      .map((object) => JSON.stringify(object))
      .sort()

  it('are the same in every order', async function () {
    this.timeout(180_000)
    const [first = [], ...others] = POSSIBLE
    expect(others).to.have.lengthOf(59)
    const expected = inOrder(await built(first))
    for (const components of others) expect(inOrder(await built(components)), components.join()).to.deep.equal(expected)
  })

  it('are the same wherever the analysis is among them', async () => {
    const [others = []] = POSSIBLE
    const [first = [], ...more] = [...others, ''].map((_, index) => others.toSpliced(index, 0, 'analysis'))
    expect(more).to.have.lengthOf(5)
    const expected = inOrder(await built(first))
    for (const components of more) expect(inOrder(await built(components)), components.join()).to.deep.equal(expected)
  })

  it('each set their variable in both programs, and no other', async () => {
    for (const [component, variable] of Object.entries(VARIABLES)) {
      const programs = (await built(['namespaced', component, 'beside'])).filter(({ kind }) => kind === 'Deployment')
      expect(programs).to.have.lengthOf(2)
      for (const program of programs) {
        const set = variables(program).filter((text) => text.includes('"enabled"'))
        expect(set).to.deep.equal([JSON.stringify({ name: variable, value: 'enabled' })])
      }
    }
  })

  it('give each variable, volume and mount once, also beside ../default, which has the analysis', async () => {
    const objects = await builtFrom(await anOverlay({ resources: ['default'], components: ['analysis'] }))
    for (const { spec } of objects.filter(({ kind }) => kind === 'Deployment')) {
      const pod = at(spec, 'template', 'spec')
      const container = listOr(at(pod, 'containers'))[0]
      for (const list of [at(pod, 'volumes'), at(container, 'volumeMounts'), at(container, 'env')]) {
        const names = listOr(list).map((each) => at(each, 'name'))
        expect(names).to.deep.equal([...new Set(names)])
      }
    }
  })

  it('give their permissions in the one namespace only, to the account of their own installation', async () => {
    const objects = await built([...ALL, 'namespaced', 'beside'])
    const found = objects.filter(({ metadata: { name } }) => name.startsWith('experiment-controller-components'))
    expect(found.map(({ kind, metadata: { namespace } }) => `${kind} in ${namespace}`)).to.deep.equal([
      'Role in bank',
      'RoleBinding in bank',
    ])
    const [role, binding] = found
    expect(listOr(role?.rules)).to.have.lengthOf(11)
    expect(binding?.roleRef).to.deep.include({ kind: 'Role', name: 'experiment-controller-components' })
    for (const { metadata, subjects } of objects.filter(({ kind }) => kind.endsWith('RoleBinding')))
      for (const subject of listOr(subjects))
        expect(at(subject, 'namespace'), metadata.name).to.be.oneOf(['experiments-bank', undefined])
    expect(binding?.subjects).to.have.lengthOf(1)
  })

  it('let OpenShift choose the user of each program, which is still not root', async () => {
    const programs = (await built(['openshift'])).filter(({ kind }) => kind === 'Deployment')
    const contexts = programs.map(({ spec }) => at(spec, 'template', 'spec', 'securityContext'))
    const context = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
    expect(contexts).to.deep.equal([context, context])
  })

  it('let alerts look for the programs of their own installation', async () => {
    const found = await built(['namespaced', 'beside'], ['base', 'monitoring'])
    const [rules] = found.filter(({ kind }) => kind === 'PrometheusRule')
    const absent = [...JSON.stringify(rules).matchAll(/absent\(\w+\{namespace=\\"([\w-]+)/g)]
    expect(absent.map(([, namespace]) => namespace)).to.deep.equal(['experiments-bank', 'experiments-bank'])
  })

  it('change the policy about the account of their own installation', async () => {
    const objects = await built(['namespaced', 'beside', ...OPTIONAL])
    const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    const account = policies.find(({ metadata: { name } }) => name === 'experiment-controller-account-bank')
    expect(JSON.stringify(account)).to.contain('and sources by a promotion').and.to.contain('experiments-bank:')
  })
})

describe('the manifests with components, in a cluster of their own', () => {
  const plane = usesOwnControlPlane()

  async function isAccepted(folder: string, flags: readonly string[]): Promise<void> {
    const { code, stderr } = await plane().kubectl(['apply', '-k', folder, ...flags])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' }) // neither a refusal nor a warning
  }
  /** The components that each program has. */
  async function installed(): Promise<readonly (readonly string[])[]> {
    const path = `/apis/apps/v1/namespaces/${SYSTEM_NAMESPACE}/deployments`
    const programs = (await plane().api.list<KubeObject>(path)).map((found) => JSON.stringify(found))
    const isIn = (text: string) => (name: keyof typeof VARIABLES) => text.includes(`"${VARIABLES[name]}"`)
    return programs.map((text) => ALL.filter(isIn(text)))
  }
  const rules = async () =>
    listOr((await plane().api.get(`${RBAC}/clusterroles/experiment-controller-components`)).rules).length
  const allowsSources = async () =>
    JSON.stringify((await plane().api.get(ACCOUNT_POLICY)).spec).includes('and sources by a promotion')

  for (const [components, expected] of [
    [['promotion'], 3],
    [['promotion', 'gate', 'cut-over'], 7],
    [['analysis'], 5],
  ] as const)
    it(`are accepted with ${components.join(', ')}, in any way, and without it again`, async () => {
      const [without, overlay] = [
        await anOverlay({ resources: ['script-certs'] }),
        await anOverlay({ resources: ['script-certs'], components }),
      ]
      for (const flags of [['--validate=strict'], ['--server-side', '--validate=strict'], []]) {
        await isAccepted(overlay, flags)
        expect(await installed()).to.deep.equal([components, components])
        expect(await rules()).to.equal(expected)
        expect(await allowsSources()).to.equal(components.some((each) => each === 'promotion'))
        await isAccepted(without, flags)
        expect(await installed()).to.deep.equal([[], []])
        expect(await rules()).to.equal(1)
        expect(await allowsSources()).to.equal(false)
      }
    })
})

const GATED = { traffic: { mode: 'Gated' }, strategy: { canary: { steps: [{ pause: {} }] } } }
const ANALYSED = { analysis: { templates: [{ name: 'http', scope: 'Cluster' }] } }

for (const [installed, overlay, spec, answer] of [
  ['no component', undefined, GATED, 'this installation has no component "gate"'],
  ['no component', undefined, ANALYSED, 'spec.analysis: this installation has no component "analysis"'],
  ['the component gate', WITH_GATE, GATED, 'created (server dry run)'],
  ['all components that write', WITH_CUT_OVER, GATED, 'created (server dry run)'],
  [
    'the component analysis',
    WITH_ANALYSIS,
    ANALYSED,
    '[AnalysisNotReady] there is no clusterexperimentanalysistemplate/http yet',
  ],
] as const)
  describe(`an installation with ${installed}`, () => {
    const plane = usesOwnControlPlane(crds)

    it(`answers to an experiment with ${Object.keys(spec)[0]}: ${answer}`, async function () {
      this.timeout(180_000)
      await install(plane(), overlay === undefined ? {} : { overlay })
      await aSource(placeAt(plane().api, plane().kubectl, 'default'), 'cart', { replicas: 1 })
      const input = JSON.stringify({
        apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
        kind: EXPERIMENT_DEPLOYMENT.kind,
        metadata: { name: 'asked-about' },
        spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {}, ...spec },
      })
      const { stdout, stderr } = await plane().kubectl(['create', '--dry-run=server', '-f', '-'], { input })
      expect(`${stdout}${stderr}`).to.contain(answer)
    })
  })
