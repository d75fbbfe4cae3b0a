import { PROVIDER, PROVIDER_DEFAULTS } from '../../common/analysis/kinds/provider.ts'
import { KUBERNETES } from '../../common/api/analysis/metric.ts'
import { ANALYSIS_PROVIDER } from '../../common/api/names.ts'
import { crdManifest } from '../schema/kinds.ts'
import { SELECTOR } from '../schema/label-selector.ts'
import { type Note, type Rule, schemaOf } from '../schema/schema.ts'

/** Headers that belong to the connection, or that would carry a credential. */
const OWN_HEADERS = [
  'accept-encoding',
  'api-key',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const only = (field: string, type: string, message: string): Rule => ({
  rule: `!has(self.${field}) || self.type == '${type}'`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
  message,
})

const { podLabel, namespaceLabel } = PROVIDER_DEFAULTS
const labelOr = (field: string, value: string): string => `(has(self.${field}) ? self.${field} : '${value}')`

const RULES: readonly Rule[] = [
  {
    rule: "self.type == 'NewRelic' || has(self.address)",
    fieldPath: '.address',
    message: 'is required; set it to where the provider is, such as http://prometheus.monitoring.svc:9090',
  },
  {
    rule: "self.type != 'NewRelic' || !has(self.address)",
    reason: 'FieldValueForbidden',
    fieldPath: '.address',
    message: 'follows from newRelic.region; remove it',
  },
  {
    rule: "self.type != 'NewRelic' || has(self.newRelic)",
    fieldPath: '.newRelic',
    message: 'is required; set it to the account, such as {region: US, accountId: 123456}',
  },
  only('newRelic', 'NewRelic', 'is only for the type NewRelic; remove it, or change the type'),
  {
    rule: "self.type != 'NewRelic' || has(self.credential)",
    fieldPath: '.credential',
    message: 'is required; set it to the name of the file with the key of New Relic',
  },
  {
    rule:
      "!has(self.credential) || !has(self.address) || !self.address.startsWith('http://') || " +
      "self.address.matches('^http://[A-Za-z0-9.-]+[.]svc([.]cluster[.]local)?(:[0-9]+)?(/|$)')",
    fieldPath: '.address',
    message: 'a credential is not sent over http but to a Service, such as http://NAME.NAMESPACE.svc; use https',
  },
  only('podLabel', 'Prometheus', 'is only for the type Prometheus; remove it'),
  only('namespaceLabel', 'Prometheus', 'is only for the type Prometheus; remove it'),
  {
    rule: `${labelOr('podLabel', podLabel)} != ${labelOr('namespaceLabel', namespaceLabel)}`,
    fieldPath: '.namespaceLabel',
    message: 'is the label of the pod; name the label of its namespace',
  },
  {
    rule: "!self.freeQueries || self.type in ['Prometheus', 'NewRelic']",
    reason: 'FieldValueForbidden',
    fieldPath: '.freeQueries',
    message: 'only Prometheus and NewRelic have queries; remove it',
  },
]

const NOTE: Note = {
  about: 'Where data comes from, and who may use it.',
  rules: RULES,
  members: {
    type: 'What the provider is, and so how it is asked.',
    address:
      'Where it is, such as http://prometheus.monitoring.svc:9090. A path is kept before those of queries. Not for NewRelic.',
    newRelic: {
      about: 'For NewRelic, in place of an address.',
      isAtomic: true,
      members: { region: 'The data center of the account.', accountId: 'The number of the account.' },
    },
    namespaceSelector: {
      about: 'The namespaces whose experiments may use it, by their labels. {} is all of them.',
      ...SELECTOR,
    },
    credential:
      'The name of a file of the Secret experiment-analysis-credentials. It is sent as bearer token, to New Relic as API-Key. Not over http, except to a Service.',
    headers: {
      about:
        'Headers of each request, such as X-Scope-OrgID. They are no secret: everybody who may read this reads them.',
      isAtomic: true,
      rules: [
        {
          rule: "self.all(name, name.matches('^[A-Za-z0-9-]{1,64}$'))",
          message: 'the name of a header has letters, digits and - only; correct it',
        },
        {
          rule: `self.all(name, !(name.lowerAscii() in [${OWN_HEADERS.map((name) => `'${name}'`).join(', ')}]))`,
          reason: 'FieldValueForbidden',
          message: 'has a header that the controller sets itself; remove it. A key belongs in the file of "credential"',
        },
      ],
    },
    caBundle: 'The certificates that are trusted in place of the well-known ones: PEM, in base64.',
    podLabel: 'The label by which series of Prometheus name a pod. The default is pod.',
    namespaceLabel: 'The label by which series of Prometheus name the namespace of a pod. The default is namespace.',
    freeQueries:
      'Whether experiments and templates of namespaces may have PromQL or NRQL of their own. Such a query can read everything that the provider has. Cluster templates always may.',
    lagSeconds:
      'How old the end of a window must be before it is asked for, so that all data has arrived. The default is 15, for NewRelic 60.',
    maxConcurrent: 'How many queries it gets at a time.',
  },
}

/** The CRD of providers. */
export const providerCrd = (): string =>
  crdManifest({
    of: ANALYSIS_PROVIDER,
    scope: 'Cluster',
    shortName: 'expdprov',
    columns: [
      { name: 'Type', type: 'string', description: 'What the provider is.', jsonPath: '.spec.type' },
      { name: 'Address', type: 'string', description: 'Where it is.', jsonPath: '.spec.address' },
    ],
    comment: 'Where the data of analyses comes from. Admins write it.',
    about:
      'Where the data of analyses comes from. Developers name it and never its address. "kubernetes" is always there and needs no such object.',
    rules: [
      {
        rule: `self.metadata.name != '${KUBERNETES}'`,
        message: `metadata.name: "${KUBERNETES}" is always there; choose another name`,
      },
    ],
    spec: schemaOf(PROVIDER, NOTE),
  })
