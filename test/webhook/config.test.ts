import { expect } from 'chai'
import { readConfig } from '../../webhook/config.ts'
import { installing } from '../builders.ts'

describe('readConfig of the webhook', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).to.deep.include({
      port: 9443,
      healthPort: 8080,
      logLevel: 'info',
      kubeconfig: undefined,
      minVersion: 'TLSv1.3',
      drainMs: 8_000,
      kindProbeMs: 30_000,
      callers: undefined,
      pathSecretsDirectory: '/etc/webhook/path',
      ownNamespace: 'experiment-controller-system',
      onlyNamespace: undefined,
      installed: installing(),
      podRules: 'refuse',
    })
  })
  it('reads which components are installed', () => {
    const found = readConfig({ PROMOTION: 'enabled', GATE: 'enabled', CUT_OVER: 'enabled' })
    expect(found.installed).to.deep.equal(installing('promotion', 'gate', 'cutOver'))
  })
  it('names variable, range and finding', () => {
    expect(() => readConfig({ PORT: 'https' })).to.throw('PORT must be a whole number from 0 to 65535, found "https"')
    expect(() => readConfig({ DRAIN_SECONDS: '60' })).to.throw(
      'DRAIN_SECONDS must be a whole number from 0 to 25, found "60"',
    )
    expect(() => readConfig({ LOG_LEVEL: 'loud' })).to.throw(
      'LOG_LEVEL must be one of debug, info, warn, error, found "loud"',
    )
    expect(() => readConfig({ TLS_MIN_VERSION: '1.1' })).to.throw(
      'TLS_MIN_VERSION must be one of TLSv1.2, TLSv1.3, found "1.1"',
    )
    expect(() => readConfig({ POD_RULES: 'off' })).to.throw('POD_RULES must be one of refuse, warn, found "off"')
  })
  it('takes callers by authority and name, never by one alone', () => {
    expect(readConfig({ CLIENT_CA: '/ca.crt', CLIENT_NAMES: 'kube-apiserver, api.internal,' }).callers).to.deep.equal({
      caFile: '/ca.crt',
      names: ['kube-apiserver', 'api.internal'],
    })
    expect(() => readConfig({ CLIENT_CA: '/ca.crt' })).to.throw('CLIENT_NAMES must be set with CLIENT_CA')
    expect(() => readConfig({ CLIENT_NAMES: 'kube-apiserver' })).to.throw('CLIENT_CA must be set with CLIENT_NAMES')
  })
})
