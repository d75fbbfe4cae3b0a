import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { at } from '../../common/json/json.ts'
import { shippedOne } from './shipped.ts'

const spec = (kind: string, name: string) => shippedOne('cert-manager', kind, name).spec
const EC = { algorithm: 'ECDSA', size: 256 }

describe('the certificates of cert-manager', () => {
  it('have an authority that keeps its key for ten years', () => {
    expect(spec('Issuer', 'experiment-webhook-bootstrap')).to.deep.equal({ selfSigned: {} })
    const ca = spec('Certificate', 'experiment-webhook-ca')
    expect(ca).to.deep.include({
      isCA: true,
      duration: `${10 * 365 * 24}h`,
      privateKey: { ...EC, rotationPolicy: 'Never' },
    })
    expect(at(ca, 'issuerRef', 'name')).to.equal('experiment-webhook-bootstrap')
    expect(spec('Issuer', 'experiment-webhook-ca')).to.deep.equal({ ca: { secretName: at(ca, 'secretName') } })
  })

  it('have a leaf of 90 days for the Service, in the Secret that the pods mount', () => {
    const leaf = spec('Certificate', 'experiment-webhook-tls')
    const { metadata } = shippedOne('base', 'Service', 'experiment-webhook')
    const name = `${metadata.name}.${metadata.namespace}.svc`
    expect(leaf).to.deep.include({
      dnsNames: [name, `${name}.cluster.local`],
      duration: `${90 * 24}h`,
      renewBefore: `${30 * 24}h`,
      usages: ['digital signature', 'server auth'],
      privateKey: { ...EC, rotationPolicy: 'Always' },
    })
    expect(at(leaf, 'issuerRef', 'name')).to.equal('experiment-webhook-ca')
    const webhook = JSON.stringify(shippedOne('base', 'Deployment', 'experiment-webhook'))
    expect(webhook).to.contain(`"secretName":"${at(leaf, 'secretName')}"`)
  })

  it('have their root injected into both configurations', () => {
    const patch = readFileSync('manifests/cert-manager/kustomization.yaml', 'utf8')
    const { metadata } = shippedOne('cert-manager', 'Certificate', 'experiment-webhook-tls')
    expect(patch).to.contain(`cert-manager.io/inject-ca-from: ${metadata.namespace}/${metadata.name}`)
    expect(patch).to.contain('kind: (Mutating|Validating)WebhookConfiguration')
  })
})
