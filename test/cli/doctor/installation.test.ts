import { expect } from 'chai'
import {
  accountName,
  configurationName,
  findInstallation,
  releaseOf,
  settingOf,
} from '../../../cli/doctor/installation.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { aCluster, program, SYSTEM } from './an-installation.ts'

/** A validating configuration of this name, with this first webhook. */
const configuration = (name: string, webhook: object): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'ValidatingWebhookConfiguration' },
  metadata: { name },
  webhooks: [webhook],
})
const PLAIN = 'experiment-deployment-controller'
const calls = (namespace: string) => ({ clientConfig: { service: { namespace, name: 'experiment-webhook' } } })
const watching = (namespace: string) =>
  program('experiment-controller', [{ name: 'WATCH_NAMESPACE', value: namespace }])

describe('an installation', () => {
  it('is found by the Service of the validating configuration, else in the default namespace', async () => {
    const found = await findInstallation(aCluster().cluster, undefined)
    expect(found).to.include({ namespace: SYSTEM, suffix: '', served: undefined, isByUrl: false })
    const { cluster } = aCluster({ without: ['ValidatingWebhookConfiguration'] })
    expect((await findInstallation(cluster, undefined)).namespace).to.equal('experiment-controller-system')
    const strange = aCluster({ objects: [configuration(PLAIN, calls('..'))] })
    expect((await findInstallation(strange.cluster, undefined)).namespace).to.equal('experiment-controller-system')
  })

  it('is that of the namespace which the caller names', async () => {
    const found = await findInstallation(aCluster().cluster, 'elsewhere')
    expect([found.namespace, found.deployments.controller.is]).to.deep.equal(['elsewhere', 'absent'])
  })

  it('may be one of several, whose objects have the name of the namespace that it serves', async () => {
    const one = configuration(`${PLAIN}-bank`, calls(SYSTEM))
    const found = await findInstallation(aCluster({ objects: [watching('bank'), one] }).cluster, SYSTEM)
    expect(found).to.include({ suffix: '-bank', served: 'bank' })
    expect(configurationName(found)).to.equal(`${PLAIN}-bank`)
    const ofOthers = configuration(`${PLAIN}-bank`, calls('another'))
    const first = await findInstallation(aCluster({ objects: [watching('bank'), ofOthers] }).cluster, SYSTEM)
    expect(first).to.include({ suffix: '', served: 'bank' })
  })

  it('serves no namespace whose name has no place in a path', async () => {
    const found = await findInstallation(aCluster({ objects: [watching('..')] }).cluster, SYSTEM)
    expect(found).to.include({ suffix: '', served: undefined })
  })

  it('says by its configuration which namespace it serves, where the Deployments cannot be read', async () => {
    const selector = { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop'] }
    const one = configuration(PLAIN, { ...calls(SYSTEM), namespaceSelector: { matchExpressions: [selector] } })
    const { cluster } = aCluster({ objects: [one], unread: ['Deployment'] })
    expect((await findInstallation(cluster, undefined)).served).to.equal('shop')
  })

  it('is called by its address where the configuration has one', async () => {
    const one = configuration(PLAIN, { clientConfig: { url: 'https://127.0.0.1:1' } })
    expect((await findInstallation(aCluster({ objects: [one] }).cluster, undefined)).isByUrl).to.equal(true)
  })

  it('tells variables, accounts and the release of Helm', async () => {
    const own = watching('shop')
    const labelled = {
      ...own,
      metadata: {
        ...own.metadata,
        labels: { 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: { 'meta.helm.sh/release-name': 'experiments' },
      },
    }
    const found = await findInstallation(aCluster({ objects: [labelled] }).cluster, undefined)
    expect(settingOf(found.deployments, 'WATCH_NAMESPACE')).to.equal('shop')
    expect(settingOf(found.deployments, 'GATE')).to.equal(undefined)
    expect(accountName(found, 'webhook')).to.equal('experiment-webhook')
    expect(releaseOf(found)).to.equal('experiments')
    expect(releaseOf(await findInstallation(aCluster().cluster, undefined))).to.equal(undefined)
  })
})
