import { expect } from 'chai'
import { readConfig } from '../../controller/config.ts'
import { installing } from '../builders.ts'

describe('the configuration of the controller', () => {
  it('has defaults for everything', () =>
    expect(readConfig({})).to.deep.equal({
      kubeconfig: undefined,
      workers: 16,
      kindProbeMs: 30_000,
      installed: installing(),
      credentials: '/etc/experiment-analysis/credentials',
      loopback: 'refuse',
      logLevel: 'info',
      instance: 'experiment-controller',
      ownNamespace: 'experiment-controller-system',
      onlyNamespace: undefined,
      probePort: 8081,
      host: undefined, // Node takes 0.0.0.0 where a node has no IPv6, but fails there at '::'
    }))

  it('reads every variable', () =>
    expect(
      readConfig({
        KUBECONFIG: '/tmp/config',
        WORKERS: '4',
        KIND_PROBE_SECONDS: '5',
        PROMOTION: 'enabled',
        GATE: 'enabled',
        CUT_OVER: 'enabled',
        ANALYSIS: 'enabled',
        ANALYSIS_CREDENTIALS: '/keys',
        ANALYSIS_LOOPBACK: 'allow',
        LOG_LEVEL: 'debug',
        HOSTNAME: 'pod-1',
        POD_NAMESPACE: 'ops',
        WATCH_NAMESPACE: 'shop',
        PROBE_PORT: '0',
        HOST: '127.0.0.1',
      }),
    ).to.deep.equal({
      kubeconfig: '/tmp/config',
      workers: 4,
      kindProbeMs: 5_000,
      installed: installing('promotion', 'gate', 'cutOver', 'analysis'),
      credentials: '/keys',
      loopback: 'allow',
      logLevel: 'debug',
      instance: 'pod-1',
      ownNamespace: 'ops',
      onlyNamespace: 'shop',
      probePort: 0,
      host: '127.0.0.1',
    }))

  it('takes an empty KUBECONFIG for none', () => expect(readConfig({ KUBECONFIG: '' }).kubeconfig).to.equal(undefined))

  for (const [name, value] of [
    ['WORKERS', '0'],
    ['WORKERS', '65'],
    ['WORKERS', 'many'],
    ['KIND_PROBE_SECONDS', '601'],
    ['PROBE_PORT', '65536'],
    ['LOG_LEVEL', 'loud'],
    ['ANALYSIS_LOOPBACK', 'yes'],
  ] as const)
    it(`refuses ${name}=${value}, and names the variable and the value`, () =>
      expect(() => readConfig({ [name]: value })).to.throw(new RegExp(`^${name} .*"${value}"`)))
})
