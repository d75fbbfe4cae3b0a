import { expect } from 'chai'
import { sliceView } from '../../../../common/surroundings/traffic.ts'
import { apiServers, listedApiServers } from '../../../../controller/analysis/http/api-servers.ts'

const POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '6443' }

const cases: Record<string, { vars?: Record<string, string>; used: string; expected: readonly object[] }> = {
  'the one that this program uses': {
    used: 'https://cluster.example.com:6443/prefix',
    expected: [{ host: 'cluster.example.com', port: 6443 }],
  },
  'the port of HTTPS where the address has none': {
    used: 'https://cluster.example.com',
    expected: [{ host: 'cluster.example.com', port: 443 }],
  },
  'an IPv6 address without its brackets': {
    used: 'https://[fd00::1]:6443',
    expected: [{ host: 'fd00::1', port: 6443 }],
  },
  'also the one that Kubernetes names to this pod': {
    vars: POD,
    used: 'https://cluster.example.com:6443',
    expected: [
      { host: 'cluster.example.com', port: 6443 },
      { host: '10.96.0.1', port: 6443 },
    ],
  },
  'the port of HTTPS where Kubernetes names none': {
    vars: { KUBERNETES_SERVICE_HOST: '10.96.0.1' },
    used: 'https://10.96.0.1',
    expected: [
      { host: '10.96.0.1', port: 443 },
      { host: '10.96.0.1', port: 443 },
    ],
  },
}

describe('the API servers that no provider may be are', () => {
  for (const [sentence, { vars = {}, used, expected }] of Object.entries(cases))
    it(sentence, () => expect(apiServers(vars, new URL(used))).to.deep.equal(expected))
})

describe('the API servers that the slices of their Service list', () => {
  const slice = (namespace: string, service = 'kubernetes') =>
    sliceView({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: service, namespace, labels: { 'kubernetes.io/service-name': service } },
      ...{ addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }, { addresses: ['192.0.2.2'] }] },
      ports: [
        { name: 'https', port: 6443, protocol: 'TCP' },
        { name: 'other', port: 8443, protocol: 'TCP' },
      ],
    }) ?? []

  it('N37g: are refused at each of its ports', () =>
    expect(listedApiServers([slice('default')].flat())).to.deep.equal([
      { host: '192.0.2.1', port: 6443 },
      { host: '192.0.2.2', port: 6443 },
      { host: '192.0.2.1', port: 8443 },
      { host: '192.0.2.2', port: 8443 },
    ]))

  it('N37g: are in no other slices', () =>
    expect(listedApiServers([slice('shop'), slice('default', 'cart')].flat())).to.deep.equal([]))
})
