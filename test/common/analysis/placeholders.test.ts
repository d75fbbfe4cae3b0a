import { expect } from 'chai'
import fc from 'fast-check'
import { filled, type Language, placeholderErrors } from '../../../common/analysis/placeholders.ts'
import { ARG_VALUE_PATTERN } from '../../../common/api/analysis/patterns.ts'
import { LAW } from '../../property.ts'

const ARGS = ['route']

describe('placeholders', () => {
  const sound: readonly (readonly [language: Language, text: string])[] = [
    ['PromQL', 'up'],
    ['PromQL', 'avg(q{pod=~"{{pods}}",arm="{{arm}}",ns="{{namespace}}",w="{{workload}}",r="{{args.route}}"})'],
    ['PromQL', 'rate(q{pod="a \\" b {{pods}}"}[{{windowSeconds}}s])'],
    ['PromQL', 'q offset {{windowSeconds}}s'],
    ['PromQL', 'q{a=\'"\',b=`"`,c="{{pods}}"} # it\'s "this"\n + q{d="{{pods}}"}'],
    ['PromQL', 'q{a=`\\`,b="{{pods}}"}'],
    ['NRQL', "SELECT count(*) WHERE host RLIKE '{{pods}}' AND \"a'\" = `b'` AND c = 'it\\'s {{arm}}'"],
    ['NRQL', "SELECT 1 -- don't\nWHERE a = '{{arm}}' // don't\n AND /* don't */ b = '{{pods}}'"],
    ['NRQL', 'COMPARE WITH {{windowSeconds}} seconds ago'],
    ['Path', '/{{pods}}/{{args.route}}/{{windowSeconds}}'],
    ['Plain', '"{{pods}} {{windowSeconds}}'],
    ['Path', '/{{windowStart}}/{{windowEnd}}'],
    ['Plain', '{{windowStart}}-{{windowEnd}}'],
  ]
  for (const [language, text] of sound)
    it(`may stand so in ${language}: ${text}`, () => expect(placeholderErrors(text, language, ARGS)).to.deep.equal([]))

  const DOUBLE = '{{pods}}: must stand in double quotes; put it there'
  const SINGLE = '{{pods}}: must stand in single quotes; put it there'
  const SECONDS = '{{windowSeconds}}: is a duration outside of quotes; write '
  const VALID =
    '{{arm}} {{pods}} {{namespace}} {{workload}} {{windowSeconds}} {{windowStart}} {{windowEnd}} {{args.route}}'
  const wrong: readonly (readonly [language: Language, text: string, words: string])[] = [
    ['PromQL', 'q{{{pods}}}', `"{{" begins a placeholder; valid ones: ${VALID}`],
    ['PromQL', '{{pods}}', DOUBLE],
    ['PromQL', "q{a='{{pods}}'}", DOUBLE],
    ['PromQL', 'q{a=`{{pods}}`}', DOUBLE],
    ['PromQL', 'q # "{{pods}}"', DOUBLE],
    ['PromQL', 'q{a="b\\\\"} {{pods}} "', DOUBLE],
    ['PromQL', 'q{a=`\\`} {{pods}} `', DOUBLE],
    ['PromQL', 'q{a="{{windowSeconds}}s"}', `${SECONDS}[{{windowSeconds}}s]`],
    ['PromQL', 'q * {{windowSeconds}}', `${SECONDS}[{{windowSeconds}}s]`],
    ['PromQL', 'q @ {{windowEnd}}', '{{windowEnd}}: must stand in double quotes; put it there'],
    ['PromQL', 'q[1{{windowSeconds}}s]', `${SECONDS}[{{windowSeconds}}s]`],
    ['PromQL', 'q{a="{{pod}}"}', `{{pod}}: no such placeholder; valid ones: ${VALID}`],
    ['PromQL', 'q{a="{{ pods }}"}', `"{{" begins a placeholder; valid ones: ${VALID}`],
    ['PromQL', 'q{a="{{args.{{arm}}}}"}', `"{{" begins a placeholder; valid ones: ${VALID}`],
    ['PromQL', 'q{a="{{args.path}}"}', '{{args.path}}: the template has no such arg; add it to spec.args'],
    ['NRQL', 'SELECT 1 WHERE a = "{{pods}}"', SINGLE],
    ['NRQL', "SELECT 1 -- '{{pods}}'", SINGLE],
    ['NRQL', "SELECT 1 /* '{{pods}}' */", SINGLE],
    ['NRQL', 'SINCE {{windowSeconds}} minutes ago', `${SECONDS}{{windowSeconds}} seconds`],
    ['Path', '/{{nothing}}', `{{nothing}}: no such placeholder; valid ones: ${VALID}`],
  ]
  for (const [language, text, words] of wrong)
    it(`may not stand so in ${language}: ${text}`, () =>
      expect(placeholderErrors(text, language, ARGS)).to.include(words))

  it('have no args outside of templates', () =>
    expect(placeholderErrors('"{{args.route}}"', 'PromQL', undefined)).to.deep.equal([
      '{{args.route}}: only templates have args; write the value itself',
    ]))

  it('are refused one by one', () =>
    expect(placeholderErrors('{{pods}} {{pods}}', 'PromQL', [])).to.deep.equal([DOUBLE, DOUBLE]))
})

describe('filled', () => {
  const values = { pods: 'a|b', 'args.route': '/it\'s "x"\\', arm: '{{pods}}' }

  it('writes a value so that it stays one', () => {
    expect(filled('"{{pods}} {{args.route}}"', 'PromQL', values)).to.equal('"a|b /it\'s \\"x\\"\\\\"')
    expect(filled("'{{args.route}}'", 'NRQL', values)).to.equal("'/it\\'s \"x\"\\\\'")
    expect(filled('/{{args.route}}', 'Path', values)).to.equal("/%2Fit's%20%22x%22%5C")
    expect(filled('{{args.route}}', 'Plain', values)).to.equal('/it\'s "x"\\')
  })

  it('fills in once, and keeps what it has no value for', () =>
    expect(filled('{{arm}} {{pods}} {{workload}} {{toString}}', 'Plain', values)).to.equal(
      '{{pods}} a|b {{workload}} {{toString}}',
    ))

  it('never lets the value of an arg leave its quotes', () =>
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(ARG_VALUE_PATTERN)), (value) => {
        expect(JSON.parse(filled('"{{args.a}}"', 'PromQL', { 'args.a': value }))).to.equal(value)
        expect(filled("'{{args.a}}'", 'NRQL', { 'args.a': value })).to.equal(`'${value}'`)
        expect(decodeURIComponent(filled('{{args.a}}', 'Path', { 'args.a': value }))).to.equal(value)
      }),
      LAW,
    ))
})
