import { expect } from 'chai'
import { decodeProvider } from '../../common/analysis/kinds/provider.ts'
import { ANALYSIS_PROVIDER } from '../../common/api/names.ts'
import { forbidden, invalid } from './analysis-manifests.ts'
import { usesKind } from './crd-answers.ts'

const PROMETHEUS = { type: 'Prometheus', address: 'https://prometheus.monitoring.svc:9090', namespaceSelector: {} }
const NEW_RELIC = { type: 'NewRelic', newRelic: { accountId: 807_783 }, namespaceSelector: {}, credential: 'new-relic' }

const ACCEPTED: Readonly<Record<string, object>> = {
  'a Prometheus': PROMETHEUS,
  'every field of Prometheus': {
    ...PROMETHEUS,
    ...{ address: 'https://[fd00::1]:9090/tenant/a', credential: 'prometheus.key', caBundle: 'LS0t' },
    ...{ headers: { 'X-Scope-OrgID': 'shop' }, podLabel: 'kubernetes_pod_name', namespaceLabel: 'ns' },
    ...{ freeQueries: true, lagSeconds: 600, maxConcurrent: 25 },
    namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] },
  },
  'New Relic': NEW_RELIC,
  'a web service over http without a credential': { ...PROMETHEUS, type: 'Web', address: 'http://a:80' },
  'a plugin in a Service over http with a credential': {
    ...{ type: 'Plugin', address: 'http://judge.qa.svc:8080/v1', credential: 'judge', namespaceSelector: {} },
  },
}

const REFUSED: Readonly<Record<string, readonly [spec: object, words: readonly string[]]>> = {
  'a provider that selects no namespaces': [
    { type: 'Web', address: 'https://a' },
    ['spec.namespaceSelector: Required value'],
  ],
  'a provider without an address': [
    { type: 'Prometheus', namespaceSelector: {} },
    invalid('spec.address', 'is required; set it to where the provider is'),
  ],
  'New Relic with an address': [
    { ...NEW_RELIC, address: 'https://api.newrelic.com' },
    forbidden('spec.address', 'follows from newRelic.region; remove it'),
  ],
  'New Relic without an account': [
    { type: 'NewRelic', namespaceSelector: {}, credential: 'a' },
    invalid('spec.newRelic', 'is required; set it to the account'),
  ],
  'New Relic without a credential': [
    { type: 'NewRelic', namespaceSelector: {}, newRelic: { accountId: 1 } },
    invalid('spec.credential', 'is required; set it to the name of the file with the key of New Relic'),
  ],
  'a region that there is not': [
    { ...NEW_RELIC, newRelic: { accountId: 1, region: 'APAC' } },
    ['spec.newRelic.region: Unsupported value: "APAC": supported values: "US", "EU", "JP"'],
  ],
  'an account of another type': [
    { ...PROMETHEUS, newRelic: { accountId: 1 } },
    forbidden('spec.newRelic', 'is only for the type NewRelic; remove it, or change the type'),
  ],
  'a user in the address': [
    { ...PROMETHEUS, address: 'https://a:b@prometheus' },
    invalid('spec.address', 'must be an address, such as http://prometheus.monitoring.svc:9090'),
  ],
  'a credential over http': [
    { ...PROMETHEUS, address: 'http://prometheus.example', credential: 'a' },
    invalid('spec.address', 'a credential is not sent over http but to a Service'),
  ],
  'a credential over http to a host that looks like a Service': [
    { ...PROMETHEUS, address: 'http://evil.example/a.svc', credential: 'a' },
    invalid('spec.address', 'a credential is not sent over http'),
  ],
  'a credential in another directory': [
    { ...PROMETHEUS, credential: '../token' },
    invalid('spec.credential', 'must be the name of a file of credentials'),
  ],
  'a header with a credential': [
    { ...PROMETHEUS, headers: { Authorization: 'Bearer a' } },
    forbidden('spec.headers', 'has a header that the controller sets itself; remove it'),
  ],
  'a header with a line break': [
    { ...PROMETHEUS, headers: { a: 'b\r\nHost: c' } },
    invalid('spec.headers[a]', 'must be a text on one line'),
  ],
  'labels of Prometheus in another type': [
    { ...NEW_RELIC, podLabel: 'a' },
    forbidden('spec.podLabel', 'is only for the type Prometheus; remove it'),
  ],
  'one label for pod and namespace': [
    { ...PROMETHEUS, namespaceLabel: 'pod' },
    invalid('spec.namespaceLabel', 'is the label of the pod; name the label of its namespace'),
  ],
  'free queries of a plugin': [
    { ...PROMETHEUS, type: 'Plugin', freeQueries: true },
    forbidden('spec.freeQueries', 'only Prometheus and NewRelic have queries; remove it'),
  ],
}

describe('a provider in the CRD, by itself', () => {
  const crd = usesKind(ANALYSIS_PROVIDER)

  for (const [sentence, spec] of Object.entries(ACCEPTED))
    it(`accepts ${sentence}, and the programs decode it`, async () =>
      expect(decodeProvider(await crd.stored(spec)).is).to.equal('provider'))

  for (const [sentence, [spec, words]] of Object.entries(REFUSED))
    it(`refuses ${sentence}`, async () => {
      const answer = await crd.answerTo(spec)
      for (const each of words) expect(answer, answer).to.include(each)
    })

  it('cannot have the name of the one that is always there', async () =>
    expect(await crd.answerTo(PROMETHEUS, 'kubernetes')).to.include(
      'metadata.name: "kubernetes" is always there; choose another name',
    ))

  it('has defaults', async () =>
    expect((await crd.stored(NEW_RELIC)).spec).to.deep.equal({
      ...NEW_RELIC,
      newRelic: { accountId: 807_783, region: 'US' },
      freeQueries: false,
      maxConcurrent: 4,
    }))
})
