import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { issue } from '../../../certs/issue.ts'
import { EXPERIMENT_DEPLOYMENT, SPEC_HASH } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { RESOURCES, resourcePath } from '../../../common/kube/client/resources.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { type Installation, SYSTEM_NAMESPACE } from '../../../sandbox/installation.ts'
import { anOverlay } from '../../clusters/overlay.ts'
import { usesOwnControlPlane } from '../../clusters/own-plane.ts'
import { Page } from '../../integration/document.ts'
import { asked, carryOut, commandsIn, doctor, finds, type Results, waiting } from './asked.ts'
import { CONFIGURATIONS, installByUrl, keepAddresses, readConfigurations, replaceConfigurations } from './by-url.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const LAST_CRD = `${CRDS}/clusterexperimentanalysistemplates.experimentcontroller.example.com`
const [MUTATING = '', VALIDATING = ''] = CONFIGURATIONS
const SECRET = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets/experiment-webhook-tls`
const WEBHOOK = resourcePath(RESOURCES.Deployment, { namespace: SYSTEM_NAMESPACE, name: 'experiment-webhook' })
const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/experiment-controller-account'
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/experiment-webhook'
const WAIT_MS = 5_000

/** What a Secret has with a certificate that is valid for so many days. */
async function certificateOf(days: number) {
  const { cert } = await issue({ names: ['experiment-webhook'], clock: () => new Date(), leafDays: days })
  return { data: { 'tls.crt': Buffer.from(cert).toString('base64') } }
}

describe('kubectl experiment doctor, in an installation by kustomize', function () {
  this.timeout(240_000)
  const plane = usesOwnControlPlane()
  let overlay = ''
  let product: Installation | undefined
  /** the configurations as the manifests and the script for certificates made them */
  let byService: readonly KubeObject[] = []
  const installed = (): Installation => {
    if (!product) throw new Error('it is installed by then')
    return product
  }
  const finding = (wanted: Results) => finds(plane().kubeconfig, wanted)
  const { api } = { api: () => plane().api }

  it('says what is missing where nothing is installed', async () => {
    const { code, checks } = await asked(plane().kubeconfig)
    expect(code).to.equal(1)
    expect(checks.map(({ name, result, seen }) => [name, seen.startsWith('needs') ? seen : result])).to.deep.equal([
      ['crds', 'bad'],
      ['webhook-configurations', 'bad'],
      ['validating-webhook', 'needs crds'],
      ['mutating-webhook', 'needs crds'],
      ['certificate', 'bad'],
      ['controller', 'bad'],
      ['versions', 'needs controller'],
      ['permissions', 'unknown'],
      ['account-policy', 'bad'],
      ['scaled-sources', 'ok'],
    ])
  })

  it('finds everything ok when it is installed', async () => {
    overlay = await anOverlay({ resources: ['script-certs', 'pack'], components: ['analysis', 'promotion'] })
    const where = { plane: plane(), overlay }
    await carryOut('kubectl apply -k overlay', where)
    await carryOut(`npm run certs -- --namespace=${SYSTEM_NAMESPACE}`, where)
    byService = await readConfigurations(plane())
    product = await installByUrl(plane(), overlay)
    await keepAddresses(plane(), overlay)
    await carryOut('kubectl apply -k overlay', where)
    await finding({})
    const { code, stdout } = await doctor(plane().kubeconfig)
    expect(code).to.equal(0)
    expect(stdout.split('\n')[0]).to.match(/^✔ ok {2}crds +6 CRDs of this version$/)
  })

  /** What somebody breaks, what the doctor finds then, and what is done beside the remedy where pods are processes. */
  interface Case {
    readonly break: () => Promise<unknown>
    readonly found: Results
    readonly seen: RegExp
    readonly remedy?: RegExp
    /** before its command */
    readonly before?: () => Promise<unknown>
    /** after its command */
    readonly after?: () => Promise<unknown>
  }
  const CASES: Readonly<Record<string, Case>> = {
    crds: {
      break: async () => {
        await api().delete(LAST_CRD)
        await eventually('the CRD to be gone', 60_000, async () => {
          const left = await api().list(CRDS)
          if (left.every(({ metadata }) => metadata.name !== LAST_CRD.slice(CRDS.length + 1))) return
          // the API server may forget it until it changes
          await api().patch(LAST_CRD, { metadata: { annotations: { looked: `${performance.now()}` } } })
          throw new Error('it is there')
        })
      },
      found: { crds: 'bad', 'validating-webhook': 'needs crds', 'mutating-webhook': 'needs crds' },
      seen: /^missing: clusterexperimentanalysistemplates/,
    },
    'webhook-configurations': {
      break: () =>
        api().patch(VALIDATING, [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }], 'json'),
      found: {
        'webhook-configurations': 'bad',
        'validating-webhook': 'needs webhook-configurations',
        'mutating-webhook': 'needs webhook-configurations',
      },
      seen: /^validate\.experimentcontroller\.example\.com has another failurePolicy than Fail$/,
    },
    'validating-webhook': {
      break: () => installed().webhook.end(),
      found: { 'validating-webhook': 'bad', 'mutating-webhook': 'needs validating-webhook' },
      seen: /failed calling webhook "validate/,
      after: () => installed().startWebhook(),
    },
    'mutating-webhook': {
      break: async () => {
        const { ca } = await issue({ names: ['another'], clock: () => new Date() })
        const value = Buffer.from(ca).toString('base64')
        await api().patch(MUTATING, [{ op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value }], 'json')
      },
      found: { 'mutating-webhook': 'bad' },
      seen: /^nobody notes who asks for an experiment in default$/,
    },
    certificate: {
      break: async () => api().patch(SECRET, await certificateOf(2)),
      found: { certificate: 'bad' },
      seen: /^it ends in less than 3 days, at \d{4}-/,
      // the script gives a certificate to a webhook behind a Service
      before: () => replaceConfigurations(plane(), byService),
      after: async () => {
        for (const path of CONFIGURATIONS) await api().delete(path)
        await carryOut('kubectl apply -k overlay', { plane: plane(), overlay })
      },
    },
    controller: {
      break: () => installed().controller().end(),
      found: { controller: 'bad', versions: 'needs controller' },
      seen: /^nobody holds the Lease experiment-controller$/,
      after: () => installed().startController(),
    },
    versions: {
      break: () => api().patch(WEBHOOK, { metadata: { labels: { 'app.kubernetes.io/version': '0.0.9' } } }),
      found: { versions: 'warn' },
      seen: /^the controller is [\d.]+, the webhook 0\.0\.9, this plugin [\d.]+$/,
    },
    permissions: {
      break: async () => {
        const { rules } = await api().get<{ readonly rules: readonly object[] }>(ROLE)
        const kept = rules.filter((rule) => !JSON.stringify(rule).includes('networkpolicies'))
        await api().patch(ROLE, { rules: kept })
      },
      found: { permissions: 'bad' },
      seen: /^the webhook may not list networkpolicies\.networking\.k8s\.io$/,
    },
    'account-policy': {
      break: () => {
        const value = "request.userInfo.username == 'system:serviceaccount:elsewhere:experiment-controller'"
        return api().patch(POLICY, [{ op: 'replace', path: '/spec/matchConditions/0/expression', value }], 'json')
      },
      found: { 'account-policy': 'bad' },
      seen: /^is not about system:serviceaccount:experiment-controller-system:experiment-controller$/,
    },
  }
  for (const [name, each] of Object.entries(CASES))
    it(`finds what is wrong with ${name}, and its remedy mends it`, async () => {
      await each.break()
      const { named } = await finding(each.found)
      const { seen, remedy, result } = named(name)
      expect(seen).to.match(each.seen)
      const { ended } = await waiting(plane().kubeconfig)
      await each.before?.()
      const [command = 'none'] = commandsIn(remedy)
      await carryOut(command, { plane: plane(), overlay })
      await each.after?.()
      const mendedMs = performance.now()
      const { code, stdout, atMs } = await ended
      expect(code, stdout).to.equal(0)
      if (result === 'bad') {
        expect(atMs - mendedMs).to.be.lessThan(WAIT_MS)
        expect(stdout)
          .to.match(new RegExp(`^✖ bad +${name} `, 'm'))
          .and.match(new RegExp(`^✔ ok +${name} `, 'm'))
      }
      await finding({})
    })

  it('warns of CRDs of another version, and of a certificate that ends soon', async () => {
    await api().patch(LAST_CRD, { metadata: { annotations: { [SPEC_HASH]: 'older' } } })
    const before = await api().get<{ readonly data: object }>(SECRET)
    await api().patch(SECRET, await certificateOf(20))
    const { named } = await finding({ crds: 'warn', certificate: 'warn' })
    expect(named('crds').seen).to.match(/^of another version: cluster/)
    await api().patch(SECRET, { data: before.data })
    await carryOut(commandsIn(named('crds').remedy)[0] ?? 'none', { plane: plane(), overlay })
    await finding({})
  })

  it('warns of a source that a canary has made smaller, until that is aborted', async () => {
    const [deployments, experiments] = [RESOURCES.Deployment, EXPERIMENT_DEPLOYMENT].map((of) =>
      resourcePath(of, { namespace: 'default' }),
    )
    const template = {
      metadata: { labels: { app: 'cart' } },
      spec: { containers: [{ name: 'cart', image: 'cart:1' }] },
    }
    await api().create(deployments ?? '', {
      metadata: { name: 'cart' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'cart' } }, template },
    })
    await api().create('/api/v1/namespaces/default/services', {
      metadata: { name: 'cart' },
      spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] },
    })
    await api().create(experiments ?? '', {
      ...{ apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion, kind: EXPERIMENT_DEPLOYMENT.kind },
      metadata: { name: 'smaller' },
      spec: {
        sourceRef: { kind: 'Deployment', name: 'cart' },
        overrideSpec: { template: { metadata: { labels: { copy: 'one' } } } },
        strategy: { canary: { scaleDownSource: true, steps: [{ setWeight: 50 }, { pause: {} }] } },
      },
    })
    const { named } = await finding({ 'scaled-sources': 'warn' })
    const { seen, remedy } = named('scaled-sources')
    expect(seen).to.equal('smaller than without their experiments: default/cart')
    expect(commandsIn(remedy)).to.deep.equal(['kubectl experiment abort smaller --namespace=default'])
    await carryOut(commandsIn(remedy)[0] ?? 'none', { plane: plane(), overlay })
    await finding({})
  })

  for (const line of new Page('troubleshooting.md').blocks('sh').flatMap((block) => block.trim().split('\n')))
    it(`runs ${line.replace(/ +#.*/, '')}, as the guide shows it`, async () => {
      const [, command = ''] = /^kubectl experiment (doctor.*?)(?: +#.*)?$/.exec(line) ?? []
      const [, ...flags] = command.split(' ')
      const { code, stdout } = await doctor(plane().kubeconfig, ...flags)
      expect(command, line).to.not.equal('')
      expect(code, stdout).to.equal(0)
    })

  it('says "unknown" in each line to somebody without rights', async () => {
    const kubeconfig = await plane().serviceAccountKubeconfig({ namespace: 'default', name: 'default' })
    const { code, checks } = await asked(kubeconfig)
    expect(code).to.equal(0)
    expect(checks.filter(({ result }) => result !== 'unknown')).to.deep.equal([])
    expect(
      checks.map(({ seen }) => seen).filter((seen) => !/cannot (get|list|create) resource/.test(seen)),
    ).to.deep.equal([])
  })

  it('names the policy that refuses a dry run, and blames nobody else', async () => {
    const [policies = '', bindings = ''] = ['policies', 'policybindings'].map(
      (plural) => `/apis/admissionregistration.k8s.io/v1/validatingadmission${plural}`,
    )
    await api().create(policies, {
      metadata: { name: 'freeze' },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              ...{ apiGroups: ['experimentcontroller.example.com'], apiVersions: ['*'] },
              ...{ operations: ['CREATE'], resources: ['experimentdeployments'] },
            },
          ],
        },
        validations: [{ expression: 'false', message: 'not today' }],
      },
    })
    await api().create(bindings, {
      metadata: { name: 'freeze' },
      spec: { policyName: 'freeze', validationActions: ['Deny'] },
    })
    const { named } = await finding({ 'validating-webhook': 'unknown', 'mutating-webhook': 'unknown' })
    for (const name of ['validating-webhook', 'mutating-webhook'])
      expect(named(name).seen).to.contain("ValidatingAdmissionPolicy 'freeze'").and.contain('not today')
    for (const collection of [bindings, policies]) await api().delete(`${collection}/freeze`)
    await finding({})
  })

  it('says what another namespace lacks', async () => {
    const { named } = await asked(plane().kubeconfig, '--namespace=nowhere')
    expect(named('controller')).to.include({ result: 'bad', seen: 'nobody holds the Lease experiment-controller' })
    expect(named('account-policy').seen).to.equal('is not about system:serviceaccount:nowhere:experiment-controller')
  })

  after('the overlay is removed', () => rm(dirname(overlay), { recursive: true, force: true }))
})
