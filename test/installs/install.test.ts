import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { GROUP } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { ApiError } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { applyCrds } from '../../sandbox/first-objects.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { certManagerCrds, prometheusCrds } from '../../sandbox/modules.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { bind, may } from '../integration/roles.ts'
import { needs } from '../needs.ts'
import { usesManifests } from './applied-manifests.ts'

const DEPLOYMENTS = `/apis/apps/v1/namespaces/${SYSTEM_NAMESPACE}/deployments`
const BUDGETS = `/apis/policy/v1/namespaces/${SYSTEM_NAMESPACE}/poddisruptionbudgets`
const REPLICAS = { 'experiment-controller': 2, 'experiment-webhook': 3 }
const SERVER_SIDE = ['--server-side', '--validate=strict']
const INJECT = 'cert-manager.io/inject-ca-from'
const READ = ['get', 'list', 'watch']
const FLOW_SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'

describe('the manifests, in an empty cluster', () => {
  const plane = usesOwnControlPlane()
  needs('certManagerFiles', 'prometheusFiles')

  const { apply, isAccepted, certs, configurations, certified } = usesManifests(plane)

  it('are accepted strictly and without a warning in an empty cluster without cert-manager', async () => {
    await isAccepted('script-certs', '--validate=strict')
  })

  it('keep the certificates and the paths of the script when they are applied again, in any way', async () => {
    const before = await certified()
    expect(before).to.deep.equal(Array(3).fill([undefined, undefined]))
    expect(await certs()).to.match(/^leaf created for experiment-webhook\.experiment-controller-system\.svc, /m)
    const made = await certified()
    for (const [bundle, path] of made) {
      expect(bundle).to.be.a('string')
      expect(path).to.match(/^\/(mutate|validate)\/[0-9a-f]{64}$/)
    }
    await isAccepted('script-certs', '--validate=strict')
    expect(await certified()).to.deep.equal(made)
    await isAccepted('script-certs', ...SERVER_SIDE)
    expect(await certified()).to.deep.equal(made)
  })

  it('are accepted with certificates in a cluster with cert-manager', async () => {
    await applyCrds(plane().api, await certManagerCrds())
    await isAccepted('default', '--validate=strict')
    for (const { metadata } of await configurations()) expect(metadata.annotations).to.include.keys(INJECT)
  })

  it('are accepted with server-side apply, too', () => isAccepted('default', ...SERVER_SIDE))

  it('make the script refuse what cert-manager manages now', async () =>
    expect(await certs()).to.contain('certs: cert-manager manages these webhook configurations'))

  it('change nothing the second time', async () => {
    const generations = async () => {
      const found = await plane().api.list<KubeObject>(DEPLOYMENTS)
      return found.map(({ metadata }) => metadata.generation)
    }
    const first = await generations()
    await isAccepted('default', ...SERVER_SIDE)
    expect(await generations()).to.deep.equal(first)
  })

  it('are accepted with alerts and a dashboard in a cluster with the Prometheus Operator', async () => {
    await applyCrds(plane().api, await prometheusCrds())
    await isAccepted('monitoring', '--validate=strict')
    await isAccepted('monitoring', ...SERVER_SIDE)
  })

  it('are checked against the schemas of the Prometheus Operator, which refuse a misspelt field', async () => {
    for (const [file, right, wrong] of [
      ['alerts', 'annotations:', 'annotation:'],
      ['pod-monitors', 'podMetricsEndpoints:', 'endpoints:'],
    ] as const) {
      const input = readFileSync(`manifests/monitoring/${file}.yaml`, 'utf8').replace(right, wrong)
      const { stderr } = await plane().kubectl(['apply', ...SERVER_SIDE, '--dry-run=server', '-f', '-'], { input })
      expect(stderr).to.contain(`${wrong.slice(0, -1)}: field not declared in schema`)
    }
  })

  it('keep the optional parts when they are applied in another way', async () => {
    for (const folder of ['pack', 'policies', 'lease-priority']) {
      await isAccepted(folder)
      await isAccepted(folder, ...SERVER_SIDE)
    }
  })

  it('let the controller renew its Lease at the priority of leader elections, and nothing else', async () => {
    const { metadata } = await plane().api.get(`${FLOW_SCHEMAS}/experiment-controller-lease`)
    const account = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`
    const headersOf = async (resource: string) => {
      const args = ['get', resource, `--namespace=${SYSTEM_NAMESPACE}`, `--as=${account}`, '--v=8']
      return (await plane().kubectl(args)).stderr
    }
    await eventually('the API server to use the schema', 30_000, async () =>
      expect(await headersOf('lease/experiment-controller')).to.contain(metadata.uid),
    )
    expect(await headersOf('deployments')).to.not.contain(metadata.uid)
  })

  it('A-6: are "unchanged" the second time, but for the selector that kubectl sends each time', async () => {
    const folders = ['default', 'pack', 'policies', 'lease-priority', 'monitoring']
    for (const folder of folders) await isAccepted(folder)
    const all = await Promise.all(folders.map((folder) => apply(folder)))
    const lines = all.flatMap(({ stdout }) => stdout.trim().split('\n'))
    expect(lines.length).to.be.greaterThan(20)
    // policy/v1 declares the selector of a budget as "replace": kubectl sends it without comparing
    expect(lines.filter((line) => !line.endsWith(' unchanged'))).to.deep.equal([
      'poddisruptionbudget.policy/experiment-controller configured',
      'poddisruptionbudget.policy/experiment-webhook configured',
    ])
    for (const name of Object.keys(REPLICAS))
      expect((await plane().api.get(`${BUDGETS}/${name}`)).metadata.generation).to.equal(1)
  })

  it('are checked against the schemas of cert-manager, which refuse a misspelt field', async () => {
    const manifest = readFileSync('manifests/cert-manager/certificates.yaml', 'utf8')
    const input = manifest.replace('dnsNames:', 'dnsName:')
    const { code, stderr } = await plane().kubectl(['apply', ...SERVER_SIDE, '--dry-run=server', '-f', '-'], { input })
    expect(code).to.equal(1)
    expect(stderr).to.contain('.spec.dnsName: field not declared in schema')
  })

  it('get pods that Pod Security allows, three webhooks and two controllers, and budgets that count them', async () => {
    for (const [name, replicas] of Object.entries(REPLICAS)) {
      await eventually(`${name} to have its pods`, 30_000, async () => {
        const found = await plane().api.get(`${DEPLOYMENTS}/${name}`)
        expect(at(found, 'status', 'readyReplicas'), JSON.stringify(found.status)).to.equal(replicas)
      })
      await eventually('the budget to count', 30_000, async () => {
        const found = await plane().api.get(`${BUDGETS}/${name}`)
        expect(at(found, 'status', 'disruptionsAllowed'), JSON.stringify(found.status)).to.equal(replicas - 1)
      })
    }
  })

  it('refuse less restricted pods in their namespace', async () => {
    const pod = {
      metadata: { name: 'root' },
      spec: { containers: [{ name: 'root', image: 'registry.example/root:1' }] },
    }
    const answer = await plane()
      .api.create(`/api/v1/namespaces/${SYSTEM_NAMESPACE}/pods?dryRun=All`, pod)
      .catch((error: unknown) => error)
    expect(answer).to.be.instanceOf(ApiError)
    expect(`${answer}`).to.contain('violates PodSecurity "restricted')
  })

  it('let editors create experiments, viewers read them, both read policies, and neither providers', async () => {
    const namespace = 'default'
    const proof = { verb: 'get', group: GROUP, resource: 'experimentdeployments' }
    const edits = { verb: 'create', group: GROUP, resource: 'experimentdeployments' } // beside what it has from view
    await bind(plane(), 'alice', { role: 'edit', namespace, proof: edits })
    await bind(plane(), 'bob', { role: 'view', namespace, proof })
    const rights = async (user: 'alice' | 'bob', resource: string) => {
      const verbs = [...READ, 'create', 'update', 'patch', 'delete']
      const allowed = await Promise.all(
        verbs.map((verb) => may(plane(), user, { verb, group: GROUP, resource, namespace })),
      )
      return verbs.filter((_, index) => allowed[index])
    }
    const write = ['create', 'update', 'patch', 'delete']
    expect(await rights('alice', 'experimentdeployments')).to.deep.equal([...READ, ...write])
    expect(await rights('bob', 'experimentdeployments')).to.deep.equal(READ)
    expect(await rights('alice', 'experimentpolicies')).to.deep.equal(READ)
    expect(await rights('bob', 'experimentpolicies')).to.deep.equal(READ)
    expect(await rights('alice', 'experimentanalysistemplates')).to.deep.equal([...READ, ...write])
    expect(await rights('bob', 'experimentanalysistemplates')).to.deep.equal(READ)
    for (const user of ['alice', 'bob'] as const) {
      expect(await rights(user, 'experimentanalysisruns')).to.deep.equal(READ)
      expect(await rights(user, 'clusterexperimentanalysistemplates')).to.deep.equal(READ)
      expect(await rights(user, 'experimentanalysisproviders')).to.deep.equal([])
    }
  })

  // policies have no namespace: no RoleBinding grants them, and a review that names a namespace does not notice
  it('S11: show policies to everybody who has logged in, with kubectl, and let nobody else write them', async () => {
    const policy = new URL('../../manifests/policies', import.meta.url).pathname
    expect((await plane().kubectl(['apply', '-k', policy])).code).to.equal(0)
    for (const user of ['alice', 'bob'] as const) {
      const kubeconfig = await plane().kubeconfigAs(user)
      const kubectl = (...args: readonly string[]) => plane().kubectl(args, { kubeconfig })
      const list = await kubectl('get', 'expp')
      expect(list.stderr).to.equal('')
      expect(list.stdout).to.match(/^NAME +EXPERIMENTS +VIOLATIONS +ACTIONS +VALID +AGE\nrestricted /)
      expect((await kubectl('describe', 'expp/restricted')).stdout).to.contain('Max Replicas:')
      const refused = await kubectl('delete', 'expp/restricted')
      expect(refused.stderr).to.contain(`User "${user}" cannot delete resource "experimentpolicies"`)
    }
  })
})
