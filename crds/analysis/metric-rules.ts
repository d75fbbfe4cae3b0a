import { metricWithDefaults } from '../../common/api/analysis/defaults.ts'
import {
  FIELDS,
  KUBERNETES,
  METRIC_KINDS,
  type MetricKind,
  POINTERS,
  QUERY_MEMBERS,
} from '../../common/api/analysis/metric.ts'
import type { Rule } from '../schema/schema.ts'

const words = (list: readonly string[]): string => `[${list.map((each) => `'${each}'`).join(', ')}]`

/** `Latency, Value and Ratio` */
const named = (list: readonly string[], link = 'and'): string =>
  [list.slice(0, -1).join(', '), list.at(-1)].filter((part) => part !== '').join(` ${link} `)

const forbidden = (rule: string, fieldPath: string, message: string): Rule => ({
  rule,
  reason: 'FieldValueForbidden',
  fieldPath,
  message,
})

/** Each field is only for some kinds. */
const FIELD_RULES: readonly Rule[] = Object.entries(FIELDS).map(([field, kinds]) =>
  forbidden(
    `!has(self.${field}) || self.kind in ${words(kinds)}`,
    `.${field}`,
    `is only for ${named(kinds)}; remove it, or change the kind`,
  ),
)

/** Of each kind that has both, with its own defaults. */
const MARGIN_RULES: readonly Rule[] = FIELDS.tolerancePercent.map((kind) => {
  const { tolerancePercent, maxRegressionPercent } = metricWithDefaults({ name: 'any', provider: 'any', kind })
  const orDefault = (field: string, value = 0) => `(has(self.${field}) ? self.${field} : ${value.toFixed(1)})`
  return {
    rule:
      `self.kind != '${kind}' || ${orDefault('maxRegressionPercent', maxRegressionPercent)} > ` +
      orDefault('tolerancePercent', tolerancePercent),
    fieldPath: '.maxRegressionPercent',
    message: `must be more than tolerancePercent; raise it, or lower tolerancePercent. Their defaults for ${kind} are ${maxRegressionPercent} and ${tolerancePercent}`,
  }
})

const VALUE_RULES: readonly Rule[] = [
  forbidden(
    '!has(self.acceptablePercent) || self.acceptablePercent == 0.0 || !has(self.higherIsBetter) || !self.higherIsBetter',
    '.acceptablePercent',
    'has no meaning with higherIsBetter; remove it',
  ),
  {
    rule: "self.kind != 'Threshold' || has(self.min) || has(self.max)",
    message: 'a Threshold needs min or max; set at least one of them',
  },
  {
    rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
    fieldPath: '.max',
    message: 'must not be less than min; raise it, or lower min',
  },
]

const BLOCKS = ['prometheus', 'newRelic', 'web', 'plugin'] as const

/** What each block cannot answer, and what can. */
const KINDS_OF: Readonly<Record<(typeof BLOCKS)[number], readonly [kinds: readonly MetricKind[], message: string]>> = {
  prometheus: [
    Object.keys(QUERY_MEMBERS.prometheus) as MetricKind[],
    'Prometheus has no single samples and decides nothing; ask New Relic, a web service or a plugin, or change the kind',
  ],
  newRelic: [
    Object.keys(QUERY_MEMBERS.newRelic) as MetricKind[],
    'New Relic decides nothing; ask a plugin, or change the kind',
  ],
  web: [Object.keys(POINTERS) as MetricKind[], 'a web service decides nothing; ask a plugin, or change the kind'],
  plugin: [METRIC_KINDS.filter((kind) => kind !== 'Health'), 'Health asks Kubernetes; remove plugin'],
}

/** One block says what the provider is asked. Which type the provider has is not known here. */
const BLOCK_RULES: readonly Rule[] = [
  {
    rule: `self.kind != 'Health' || self.provider == '${KUBERNETES}'`,
    fieldPath: '.provider',
    message: `Health needs the provider ${KUBERNETES}; set it so`,
  },
  {
    rule: `self.provider != '${KUBERNETES}' || self.kind == 'Health'`,
    fieldPath: '.provider',
    message: `${KUBERNETES} has only Health; set kind to Health, or name another provider`,
  },
  forbidden(
    `self.kind != 'Health' || !(${BLOCKS.map((block) => `has(self.${block})`).join(' || ')})`,
    '.kind',
    `Health needs no query; remove ${named(BLOCKS)}`,
  ),
  {
    rule: `self.kind == 'Health' || [${BLOCKS.map((block) => `has(self.${block})`).join(', ')}].filter(is, is).size() == 1`,
    message: `needs exactly one of ${named(BLOCKS, 'or')}; set the one of the type of its provider`,
  },
  ...BLOCKS.map((block) => {
    const [kinds, message] = KINDS_OF[block]
    return forbidden(
      `!has(self.${block}) || self.kind == 'Health' || self.kind in ${words(kinds)}`,
      `.${block}`,
      message,
    )
  }),
]

/** The members of a block, by what a kind asks. */
function memberRules(block: 'prometheus' | 'newRelic'): readonly Rule[] {
  const kinds = Object.entries(QUERY_MEMBERS[block])
  const members = [...new Set(kinds.flatMap(([, { needs, may = [] }]) => [...needs, ...may]))]
  return members.flatMap((member) => {
    const needing = kinds.filter(([, { needs }]) => needs.includes(member)).map(([kind]) => kind)
    const having = kinds.filter(([, { needs, may = [] }]) => [...needs, ...may].includes(member)).map(([kind]) => kind)
    const [path, held] = [`.${block}.${member}`, `has(self.${block}.${member})`]
    const need: Rule = {
      rule: `!has(self.${block}) || !(self.kind in ${words(needing)}) || ${held}`,
      fieldPath: path,
      message: `is required for ${named(needing)}; set it`,
    }
    const ban = forbidden(
      `!has(self.${block}) || !${held} || self.kind in ${words(having)}`,
      path,
      `is only for ${named(having)}; remove it, or change the kind`,
    )
    return needing.length === 0 ? [ban] : [need, ban]
  })
}

/** What a web service must be asked for. */
const POINTER_RULES: readonly Rule[] = Object.entries(POINTERS).map(([kind, sets]) => {
  const all = [...new Set(Object.values(POINTERS).flat(2))]
  const exactly = (set: readonly string[]) =>
    `(${all.map((each) => `${set.includes(each) ? '' : '!'}has(self.web.pointers.${each})`).join(' && ')})`
  return {
    rule: `!has(self.web) || self.kind != '${kind}' || ${sets.map(exactly).join(' || ')}`,
    fieldPath: '.web.pointers',
    message: `${kind} needs ${sets.map((set) => named(set)).join(', or ')}, and nothing else; set them so`,
  }
})

const mentions = (text: string): string => `${text}.contains('{{pods}}') || ${text}.contains('{{arm}}')`
const BOTH_THE_SAME = 'it would give the same value for the source as for the fork; use {{pods}} or {{arm}} in it'

const QUERY_RULES: readonly Rule[] = [
  {
    rule:
      '!has(self.prometheus) || !has(self.prometheus.events) || !has(self.prometheus.total) || ' +
      'self.prometheus.events != self.prometheus.total || ' +
      '(has(self.prometheus.eventMatchers) && self.prometheus.eventMatchers.size() > 0)',
    fieldPath: '.prometheus.eventMatchers',
    message: 'every request would be an event; say which are, such as code=~"5.."',
  },
  {
    rule: "!has(self.prometheus) || !has(self.prometheus.histogram) || !self.prometheus.histogram.endsWith('_bucket')",
    fieldPath: '.prometheus.histogram',
    message: 'is the name of a histogram without _bucket; remove _bucket',
  },
  {
    rule: `self.kind != 'Value' || !has(self.prometheus) || !has(self.prometheus.query) || ${mentions('self.prometheus.query')}`,
    fieldPath: '.prometheus.query',
    message: BOTH_THE_SAME,
  },
  {
    rule: `self.kind != 'Value' || !has(self.newRelic) || !has(self.newRelic.nrql) || ${mentions('self.newRelic.nrql')}`,
    fieldPath: '.newRelic.nrql',
    message: BOTH_THE_SAME,
  },
  {
    rule:
      `self.kind == 'Threshold' || !has(self.web) || ${mentions('self.web.path')} || ` +
      `(has(self.web.params) && self.web.params.exists(key, ${mentions('self.web.params[key]')}))`,
    fieldPath: '.web.path',
    message: 'the answer would be the same for the source as for the fork; use {{pods}} or {{arm}} in path or params',
  },
]

/** The rules for one metric that need to know nothing else. */
export const METRIC_RULES: readonly Rule[] = [
  ...FIELD_RULES,
  ...MARGIN_RULES,
  ...VALUE_RULES,
  ...BLOCK_RULES,
  ...memberRules('prometheus'),
  ...memberRules('newRelic'),
  ...POINTER_RULES,
  ...QUERY_RULES,
]
