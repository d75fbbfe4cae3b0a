import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { serviceView, sliceView } from '../../../common/surroundings/traffic.ts'

describe('the projections of Services and EndpointSlices', () => {
  const object = (of: Partial<KubeObject>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'cart' },
    ...of,
  })

  it('ignore a Service that selects no pods', () => {
    expect(serviceView(object({ spec: { type: 'ExternalName', selector: { a: 'b' } } }))).to.equal(undefined)
    expect(serviceView(object({ spec: {} }))).to.equal(undefined)
    expect(serviceView(object({ spec: { selector: { a: 'b' } } }))).to.deep.equal({
      name: 'cart',
      selector: { a: 'b' },
    })
  })

  it('keep settings of a Service only if they change its share', () => {
    const policies = (policy: string) => ({ internalTrafficPolicy: policy, externalTrafficPolicy: policy })
    const plain = { sessionAffinity: 'None', ...policies('Cluster'), clusterIP: '198.18.0.1' }
    const bent = { sessionAffinity: 'ClientIP', ...policies('Local'), trafficDistribution: 'PreferClose' }
    const selector = { a: 'b' }
    expect(serviceView(object({ spec: { selector, ...plain } }))).to.have.all.keys('name', 'selector')
    expect(serviceView(object({ spec: { selector, ...bent, clusterIP: 'None' } }))).to.deep.equal({
      name: 'cart',
      selector,
      ...bent,
      isHeadless: true,
    })
  })

  it('keep that nearby pods are preferred, by the annotation for it and by its former name', () => {
    const modeFor = (name: string, value: string) => {
      const metadata = { name: 'cart', annotations: { [`service.kubernetes.io/${name}`]: value } }
      return serviceView(object({ metadata, spec: { selector: { a: 'b' } } }))?.topologyMode
    }
    expect(modeFor('topology-mode', 'Auto')).to.equal('Auto')
    expect(modeFor('topology-aware-hints', 'auto')).to.equal('Auto')
    expect(modeFor('topology-mode', 'Disabled')).to.equal(undefined)
  })

  it('keep the annotation by which a load balancer sends to pods', () => {
    const balancedBy = (annotations: Readonly<Record<string, string>>) =>
      serviceView(object({ metadata: { name: 'cart', annotations }, spec: { selector: { a: 'b' } } }))?.balancedBy
    const [type, targetType] = ['type', 'nlb-target-type'].map(
      (name) => `service.beta.kubernetes.io/aws-load-balancer-${name}`,
    ) as [string, string]
    expect(balancedBy({ [type]: 'external', [targetType]: 'ip' })).to.equal(targetType)
    expect(balancedBy({ [type]: 'external', [targetType]: 'instance' })).to.equal(undefined)
    expect(balancedBy({ [type]: 'nlb-ip' })).to.equal(type)
    expect(balancedBy({ 'alb.ingress.kubernetes.io/target-type': 'ip' })).to.match(/^alb/)
    const neg = { 'cloud.google.com/neg': '{"ingress":true}' }
    expect(balancedBy(neg)).to.equal(undefined)
    expect(balancedBy({ ...neg, 'cloud.google.com/neg-status': '{}' })).to.equal('cloud.google.com/neg')
  })

  it('keep the names of the ports of pods, and whether other ports have a number', () => {
    const namesOf = (...targets: readonly unknown[]) =>
      serviceView(
        object({ spec: { selector: { a: 'b' }, ports: targets.map((targetPort) => ({ port: 80, targetPort })) } }),
      )
    expect(namesOf('http', 'grpc'))
      .to.deep.include({ portNames: ['http', 'grpc'] })
      .and.not.have.property('hasPortNumbers')
    expect(namesOf('http', 8080)).to.deep.include({ portNames: ['http'], hasPortNumbers: true })
    expect(namesOf(8080)).to.have.all.keys('name', 'selector')
    const headless = { selector: { a: 'b' }, clusterIP: 'None', ports: [{ targetPort: 'http' }] }
    expect(serviceView(object({ spec: headless }))).not.to.have.property('portNames')
  })

  it('count no pods in a slice without ports, unless the Service is headless', () => {
    const endpoints = [{ addresses: ['a'], targetRef: { kind: 'Pod', name: 'a', uid: 'a' } }]
    const of = (more: object, labels = {}) =>
      sliceView(
        object({
          metadata: { name: 'x', labels: { 'kubernetes.io/service-name': 'cart', ...labels } },
          endpoints,
          ...more,
        }),
      )?.ready.length
    expect([of({ ports: null }), of({ ports: [] }), of({ ports: [{ port: 80 }] })]).to.deep.equal([0, 0, 1])
    expect(of({ ports: null }, { 'service.kubernetes.io/headless': '' })).to.equal(1)
  })

  it('keep the ready pods of an EndpointSlice', () => {
    const endpoint = (name: string, ready: boolean | undefined) => ({
      conditions: ready === undefined ? {} : { ready },
      targetRef: { kind: 'Pod', name, uid: name },
    })
    const metadata = { name: 'cart-x', labels: { 'kubernetes.io/service-name': 'cart' } }
    const endpoints = [
      endpoint('a', true),
      endpoint('b', false),
      endpoint('c', undefined),
      { addresses: ['198.18.0.1'] },
    ]
    expect(sliceView(object({ metadata, endpoints }))?.ready.map(({ pod }) => pod)).to.deep.equal(['a', 'c', undefined])
    expect(sliceView(object({ endpoints }))).to.equal(undefined)
  })

  it('N37a: keep the families and ports of a Service where it has others than most', () => {
    const of = (ipFamilies: readonly string[], ports: readonly object[] = [{ port: 80 }], labels = {}) =>
      serviceView(object({ metadata: { name: 'cart', labels }, spec: { selector: { a: 'b' }, ipFamilies, ports } }))
    expect(of(['IPv4'])).to.have.all.keys('name', 'selector')
    expect(of(['IPv4', 'IPv6'])?.families).to.deep.equal(['IPv4', 'IPv6'])
    expect(of(['IPv6'])?.families).to.deep.equal(['IPv6'])
    const named = [
      { name: 'http', port: 80 },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ]
    expect(of(['IPv4'], named)?.ports).to.deep.equal(['TCP http', 'UDP dns'])
    const proxied = { 'service.kubernetes.io/service-proxy-name': 'mine' }
    expect(of(['IPv4'], [], proxied)?.proxy).to.equal('mine')
  })

  it('N37a: compare at most 1,000 ports', () => {
    const ports = Array.from({ length: 20_000 }, (_, at) => ({ name: `p${at}`, port: 1 }))
    const metadata = { name: 'x', labels: { 'kubernetes.io/service-name': 'cart' } }
    expect(sliceView(object({ metadata, ports, endpoints: [] }))?.ports).to.have.length(1_000)
  })
})
