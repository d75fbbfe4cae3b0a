import { expect } from 'chai'
import { parse } from 'yaml'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { at, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { ApiError } from '../../sandbox/api.ts'
import { crds } from '../../sandbox/installation.ts'
import { undescribed } from './crd-answers.ts'
import { usesControlPlane } from './fixture.ts'

const CRD =
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/experimentpolicies.experimentcontroller.example.com'
const STRICT_DRY_RUN = '?fieldValidation=Strict&dryRun=All'

describe('the CRD of policies, by itself', () => {
  const plane = usesControlPlane()

  /**
   * The policy that the API server would store. It is a dry run, because a stored policy would apply to other tests.
   */
  const create = (spec: object) =>
    plane().api.create(`${resourcePath(EXPERIMENT_POLICY)}${STRICT_DRY_RUN}`, {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: 'tried' },
      spec,
    })
  const answer = (spec: object): Promise<string> =>
    create(spec).then(
      () => 'accepted',
      (error: unknown) => (error instanceof ApiError ? error.message : String(error)),
    )

  it('fills in defaults', async () => {
    expect(at(await create({}), 'spec')).to.deep.equal({
      aloneBehindService: 'Allow',
      namespaceSelector: {},
      validationActions: ['Deny'],
      sourceMissing: 'Warn',
    })
  })

  const accepted: Record<string, object> = {
    'every field': {
      namespaceSelector: {
        matchLabels: { team: 'shop' },
        matchExpressions: [
          { key: 'env', operator: 'NotIn', values: ['prod'] },
          { key: 'legacy', operator: 'DoesNotExist' },
        ],
      },
      validationActions: ['Deny', 'Audit'],
      maxReplicas: 3,
      maxShare: '25%',
      maxExperimentsPerSource: 1,
      maxExperimentsPerNamespace: 10,
      maxTTLSeconds: 86400,
      defaultTTLSeconds: 86400,
      allowedOverridePaths: ['template.spec.containers[*].image'],
      deniedOverridePaths: ['**.hostPath'],
      allowedImages: ['registry.example/shop/**'],
      allowSourcesFrom: ['dev'],
      sourceMissing: 'Deny',
    },
    'the bounds of a share': { maxShare: '100%' },
    'lists that allow nothing': { allowedOverridePaths: [], allowedImages: [], allowSourcesFrom: [] },
    'the longest lists of the longest patterns': {
      deniedOverridePaths: Array.from({ length: 64 }, () => '**.'.repeat(82).concat('containers')),
      allowedImages: Array.from({ length: 64 }, (_, index) => `r.example/${index}-`.padEnd(256, 'x')),
    },
  }
  for (const [sentence, spec] of Object.entries(accepted))
    it(`accepts ${sentence}`, async () => expect(await answer(spec)).to.equal('accepted'))

  const refused: Record<string, readonly [spec: object, words: string]> = {
    'Deny with Warn': [{ validationActions: ['Deny', 'Warn'] }, 'Deny and Warn cannot be combined'],
    'an unknown action': [{ validationActions: ['Ban'] }, 'supported values: "Deny", "Warn", "Audit"'],
    'no action at all': [{ validationActions: [] }, 'spec.validationActions'],
    'a default beyond the bound': [
      { defaultTTLSeconds: 7200, maxTTLSeconds: 3600 },
      'must be no more than maxTTLSeconds',
    ],
    'a lifetime of nothing': [{ maxTTLSeconds: 0 }, 'spec.maxTTLSeconds'],
    'a negative count': [{ maxReplicas: -1 }, 'spec.maxReplicas'],
    'no share': [{ maxShare: '0%' }, 'spec.maxShare: Invalid value: "0%": must be "1%" to "100%"'],
    'more than all': [{ maxShare: '101%' }, 'spec.maxShare: Invalid value: "101%": must be "1%" to "100%"'],
    'a share without its sign': [{ maxShare: '25' }, 'must be "1%" to "100%"'],
    'a path that cannot be read': [
      { deniedOverridePaths: ['template', 'template..spec'] },
      'spec.deniedOverridePaths[1]: Invalid value: "template..spec": must be a path such as template.spec',
    ],
    'an allowed path that cannot be read': [{ allowedOverridePaths: ['a['] }, 'spec.allowedOverridePaths[0]'],
    'a path of 257 characters': [{ deniedOverridePaths: ['a'.repeat(257)] }, 'spec.deniedOverridePaths[0]: Too long'],
    '65 paths': [
      { deniedOverridePaths: Array.from({ length: 65 }, (_, index) => `p${index}`) },
      'spec.deniedOverridePaths: Too many',
    ],
    'an image without its registry': [
      { allowedImages: ['nginx'] },
      'spec.allowedImages[0]: Invalid value: "nginx": must begin with a registry host',
    ],
    'a registry with a star': [{ allowedImages: ['*.example/shop/**'] }, 'must begin with a registry host'],
    'a namespace that cannot be one': [{ allowSourcesFrom: ['Dev'] }, 'spec.allowSourcesFrom[0]'],
    'what to do about a missing source, misspelt': [{ sourceMissing: 'Refuse' }, 'supported values: "Warn", "Deny"'],
    'a selector without an operator that is known': [
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Is', values: ['b'] }] } },
      'supported values: "In"',
    ],
    'In without values': [
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      'are only for In and NotIn, which need at least one value',
    ],
    'Exists with values': [
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
      'are only for In and NotIn, which need at least one value',
    ],
    'a misspelt field': [{ maxReplica: 3 }, 'unknown field "spec.maxReplica"'],
  }
  for (const [sentence, [spec, words]] of Object.entries(refused))
    it(`refuses ${sentence}`, async () => expect(await answer(spec)).to.include(words))

  it('is cluster-scoped, has a short name and shows its state in columns', async () => {
    expect((await plane().kubectl(['get', 'expp'])).code).to.equal(0)
    const crd = await plane().api.get(CRD)
    expect(at(crd, 'spec', 'scope')).to.equal('Cluster')
    const [version] = listOr(at(crd, 'spec', 'versions'))
    expect(listOr(at(version, 'additionalPrinterColumns')).map((column) => at(column, 'name'))).to.deep.equal([
      'Experiments',
      'Violations',
      'Actions',
      'Valid',
      'Age',
      'MaxReplicas',
      'MaxShare',
      'MaxTTL',
    ])
  })

  it('explains every field', async () => {
    const [version] = listOr(at(await plane().api.get(CRD), 'spec', 'versions'))
    const schema = at(version, 'schema', 'openAPIV3Schema', 'properties')
    for (const part of ['spec', 'status']) expect([...undescribed(at(schema, part), part)]).to.deep.equal([])
    const { stdout } = await plane().kubectl(['explain', 'expp.spec.deniedOverridePaths'])
    expect(stdout).to.include('that the source already has is no violation')
  })

  it('comes with policies that a strict API server accepts', async () => {
    const args = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-k', 'manifests/policies']
    const { code, stdout, stderr } = await plane().kubectl(args)
    expect(code, stderr).to.equal(0)
    expect(stdout).to.include('/restricted serverside-applied')
  })

  it('is installed by the sandbox, as every CRD is', async () => {
    const names = (await crds()).map((text) => at(parse(text), 'spec', 'names', 'plural'))
    expect(names).to.deep.equal([
      'experimentdeployments',
      'experimentpolicies',
      'experimentanalysisproviders',
      'experimentanalysisruns',
      'experimentanalysistemplates',
      'clusterexperimentanalysistemplates',
    ])
  })
})
