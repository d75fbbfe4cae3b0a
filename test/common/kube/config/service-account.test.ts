import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { podConnection } from '../../../../common/kube/config/service-account.ts'

describe('podConnection', () => {
  const VARS = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }
  const folder = mkdtempSync(join(tmpdir(), 'pod-'))
  after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'token'), 'secret')
  writeFileSync(join(folder, 'namespace'), 'shop\n')

  it('has the API server of the environment, and authority, token and namespace of the service account', () => {
    const { cluster, user, namespace } = podConnection(VARS, folder) ?? {}
    expect(cluster).to.include({ server: 'https://10.96.0.1:443', caFile: join(folder, 'ca.crt'), isInsecure: false })
    expect(user).to.include({ tokenFile: join(folder, 'token'), token: undefined })
    expect(namespace).to.equal('shop')
  })

  it('has an IPv6 address in brackets', () =>
    expect(podConnection({ ...VARS, KUBERNETES_SERVICE_HOST: 'fd00::1' }, folder)?.cluster.server).to.equal(
      'https://[fd00::1]:443',
    ))

  it('has the namespace that the pod names in its environment', () =>
    expect(podConnection({ ...VARS, POD_NAMESPACE: 'other' }, folder)?.namespace).to.equal('other'))

  it('is none outside of a pod, and in one without a token', () => {
    for (const vars of [{}, { KUBERNETES_SERVICE_HOST: 'a' }, { ...VARS, KUBERNETES_SERVICE_PORT: '' }])
      expect(podConnection(vars, folder)).to.equal(undefined)
    expect(podConnection(VARS, join(folder, 'none'))).to.equal(undefined)
  })
})
