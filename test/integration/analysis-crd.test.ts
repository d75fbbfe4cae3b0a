import { expect } from 'chai'
import { at, listOr } from '../../common/json/json.ts'
import { analysis, invalid, latency, metrics, times } from './analysis-manifests.ts'
import { testsOfCrd, usesCrd } from './crd-answers.ts'
import { usesControlPlane } from './fixture.ts'

const ACCEPTED: Readonly<Record<string, object>> = {
  'nothing in it': analysis(),
  'null in place of every list': analysis({ metrics: null, templates: null, maxSeconds: null }),
  '8 metrics': metrics(...times(8, (index) => latency({ name: `m${index}` }))),
  '4 templates, two of one name': analysis({
    templates: [
      { name: 'http', scope: 'Cluster', args: { route: '/cart', 'a-b_c': '' } },
      { name: 'http' },
      { name: 'b' },
      { name: 'c.d' },
    ],
  }),
  'the least of all numbers': analysis({
    ...{ intervalSeconds: 10, warmUpSeconds: 0, maxSeconds: 10, noDataSeconds: 10 },
    ...{ minSamples: 1, alpha: 0.0001, beta: 0.0001, attempt: 1 },
  }),
  'the most of all numbers': analysis({
    ...{ intervalSeconds: 3_600, warmUpSeconds: 3_600, maxSeconds: 31_536_000, noDataSeconds: 3_600 },
    ...{ minSamples: 1_000_000_000, alpha: 0.2, beta: 0.2, attempt: 2_147_483_647 },
  }),
  'every word': analysis({ control: 'Twin', onTimeout: 'Promote', onNoData: 'Keep', continueAfterPass: true }),
}

const REFUSED: Readonly<Record<string, readonly [spec: object, words: readonly string[]]>> = {
  'a control that there is not': [
    analysis({ control: 'Other' }),
    ['spec.analysis.control: Unsupported value: "Other": supported values: "Source", "Twin"'],
  ],
  'two metrics of one name': [metrics(latency(), latency()), ['spec.analysis.metrics[1]: Duplicate value']],
  '9 metrics': [
    metrics(...times(9, (index) => latency({ name: `m${index}` }))),
    ['spec.analysis.metrics: Too many: 9: must have at most 8 items'],
  ],
  'only metrics that do not count': [
    metrics(latency({ dryRun: true })),
    invalid(
      'spec.analysis.metrics',
      'every metric is a dry run, so nothing counts; set dryRun of one of them to false',
    ),
  ],
  '5 templates': [
    analysis({ templates: times(5, (index) => ({ name: `t${index}` })) }),
    ['spec.analysis.templates: Too many: 5: must have at most 4 items'],
  ],
  'a template twice': [
    analysis({ templates: [{ name: 'a' }, { name: 'a', scope: 'Namespace' }] }),
    ['spec.analysis.templates[1]: Duplicate value'],
  ],
  'an arg that ends a text': [
    analysis({ templates: [{ name: 'a', args: { route: '"} or up' } }] }),
    invalid('spec.analysis.templates[0].args[route]', 'must be letters, digits and _./:@=+,- and spaces, at most 253'),
  ],
  'an arg that is a placeholder': [
    analysis({ templates: [{ name: 'a', args: { route: '{{pods}}' } }] }),
    invalid('spec.analysis.templates[0].args[route]', 'must be letters, digits'),
  ],
  'an arg with a name that is none': [
    analysis({ templates: [{ name: 'a', args: { 'a.b': 'c' } }] }),
    invalid('spec.analysis.templates[0].args', 'the name of an arg has letters, digits, _ and - only; correct it'),
  ],
  'windows of 9 s': [analysis({ intervalSeconds: 9 }), ['spec.analysis.intervalSeconds: Invalid value: 9: ']],
  'windows of more than an hour': [
    analysis({ intervalSeconds: 3_601, noDataSeconds: 3_601 }),
    ['spec.analysis.intervalSeconds: Invalid value: 3601: '],
  ],
  'windows that are longer than the patience': [
    analysis({ intervalSeconds: 601 }),
    invalid('spec.analysis.noDataSeconds', 'must not be less than intervalSeconds, the length of a window; raise it'),
  ],
  'windows that are longer than the analysis': [
    analysis({ maxSeconds: 29 }),
    invalid('spec.analysis.maxSeconds', 'must not be less than intervalSeconds'),
  ],
  'alpha 0': [analysis({ alpha: 0 }), invalid('spec.analysis.alpha', 'must be 0.0001 to 0.2; raise it')],
  'alpha 0.3': [analysis({ alpha: 0.3 }), ['spec.analysis.alpha: Invalid value: 0.3: ']],
  'attempt 0': [analysis({ attempt: 0 }), ['spec.analysis.attempt: Invalid value: 0: ']],
  'a promotion without data': [
    analysis({ onNoData: 'Promote' }),
    ['spec.analysis.onNoData: Unsupported value: "Promote": supported values: "RollBack", "Keep"'],
  ],
  'a misspelt member': [analysis({ intervall: 30 }), ['unknown field "spec.analysis.intervall"']],
}

describe('an analysis in the CRD, by itself', () => {
  const plane = usesControlPlane()
  const crd = usesCrd()

  testsOfCrd(ACCEPTED, REFUSED, 'analysis')

  it('has every default that depends on nothing else', async () =>
    expect((await crd.stored(analysis({ templates: [{ name: 'a' }] }))).spec)
      .to.have.property('analysis')
      .that.deep.equals({
        ...{ templates: [{ name: 'a', scope: 'Namespace' }], control: 'Source', alpha: 0.025, beta: 0.05 },
        ...{ intervalSeconds: 30, warmUpSeconds: 60, noDataSeconds: 600, minSamples: 50, attempt: 1 },
        ...{ onTimeout: 'RollBack', onNoData: 'RollBack', continueAfterPass: false },
      }))

  it('shows its verdict behind the step', async () => {
    const columns = await plane().api.get(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/experimentdeployments.experimentcontroller.example.com',
    )
    const [version] = listOr(at(columns, 'spec', 'versions'))
    const names = listOr(at(version, 'additionalPrinterColumns')).map((column) => at(column, 'name'))
    expect(names.slice(names.indexOf('Step'), names.indexOf('Step') + 2)).to.deep.equal(['Step', 'Verdict'])
  })

  it('explains itself', async () => {
    const explained = async (field: string) =>
      (await plane().kubectl(['explain', `expd.spec.analysis${field}`])).stdout.replace(/\s+/g, ' ')
    expect(await explained('')).to.contain('Whether the fork is worse than the source, by metrics, and what follows.')
    expect(await explained('.metrics')).to.contain('tolerancePercent <number> So much worse is no harm.')
    expect(await explained('.metrics.prometheus.matchers')).to.contain('Which series count, such as route="/cart".')
    expect(await explained('.onTimeout')).to.contain('RollBack takes the pods of the fork away.')
  })
})
