import { expect } from 'chai'
import { apiServers } from '../../../../controller/analysis/http/api-servers.ts'

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
