import { expect } from 'chai'
import { decodeRun } from '../../common/analysis/kinds/run.ts'
import { decodeTemplate } from '../../common/analysis/kinds/template.ts'
import {
  ANALYSIS_PROVIDER,
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  CLUSTER_ANALYSIS_TEMPLATE,
} from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { forbidden, HEALTH, invalid, latency, times } from './analysis-manifests.ts'
import { undescribed, usesKind } from './crd-answers.ts'
import { usesControlPlane } from './fixture.ts'

const ALL = [ANALYSIS_PROVIDER, ANALYSIS_RUN, ANALYSIS_TEMPLATE, CLUSTER_ANALYSIS_TEMPLATE]
const RUN = {
  experiment: { name: 'faster-cart', uid: 'u', generation: 3 },
  subject: '0123456789',
  ...{ attempt: 1, control: 'Source', alpha: 0.025, beta: 0.05, minSamples: 50 },
  metrics: [{ ...HEALTH, dryRun: false }],
}

describe('the kinds of an analysis, by themselves', () => {
  const plane = usesControlPlane()
  const crds = {
    template: usesKind(ANALYSIS_TEMPLATE, { namespace: 'default' }),
    clusterTemplate: usesKind(CLUSTER_ANALYSIS_TEMPLATE),
    run: usesKind(ANALYSIS_RUN, { namespace: 'default' }),
  }

  const refused: Readonly<Record<string, readonly [of: keyof typeof crds, spec: object, words: readonly string[]]>> = {
    'a template without metrics': [
      'template',
      { metrics: [] },
      ['spec.metrics: Invalid value: 0: spec.metrics in body should have at least 1 items'],
    ],
    'a template with a wrong metric': [
      'clusterTemplate',
      { metrics: [{ ...HEALTH, tolerancePercent: 1 }] },
      forbidden('spec.metrics[0].tolerancePercent', 'is only for Latency, ErrorRate, Ratio and Value; remove it'),
    ],
    'an arg that is there twice': [
      'template',
      { args: [{ name: 'a' }, { name: 'a', value: 'b' }], metrics: [HEALTH] },
      ['spec.args[1]: Duplicate value'],
    ],
    'an arg whose default ends a text': [
      'template',
      { args: [{ name: 'a', value: '"' }], metrics: [HEALTH] },
      invalid('spec.args[0].value', 'must be letters, digits and _./:@=+,- and spaces, at most 253'),
    ],
    '17 args': [
      'template',
      { args: times(17, (index) => ({ name: `a${index}` })), metrics: [HEALTH] },
      ['spec.args: Too many: 17: must have at most 16 items'],
    ],
    'an analysis run without its experiment': [
      'run',
      { ...RUN, experiment: undefined },
      ['spec.experiment: Required value'],
    ],
  }
  for (const [sentence, [of, spec, words]] of Object.entries(refused))
    it(`refuse ${sentence}`, async () => {
      const said = await crds[of].answerTo(spec)
      for (const each of words) expect(said, said).to.include(each)
    })

  for (const kind of ['template', 'clusterTemplate'] as const)
    it(`accept a ${kind}, and the programs decode it`, async () => {
      const matchers = ['route="{{args.route}}"']
      const spec = {
        args: [{ name: 'route' }, { name: 'code', value: '5..' }],
        metrics: [latency({ prometheus: { histogram: 'h', matchers } }), HEALTH],
      }
      expect(decodeTemplate(await crds[kind].stored(spec)))
        .to.deep.include({ is: 'template' })
        .and.to.have.nested.property('template.spec')
        .that.deep.equals(spec)
    })

  describe('an analysis run', () => {
    const place = { namespace: 'default', name: 'kept' }
    const path = resourcePath(ANALYSIS_RUN, place)
    const patch = (body: object, subresource?: 'status'): Promise<KubeObject> =>
      plane().api.patch(resourcePath(ANALYSIS_RUN, { ...place, ...(subresource ? { subresource } : {}) }), body)

    before(async () => {
      const { apiVersion, kind } = ANALYSIS_RUN
      const metadata = { name: place.name }
      await plane().api.create(resourcePath(ANALYSIS_RUN, { namespace: place.namespace }), {
        apiVersion,
        kind,
        metadata,
        spec: RUN,
      })
    })
    after(() => plane().api.delete(path))

    it('never changes', async () => {
      const said = await patch({ spec: { alpha: 0.05 } }).then(
        () => 'accepted',
        (error: unknown) => String(error),
      )
      expect(said).to.include('spec: Forbidden: is immutable; delete the analysis run')
    })

    it('keeps its evidence bit by bit, and shows it in columns', async () => {
      const since = new Date().toISOString()
      const state = [0.1, 5e-324, Number.MAX_VALUE, 1 / 3, -2, ...times(995, (index) => Math.fround(Math.sin(index)))]
      const metric = { name: 'health', verdict: 'Wait', reason: 'NoTraffic', since, state }
      await patch(
        {
          status: {
            ...{ verdict: 'Wait', reason: 'NoTraffic', message: 'm', since, looks: 2, requests: 20 },
            windows: { counted: 1, empty: 1, unusable: 0, skipped: 0 },
            metrics: [metric],
          },
        },
        'status',
      )
      const decoded = decodeRun(await plane().api.get(path))
      expect(decoded.is === 'run' && decoded.run.status?.metrics).to.deep.equal([metric])
      const { stdout } = await plane().kubectl(['get', 'expdrun', 'kept', '-n', 'default'])
      const [head = '', row = ''] = stdout.trim().split('\n')
      const columns = ['NAME', 'EXPERIMENT', 'VERDICT', 'LOOKS', 'REQUESTS', 'SINCE', 'AGE', 'MESSAGE']
      expect(head.split(/\s+/)).to.deep.equal(columns)
      expect(row.split(/\s+/).slice(0, 5)).to.deep.equal(['kept', 'faster-cart', 'Wait', '2', '20'])
    })

    it('takes no more numbers than it may', async () => {
      const said = await patch({ status: { metrics: [{ state: times(1_001, () => 0) }] } }, 'status').then(
        () => 'accepted',
        (error: unknown) => String(error),
      )
      expect(said).to.include('status.metrics[0].state: Too many: 1001: must have at most 1000 items')
    })
  })

  it('come with templates that a strict API server accepts', async () => {
    const args = [
      'apply',
      '--server-side',
      '--dry-run=server',
      '--validate=strict',
      '-k',
      'manifests/analysis-templates',
    ]
    const { code, stdout, stderr } = await plane().kubectl(args)
    expect(code, stderr).to.equal(0)
    for (const name of ['http', 'istio', 'gated-deployments']) expect(stdout).to.include(`/${name} serverside-applied`)
  })

  for (const { kind, plural } of ALL)
    it(`explain every field of ${kind}`, async () => {
      const crd = await plane().api.get(
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.experimentcontroller.example.com`,
      )
      const [version] = listOr(at(crd, 'spec', 'versions'))
      const schema = at(version, 'schema', 'openAPIV3Schema', 'properties')
      for (const part of ['spec', ...(plural === ANALYSIS_RUN.plural ? ['status'] : [])])
        expect([...undescribed(at(schema, part), part)]).to.deep.equal([])
    })

  it('explain themselves by their short names', async () => {
    const explained = async (field: string) => (await plane().kubectl(['explain', field])).stdout.replace(/\s+/g, ' ')
    expect(await explained('expdprov.spec.credential')).to.contain('The name of a file of the Secret')
    expect(await explained('expdtmpl.spec.args')).to.contain('The metrics use {{args.NAME}}.')
    expect(await explained('cexpdtmpl.spec.metrics')).to.contain('Each needs a name of its own.')
    expect(await explained('expdrun.status.metrics.harm')).to.contain('worse than tolerated')
  })
})
