import { expect } from 'chai'
import { isAnalysisStatus, malformed } from '../../../../common/api/analysis/decode.ts'
import { ANALYSIS } from '../../../../common/api/analysis/structures.ts'
import { picked } from '../../../../common/json/conform.ts'

const malformedAnalysis = (value: unknown) => malformed(value, ANALYSIS, 'spec.analysis')
const analysisIn = (value: unknown) => picked(value, ANALYSIS)

const METRIC = { name: 'latency', kind: 'Latency', provider: 'p', prometheus: { histogram: 'h', matchers: ['a="b"'] } }
const withMetric = (of: object) => ({ metrics: [METRIC, { ...METRIC, ...of }] })

describe('an analysis of a manifest', () => {
  const sound: Readonly<Record<string, object>> = {
    'without anything': {},
    'with null in place of members': { metrics: null, templates: null, alpha: null },
    'with members that this version does not know': { more: {}, ...withMetric({ more: 1 }) },
    'with templates': { templates: [{ name: 'a', scope: 'Cluster', args: { route: '/cart', none: '' } }] },
    'with every block': { metrics: [{ ...METRIC, newRelic: {}, web: { path: '/', pointers: {} }, plugin: {} }] },
  }
  for (const [sentence, value] of Object.entries(sound))
    it(`is one ${sentence}`, () => expect(malformedAnalysis(value)).to.deep.equal([]))

  const wrong: Readonly<Record<string, readonly [value: unknown, field: string, expected: string]>> = {
    'that is none': ['all', 'spec.analysis', 'an object'],
    'with metrics that are no list': [{ metrics: {} }, 'spec.analysis.metrics', 'a list of 0 to 8 items'],
    'with a metric that is none': [{ metrics: ['latency'] }, 'spec.analysis.metrics[0]', 'an object'],
    'with a metric without a name': [
      withMetric({ name: null }),
      'spec.analysis.metrics[1].name',
      'a name of lower-case letters, digits and -',
    ],
    'with an unknown kind': [
      withMetric({ kind: 'Guess' }),
      'spec.analysis.metrics[1].kind',
      'Latency or ErrorRate or Ratio or Value or Health or Threshold or MannWhitney or Decision',
    ],
    'with a provider that is no name': [
      withMetric({ provider: '../a' }),
      'spec.analysis.metrics[1].provider',
      'the name of an object',
    ],
    'with a matcher that is more than one': [
      withMetric({ prometheus: { matchers: ['a="b"', 'a="b",c="d"'] } }),
      'spec.analysis.metrics[1].prometheus.matchers[1]',
      'a matcher, such as route="/cart"',
    ],
    'with a condition that is more than one': [
      withMetric({ newRelic: { errors: "error is true' OR 'a' = 'a" } }),
      'spec.analysis.metrics[1].newRelic.errors',
      'a condition, such as error is true',
    ],
    'with a path that goes elsewhere': [
      withMetric({ web: { path: 'https://evil', pointers: {} } }),
      'spec.analysis.metrics[1].web.path',
      'a path, such as /v1/stats',
    ],
    'with a pointer that is none': [
      withMetric({ web: { path: '/', pointers: { value: '/a~2' } } }),
      'spec.analysis.metrics[1].web.pointers.value',
      'a JSON pointer, such as /data/durations',
    ],
    'with an arg that ends a text': [
      { templates: [{ name: 'a', args: { b: '"' } }] },
      'spec.analysis.templates[0].args.b',
      'letters, digits and _./:@=+,- and spaces, at most 253',
    ],
    'with an alpha of 0': [{ alpha: 0 }, 'spec.analysis.alpha', 'a number from 0.0001 to 0.2'],
    'with half an attempt': [{ attempt: 1.5 }, 'spec.analysis.attempt', 'a whole number from 1 to 2147483647'],
    'with a text that says yes': [{ continueAfterPass: 'yes' }, 'spec.analysis.continueAfterPass', 'true or false'],
  }
  for (const [sentence, [value, field, expected]] of Object.entries(wrong))
    it(`is none ${sentence}`, () =>
      expect(malformedAnalysis(value)).to.deep.equal([
        { field, message: `must be ${expected}`, cause: 'FieldValueTypeInvalid' },
      ]))

  it('has only the members that we use, and none that is null', () =>
    expect(
      analysisIn({ metrics: [{ ...METRIC, dryRun: null, more: 1 }], templates: null, alpha: 0.1, more: 1 }),
    ).to.deep.equal({ metrics: [METRIC], alpha: 0.1 }))
})

describe('the analysis of a status', () => {
  const STATUS = { verdict: 'Wait', reason: 'NoTraffic', message: 'm', since: '2026-11-21T14:05:00Z', attempt: 1 }
  const whole = { ...STATUS, run: 'r', metrics: [{ name: 'latency', verdict: 'Pass' }] }

  it('is one as we write it', () => {
    expect(isAnalysisStatus(STATUS)).to.equal(true)
    expect(isAnalysisStatus(whole)).to.equal(true)
  })

  it('is none with a member of another type', () => {
    for (const wrong of [{ verdict: 'Maybe' }, { since: 'now' }, { attempt: '1' }, { metrics: [{ name: 'latency' }] }])
      expect(isAnalysisStatus({ ...whole, ...wrong })).to.equal(false)
  })
})
