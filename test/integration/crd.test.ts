import { globSync } from 'node:fs'
import { expect } from 'chai'
import { at, listOr } from '../../common/json/json.ts'
import { ApiError } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { undescribed } from './crd-answers.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'

const RESOURCE = '/apis/experimentcontroller.example.com/v1alpha1'
const CRD =
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/experimentdeployments.experimentcontroller.example.com'

const anExperiment = (name: string, spec: object = {}) => ({
  apiVersion: 'experimentcontroller.example.com/v1alpha1',
  kind: 'ExperimentDeployment',
  metadata: { name },
  spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {}, ...spec },
})

describe('the CRD, by itself', () => {
  const plane = usesControlPlane()
  let namespace = ''
  before('a namespace', async () => {
    namespace = await aNamespace()
  })

  const collection = () => `${RESOURCE}/namespaces/${namespace}/experimentdeployments`
  const create = (name: string, spec?: object, query = '') =>
    plane().api.create(`${collection()}${query}`, anExperiment(name, spec))
  const refusal = (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => 'accepted',
      (error: unknown) => (error instanceof ApiError ? error.message : String(error)),
    )

  it('fills in defaults', async () => {
    expect(at(await create('defaults'), 'spec')).to.include({
      replicas: 1,
      overrideType: 'Merge',
      onSourceChange: 'Follow',
    })
  })

  it('keeps fields of overrideSpec that its schema does not have, nulls included', async () => {
    const overrideSpec = { template: { spec: { affinity: null } } }
    expect(at(await create('kept', { overrideSpec }), 'spec', 'overrideSpec')).to.deep.equal(overrideSpec)
  })

  const refused: Record<string, readonly [spec: object, words: string]> = {
    'a kind that cannot be forked': [{ sourceRef: { kind: 'Pod', name: 'x' } }, 'supported values: "Deployment"'],
    'a namespace that cannot be one': [
      { sourceRef: { kind: 'Deployment', name: 'x', namespace: 'shop.eu' } },
      'spec.sourceRef.namespace',
    ],
    'a name that cannot be one': [{ sourceRef: { kind: 'Deployment', name: '../secrets' } }, 'spec.sourceRef.name'],
    'a negative count': [{ replicas: -1 }, 'spec.replicas'],
    'half a pod': [{ replicas: 1.5 }, 'spec.replicas'],
    'a count in quotes': [{ replicas: '3' }, 'spec.replicas'],
    'a count beyond int32': [{ replicas: 2 ** 31 }, 'spec.replicas'],
    'an override that is a list': [{ overrideSpec: [] }, 'spec.overrideSpec'],
    'no override': [{ overrideSpec: undefined }, 'spec.overrideSpec: Required value'],
    'what comes later': [{ overrideType: 'Other' }, 'supported values: "Merge", "Strategic"'],
  }
  for (const [sentence, [spec, words]] of Object.entries(refused))
    it(`refuses ${sentence}`, async () => expect(await refusal(create('bad', spec))).to.include(words))

  it('refuses a misspelt field with strict field validation, which kubectl uses', async () => {
    const asked = create('bad', { overideSpec: {} }, '?fieldValidation=Strict')
    expect(await refusal(asked)).to.include('unknown field "spec.overideSpec"')
  })

  it('accepts a name of 63 characters and refuses one of 64', async () => {
    expect(await refusal(create('n'.repeat(63)))).to.equal('accepted')
    expect(await refusal(create('n'.repeat(64)))).to.include('metadata.name: must be no more than 63 characters')
  })

  it('never lets the source change', async () => {
    await create('fixed')
    const changed = plane().api.patch(`${collection()}/fixed`, { spec: { sourceRef: { name: 'other' } } })
    expect(await refusal(changed)).to.include('spec.sourceRef: Forbidden: is immutable; delete the experiment')
  })

  it('can be scaled', async () => {
    await create('scaled')
    await plane().api.patch(`${collection()}/scaled/scale`, { spec: { replicas: 3 } })
    expect(at(await plane().api.get(`${collection()}/scaled`), 'spec', 'replicas')).to.equal(3)
  })

  it('is found by its source, its short name and its category', async () => {
    await create('found', { sourceRef: { kind: 'Deployment', name: 'found-me' } })
    for (const name of ['expd', 'expds']) {
      const args = ['get', name, '-n', namespace, '-o', 'name', '--field-selector', 'spec.sourceRef.name=found-me']
      expect((await plane().kubectl(args)).stdout.trim()).to.match(/experimentdeployment\S*\/found$/)
    }
  })

  it('explains every field', async () => {
    const crd = await plane().api.get(CRD)
    const [version] = at(crd, 'spec', 'versions') as readonly unknown[]
    expect([...undescribed(at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec'), 'spec')]).to.deep.equal([])
    expect([...undescribed(at(version, 'schema', 'openAPIV3Schema', 'properties', 'status'), 'status')]).to.deep.equal(
      [],
    )
  })

  it('may be written with the role edit, and read with the role view', async () => {
    await plane().kubectl(['apply', '--server-side', '-f', 'manifests/base/people-roles.yaml'])
    const verbs = async (role: string) => {
      const { rules } = await plane().api.get(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${role}`)
      const isOurs = (rule: unknown) => listOr(at(rule, 'resources')).includes('experimentdeployments')
      const ours = listOr(rules).filter(isOurs)
      if (ours.length === 0) throw new Error(`${role} does not know experiments`)
      return ours.flatMap((rule) => listOr(at(rule, 'verbs')))
    }
    // edit includes the rules of view, and may get these first
    await eventually('edit to gain our rules', 50_000, async () => expect(await verbs('edit')).to.include('create'))
    expect(await eventually('view to gain our rules', 50_000, () => verbs('view'))).to.not.include('create')
  })

  it('comes with manifests that a strict API server accepts', async () => {
    await plane().kubectl(['apply', '--server-side', '-f', 'manifests/base/namespace.yaml'])
    for (const file of globSync('manifests/base/*.yaml').filter((file) => !file.endsWith('kustomization.yaml'))) {
      const { code, stderr } = await plane().kubectl([
        'apply',
        '--server-side',
        '--dry-run=server',
        '--validate=strict',
        '-f',
        file,
      ])
      expect(code, `${file}: ${stderr}`).to.equal(0)
    }
    expect((await plane().kubectl(['kustomize', 'manifests/base'])).code).to.equal(0)
  })
})
