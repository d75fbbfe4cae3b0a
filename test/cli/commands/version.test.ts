import { expect } from 'chai'
import { aPlugin } from '../a-plugin.ts'

const deployments = '/apis/apps/v1/namespaces/system/deployments'
const program = (name: string, image: string) => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: { name, namespace: 'system', labels: { 'app.kubernetes.io/name': name } },
  spec: { template: { spec: { containers: [{ name, image }] } } },
})

describe('version', () => {
  it('prints what can be read, and why the rest is not known', async () => {
    const { run, cluster } = aPlugin({
      objects: { [`${deployments}/w`]: program('experiment-webhook', 'registry.example/edc:0.2.0') },
    })
    const { code, out } = await run('version')
    expect(code).to.equal(0)
    expect(out).to.match(
      /^kubectl-experiment {2}\d+\.\d+\.\d+\nwebhook {13}registry.example\/edc:0.2.0\ncontroller {10}not found\n$/,
    )
    cluster.forbidden.add('/apis/apps/v1/deployments')
    expect((await run('version')).out).to.contain('webhook             unknown: cannot list')
  })

  it('needs no cluster to print its own', async () => {
    const { run } = aPlugin({ broken: new Error('no API server') })
    const { code, out } = await run('version')
    expect(code).to.equal(0)
    expect(out).to.match(/^kubectl-experiment {2}\d+\.\d+\.\d+\nwebhook {13}unknown: no API server\n/)
  })
})
