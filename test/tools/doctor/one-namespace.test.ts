import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { SYSTEM_NAMESPACE } from '../../../sandbox/installation.ts'
import { anOverlay } from '../../clusters/overlay.ts'
import { usesOwnControlPlane } from '../../clusters/own-plane.ts'
import { carryOut, commandsIn, finds } from './asked.ts'
import { installByUrl, keepAddresses } from './by-url.ts'

const ROLE = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles/experiment-webhook'

describe('kubectl experiment doctor, in an installation by kustomize for one namespace', function () {
  this.timeout(240_000)
  const plane = usesOwnControlPlane()
  let overlay = ''
  after('the overlay is removed', () => rm(dirname(overlay), { recursive: true, force: true }))

  it('finds everything ok, by a dry run in that namespace', async () => {
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    overlay = await anOverlay({
      resources: ['script-certs'],
      components: ['analysis', 'gate', 'cut-over', 'namespaced'],
      watch: { namespace: 'shop' },
    })
    await carryOut('kubectl apply -k overlay', { plane: plane(), overlay })
    await carryOut(`npm run certs -- --namespace=${SYSTEM_NAMESPACE}`, { plane: plane(), overlay })
    await installByUrl(plane(), overlay)
    await keepAddresses(plane(), overlay)
    const { named } = await finds(plane().kubeconfig, {})
    expect(named('validating-webhook').seen).to.equal('refuses a wrong override in shop')
  })

  it('names a right that is missing there, and its remedy mends it', async () => {
    const { rules } = await plane().api.get<{ readonly rules: readonly object[] }>(ROLE)
    const kept = rules.filter((rule) => !JSON.stringify(rule).includes('networkpolicies'))
    await plane().api.patch(ROLE, { rules: kept })
    const { named } = await finds(plane().kubeconfig, { permissions: 'bad' })
    expect(named('permissions').seen).to.equal('the webhook may not list networkpolicies.networking.k8s.io in shop')
    const [command = 'none'] = commandsIn(named('permissions').remedy)
    await carryOut(command, { plane: plane(), overlay })
    await finds(plane().kubeconfig, {})
  })
})
