import { expect } from 'chai'
import { installAgain, renewCertificate, restart } from '../../../cli/doctor/remedies.ts'
import { known } from '../../../common/api/known.ts'
import { someFacts } from './an-installation.ts'

const { installation } = (await someFacts()).facts

/** The installation, whose validating configuration has these labels and annotations. */
const with_ = (labels: Record<string, string>, annotations: Record<string, string>) => ({
  ...installation,
  configurations: {
    ...installation.configurations,
    ValidatingWebhookConfiguration: known({
      ...{ apiVersion: 'v1', kind: 'ValidatingWebhookConfiguration' },
      metadata: { name: 'experiment-deployment-controller', labels, annotations },
    }),
  },
})

describe('the remedies', () => {
  it('install again in the way in which it was installed', () => {
    expect(installAgain(installation)).to.equal('Apply your overlay again: kubectl apply -k overlay')
    const made = with_({ 'app.kubernetes.io/managed-by': 'Helm' }, { 'meta.helm.sh/release-name': 'experiments' })
    expect(installAgain(made)).to.equal(
      'Upgrade the release: helm upgrade experiments charts/experiment-deployment-controller --namespace=platform --reset-then-reuse-values --force-conflicts',
    )
  })

  it('renew a certificate by who issues it', () => {
    expect(renewCertificate(installation)).to.equal(
      'Renew it: npm run certs -- --namespace=platform --configuration=experiment-deployment-controller',
    )
    const byCertManager = with_({}, { 'cert-manager.io/inject-ca-from': 'platform/experiment-webhook-tls' })
    expect(renewCertificate(byCertManager)).to.equal(
      'Find out why cert-manager does not renew it: kubectl describe certificate --namespace=platform. To renew it now: cmctl renew experiment-webhook-tls --namespace=platform',
    )
  })

  it('restart a program, and say where to look then', () => {
    expect(restart('experiment-webhook', installation)).to.equal(
      'Restart it: kubectl rollout restart deployment/experiment-webhook --namespace=platform. If that does not help, read: kubectl logs deployment/experiment-webhook --namespace=platform',
    )
  })
})
