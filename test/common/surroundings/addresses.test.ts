import { expect } from 'chai'
import { fixedAddresses } from '../../../common/surroundings/addresses.ts'
import { fitted } from '../../../common/text/fitted.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment, aFork } from '../../builders.ts'

type Annotations = Readonly<Record<string, string>>

const NETWORKS = 'k8s.v1.cni.cncf.io/networks'
const IP = 'ovn.kubernetes.io/ip_address'

/** What is said of a fork with the annotations of its source, or with `ofFork`. */
function says(ofSource: Annotations | undefined, ofFork = ofSource): string | undefined {
  const source = ofSource && aDeployment({ podAnnotations: ofSource })
  const fork = aFork(aDeployment({ podAnnotations: ofFork ?? {} }))
  const parts = fixedAddresses({ kind: deployment, source, referents: [], fork })
  return parts && fitted(256, parts)
}

const saysOf = (...keys: readonly string[]) =>
  `takes the address of the source's pods (${keys.join(', ')}); override the annotation${keys.length > 1 ? 's' : ''}`

describe('fixedAddresses', () => {
  const fixing: readonly (readonly [key: string, value: string])[] = [
    [NETWORKS, '[{"name": "lan", "ips": ["192.0.2.7/24"]}]'],
    [NETWORKS, '[{"name": "wan"}, {"name": "lan", "mac": "02:00:00:00:00:07"}]'],
    ['cni.projectcalico.org/ipAddrs', '["192.0.2.7"]'],
    ['cni.projectcalico.org/ipAddrsNoIpam', '["192.0.2.7"]'],
    ['cni.projectcalico.org/floatingIPs', '["192.0.2.7"]'],
    ['cni.projectcalico.org/hwAddr', '02:00:00:00:00:07'],
    [IP, '192.0.2.7'],
    ['ovn.kubernetes.io/mac_address', '02:00:00:00:00:07'],
    ['lan.default.ovn.kubernetes.io/ip_address', '192.0.2.7'],
    ['ovn.kubernetes.io/ip_pool', '192.0.2.7,192.0.2.8'],
    ['ovn.kubernetes.io/ip_pool', '2001:db8::7'],
  ]
  for (const [key, value] of fixing)
    it(`names ${key}: ${value}`, () => expect(says({ [key]: value })).to.equal(saysOf(key)))

  const others: readonly (readonly [key: string, value: string])[] = [
    [NETWORKS, 'lan, wan@eth1'],
    [NETWORKS, '[{"name": "lan", "ips": []}]'],
    ['cni.projectcalico.org/ipv4pools', '["192.0.2.0/24"]'],
    ['ovn.kubernetes.io/ip_pool', 'of-the-cart'],
    [IP, ''],
    ['prometheus.io/port', '8080'],
  ]
  for (const [key, value] of others)
    it(`does not name ${key}: ${value || 'nothing'}`, () => expect(says({ [key]: value })).to.equal(undefined))

  it('names several', () => {
    const key = 'ovn.kubernetes.io/mac_address'
    expect(says({ [key]: '02:00:00:00:00:07', [IP]: '192.0.2.7' })).to.equal(saysOf(IP, key))
  })

  it('does not name an address that the override changes or adds', () => {
    expect(says({ [IP]: '192.0.2.7' }, { [IP]: '192.0.2.8' })).to.equal(undefined)
    expect(says({}, { [IP]: '192.0.2.8' })).to.equal(undefined)
  })

  it('names all of the fork where the source is not known', () => {
    expect(says(undefined, { [IP]: '192.0.2.7' })).to.equal(saysOf(IP))
  })
})
