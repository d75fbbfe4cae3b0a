import { expect } from 'chai'
import { issue } from '../../../certs/issue.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { goTool } from '../../../sandbox/go-tools.ts'
import { type Installation, install } from '../../../sandbox/installation.ts'
import { run } from '../../../sandbox/run.ts'
import { usesCertManagerCrds, usesOwnControlPlane } from '../../clusters/own-plane.ts'
import { needs } from '../../needs.ts'
import { CHART, IMAGE, template } from '../chart/helm.ts'
import { asked, carryOut, commandsIn, finds } from './asked.ts'
import { CONFIGURATIONS, readConfigurations, replaceConfigurations } from './by-url.ts'

const NAMESPACE = 'platform'
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/experiment-webhook'
const UPGRADE =
  'helm upgrade experiments charts/experiment-deployment-controller --namespace=platform --reset-then-reuse-values --force-conflicts'

describe('kubectl experiment doctor, with a release of the chart', function () {
  this.timeout(240_000)
  needs('helm')
  const plane = usesOwnControlPlane()
  usesCertManagerCrds(plane)
  let product: Installation | undefined
  /** the configurations as Helm made them */
  let byService: readonly KubeObject[] = []

  /** The processes instead of the pods that Helm has made, and their addresses in the configurations. */
  async function start(values: object): Promise<void> {
    byService = await readConfigurations(plane())
    for (const path of CONFIGURATIONS) await plane().api.delete(path)
    product = await install(plane(), { installed: await template(values, NAMESPACE), kindProbeSeconds: 2 })
  }
  const finding = (wanted: Parameters<typeof finds>[1]) => finds(plane().kubeconfig, wanted, `--namespace=${NAMESPACE}`)
  const helm = async (command: string) => carryOut(command, { plane: plane(), overlay: '', helm: await goTool('helm') })

  it('finds the installation by its configuration, and says what cert-manager has to do', async () => {
    const args = ['install', 'experiments', CHART, `--namespace=${NAMESPACE}`, '--create-namespace', '--values=-']
    const env = { ...process.env, HOME: plane().stateDirectory, KUBECONFIG: plane().kubeconfig }
    const { code, stderr } = await run(await goTool('helm'), args, { env, input: JSON.stringify(IMAGE) })
    expect(code, stderr).to.equal(0)
    const { named } = await asked(plane().kubeconfig)
    const remedy =
      'Find out why cert-manager does not renew it: kubectl describe certificate --namespace=platform. To renew it now: cmctl renew experiment-webhook-tls --namespace=platform'
    expect(named('webhook-configurations')).to.include({ seen: 'experiment-deployment-controller has no caBundle yet' })
    expect(named('certificate')).to.include({ seen: 'there is no Secret experiment-webhook-tls', remedy })
    expect(named('account-policy').seen).to.equal('binds system:serviceaccount:platform:experiment-controller')
  })

  it('finds everything ok when it is there', async () => {
    const { cert } = await issue({ names: ['experiment-webhook'], clock: () => new Date() })
    await plane().api.create(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
      metadata: { name: 'experiment-webhook-tls' },
      data: { 'tls.crt': Buffer.from(cert).toString('base64') },
    })
    await start({})
    await finding({})
  })

  it('says the command of Helm that gives a missing right back', async () => {
    const { rules } = await plane().api.get<{ readonly rules: readonly object[] }>(ROLE)
    await plane().api.patch(ROLE, { rules: rules.filter((rule) => !JSON.stringify(rule).includes('networkpolicies')) })
    const { named } = await finding({ permissions: 'bad' })
    expect(commandsIn(named('permissions').remedy)).to.deep.equal([UPGRADE])
    await replaceConfigurations(plane(), byService)
    await helm(UPGRADE)
    for (const path of CONFIGURATIONS) await plane().api.delete(path)
    await product?.restoreWebhooks()
    await finding({})
  })

  it('finds everything ok in a release for one namespace', async () => {
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    await replaceConfigurations(plane(), byService)
    await product?.controller().end()
    await product?.webhook.end()
    await helm(`${UPGRADE} --set=watchNamespace=shop`)
    await start({ watchNamespace: 'shop' })
    const { named } = await finding({})
    expect(named('mutating-webhook').seen).to.equal('notes who asks for an experiment in shop')
  })
})
