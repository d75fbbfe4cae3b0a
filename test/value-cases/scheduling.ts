import type { JsonObject } from '../../common/json/json.ts'
import { pod, type ValueCase } from './case.ts'

const toleration = (of: JsonObject) => pod({ tolerations: [of] })
const spread = (of: JsonObject) =>
  pod({
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {}, ...of },
    ],
  })
const nodes = (of: JsonObject) => pod({ affinity: { nodeAffinity: of } })
const required = (term: JsonObject) =>
  nodes({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } })
const pods = (term: JsonObject) =>
  pod({
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', ...term }] },
    },
  })
const TOLERATION = 'template.spec.tolerations[0]'
const SPREAD = 'template.spec.topologySpreadConstraints[0]'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const NODES = `template.spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`
const PODS = `template.spec.affinity.podAntiAffinity.${REQUIRED}[0]`

/** `common/pod/scheduling.ts` */
export const SCHEDULING: readonly ValueCase[] = [
  {
    title: 'M4: a toleration with Exists and a value',
    accepted: toleration({ key: 'a', operator: 'Exists' }),
    refused: toleration({ key: 'a', operator: 'Exists', value: 'b' }),
    errors: [`${TOLERATION}.value: cannot be set with operator Exists; remove it, or use Equal`],
  },
  {
    title: 'M4: a toleration without a key',
    accepted: toleration({ operator: 'Exists' }),
    refused: toleration({ value: 'b' }),
    errors: [`${TOLERATION}.operator: must be Exists, because there is no key; set it, or add a key`],
  },
  {
    title: 'M4: tolerationSeconds without NoExecute',
    accepted: toleration({ key: 'a', effect: 'NoExecute', tolerationSeconds: 5 }),
    refused: toleration({ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }),
    errors: [`${TOLERATION}.effect: must be NoExecute, because tolerationSeconds is set; set it`],
  },
  {
    title: 'M5: the key of a toleration',
    accepted: toleration({ key: 'example.com/a', operator: 'Exists' }),
    refused: toleration({ key: 'a b', operator: 'Exists' }),
    errors: [
      `${TOLERATION}.key: expected a name of letters, digits, "-", "_" and ".", a letter or digit first and last, got "a b"`,
    ],
  },
  {
    title: 'M5: the value of a toleration',
    accepted: toleration({ key: 'a', value: 'b' }),
    refused: toleration({ key: 'a', value: 'b c' }),
    errors: [
      `${TOLERATION}.value: expected letters, digits, "-", "_" and ".", a letter or digit first and last, got "b c"`,
    ],
  },
  {
    title: 'M4: maxSkew',
    accepted: spread({}),
    refused: spread({ maxSkew: 0 }),
    errors: [`${SPREAD}.maxSkew: must be more than 0; got 0`],
  },
  {
    title: 'M4: an empty topologyKey',
    accepted: spread({}),
    refused: spread({ topologyKey: '' }),
    errors: [`${SPREAD}.topologyKey: must be the key of a label of nodes; set it`],
  },
  {
    title: 'M4: minDomains with ScheduleAnyway',
    accepted: spread({ minDomains: 2 }),
    refused: spread({ minDomains: 2, whenUnsatisfiable: 'ScheduleAnyway' }),
    errors: [`${SPREAD}.minDomains: cannot be set with whenUnsatisfiable: ScheduleAnyway; remove it`],
  },
  {
    title: 'M4: required nodes without a term',
    accepted: required({ matchExpressions: [{ key: 'a', operator: 'Exists' }] }),
    refused: nodes({ [REQUIRED]: { nodeSelectorTerms: [] } }),
    errors: [`${NODES}: must have a term; add one`],
  },
  {
    title: 'M4: a field of nodes',
    accepted: required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }),
    refused: required({ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['a'] }] }),
    errors: [`${NODES}[0].matchFields[0].key: must be metadata.name; for labels use matchExpressions`],
  },
  {
    title: 'M4: a weight',
    accepted: nodes({
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: {} }],
    }),
    refused: nodes({
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }],
    }),
    errors: [
      'template.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: must be from 1 to 100; got 101',
    ],
  },
  {
    title: 'M4: an empty topologyKey of an affinity',
    accepted: pods({}),
    refused: pods({ topologyKey: '' }),
    errors: [`${PODS}.topologyKey: must be the key of a label of nodes; set it`],
  },
  {
    title: 'M5: a namespace of an affinity',
    accepted: pods({ namespaces: ['shop'] }),
    refused: pods({ namespaces: ['Shop'] }),
    errors: [
      `${PODS}.namespaces[0]: must be lowercase letters, digits and "-", a letter or digit first and last; got "Shop"`,
    ],
  },
]

/** `common/pod/selectors.ts` */
export const SELECTORS: readonly ValueCase[] = [
  {
    title: 'M4: In without values',
    accepted: required({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }),
    refused: required({ matchExpressions: [{ key: 'a', operator: 'In' }] }),
    errors: [`${NODES}[0].matchExpressions[0].values: must have a value for In; add one`],
  },
  {
    title: 'M4: Exists with values',
    accepted: pods({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }),
    refused: pods({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } }),
    errors: [`${PODS}.labelSelector.matchExpressions[0].values: cannot be set with Exists; remove them`],
  },
  {
    title: 'M4: two values to compare with',
    accepted: required({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }),
    refused: required({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] }),
    errors: [`${NODES}[0].matchExpressions[0].values: must have one value for Gt; correct it`],
  },
  {
    title: 'M4: an unknown operator',
    accepted: pods({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] } }),
    refused: pods({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'Equals' }] } }),
    errors: [
      `${PODS}.labelSelector.matchExpressions[0].operator: must be one of In, NotIn, Exists, DoesNotExist; got "Equals"`,
    ],
  },
  {
    title: 'M5: the key of a requirement',
    accepted: pods({ namespaceSelector: { matchExpressions: [{ key: 'a/b', operator: 'Exists' }] } }),
    refused: pods({ namespaceSelector: { matchExpressions: [{ key: '', operator: 'Exists' }] } }),
    errors: [
      `${PODS}.namespaceSelector.matchExpressions[0].key: expected a name of letters, digits, "-", "_" and ".", a letter or digit first and last, got ""`,
    ],
  },
  {
    title: 'M5: the value of a requirement',
    accepted: required({ matchExpressions: [{ key: 'a', operator: 'In', values: [''] }] }),
    refused: required({ matchExpressions: [{ key: 'a', operator: 'In', values: ['a b'] }] }),
    errors: [
      `${NODES}[0].matchExpressions[0].values[0]: expected letters, digits, "-", "_" and ".", a letter or digit first and last, got "a b"`,
    ],
  },
  {
    title: 'M4: keys without a selector',
    accepted: spread({ matchLabelKeys: ['a'] }),
    refused: pods({ matchLabelKeys: ['a'] }),
    errors: [`${PODS}.matchLabelKeys: cannot be set without labelSelector; add that`],
  },
  {
    title: 'M4: a key that matches and does not',
    accepted: pods({ labelSelector: {}, matchLabelKeys: ['a'], mismatchLabelKeys: ['b'] }),
    refused: pods({ labelSelector: {}, matchLabelKeys: ['a'], mismatchLabelKeys: ['a'] }),
    errors: [`${PODS}.matchLabelKeys[0]: cannot also be in mismatchLabelKeys; remove one of them`],
  },
]
