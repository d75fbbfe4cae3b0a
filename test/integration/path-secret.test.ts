import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Agent, request } from 'undici'
import { parseAllDocuments } from 'yaml'
import { textIn } from '../../certs/cluster.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { run } from '../../sandbox/run.ts'
import { anExperiment } from '../builders.ts'
import { aReview } from '../webhook/reviews.ts'
import { configured, shippedConfigurations } from './admission-webhook.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'
import { aReplica, aSecret } from './webhook-process.ts'

const PATH_SECRET = 's'.repeat(64)
const IMAGE = 'registry.example/cart:1.9.4'

describe('S4: a caller that is not the API server', () => {
  const plane = usesControlPlane()
  const undoing: (() => unknown)[] = []
  afterEach('everything is removed', async () => {
    for (const undo of undoing.splice(0).reverse()) await undo()
  })

  it('S4: learns nothing with the identity of an admin, while the API server is answered', async () => {
    const [namespace, secret] = [await aNamespace(), await aSecret()]
    const directory = mkdtempSync(join(tmpdir(), 'path-secret-'))
    undoing.push(secret.remove, () => rmSync(directory, { recursive: true }))
    writeFileSync(join(directory, 'current'), PATH_SECRET)
    const replica = await aReplica(plane(), { ...secret, env: { ...secret.env, PATH_SECRETS_DIR: directory } })
    undoing.push(() => replica.process.stop())
    undoing.push(
      await configured(plane(), namespace, { port: replica.port, ca: secret.pair.ca, pathSecret: PATH_SECRET }),
    )
    await plane().api.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
      metadata: { name: 'cart' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'cart' } },
        template: { metadata: { labels: { app: 'cart' } }, spec: { containers: [{ name: 'cart', image: IMAGE }] } },
      },
    })
    const template = { spec: { containers: [{ name: 'cart', image: 'guess' }] } }
    const object = anExperiment({ overrideSpec: { template }, sourceRef: { kind: 'Deployment', name: 'cart' } })

    const dispatcher = new Agent({ connect: { ca: secret.pair.ca } })
    undoing.push(() => dispatcher.close())
    const forged = async (path: string) => {
      const userInfo = { username: 'admin', groups: ['system:masters'] }
      const body = JSON.stringify(aReview({ namespace, object, userInfo }))
      const headers = { 'content-type': 'application/json' }
      const answer = await request(`https://127.0.0.1:${replica.port}${path}`, {
        dispatcher,
        method: 'POST',
        headers,
        body,
      })
      return `${answer.statusCode} ${await answer.body.text()}`
    }
    for (const path of ['/validate', '/mutate', `/validate/${'x'.repeat(64)}`])
      expect(await forged(path)).to.equal('404 not found; this server has POST /mutate and POST /validate\n')
    expect(await replica.metrics()).to.match(/^experiment_webhook_refused_total\{why="caller"\} 3$/m)
    expect(await forged(`/validate/${PATH_SECRET}`)).to.contain(IMAGE) // this is what the secret protects

    const { apiVersion, kind, plural } = EXPERIMENT_DEPLOYMENT
    const { spec } = object
    const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`
    const created = await plane().api.create(path, { apiVersion, kind, metadata: { name: 'faster' }, spec })
    expect(created.metadata.name).to.equal('faster')
  })

  it('S4: has an overlay beside cert-manager with the secret in both places, and the script keeps the path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifests-'))
    undoing.push(() => rmSync(folder, { recursive: true }))
    cpSync('manifests', join(folder, 'manifests'), { recursive: true })
    cpSync('crds', join(folder, 'crds'), { recursive: true })
    const env = join(folder, 'manifests/path-secret/path.env')
    rmSync(env, { force: true }) // the test of the admin's guide makes one meanwhile
    const { code, stdout, stderr } = await run(process.execPath, ['certs/main.ts', '--path-env', env])
    expect({ code, stdout, stderr }).to.deep.equal({ code: 0, stdout: `path secret created (${env})\n`, stderr: '' })
    const built = async (overlay: string) => {
      const found = await plane().kubectl(['kustomize', join(folder, 'manifests', overlay)])
      expect(found.stderr).to.equal('')
      return parseAllDocuments(found.stdout).map((document): KubeObject => document.toJS())
    }
    const pathsIn = (objects: readonly KubeObject[]) =>
      objects
        .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
        .flatMap(({ webhooks }) => listOr(webhooks).map((webhook) => at(webhook, 'clientConfig', 'service', 'path')))
    const overlay = await built('path-secret')
    const secret = overlay.find(({ metadata }) => metadata.name === 'experiment-webhook-path')
    const current = textIn(secret, 'current')
    expect(current).to.match(/^[0-9a-f]{64}$/)
    expect(pathsIn(overlay)).to.deep.equal([`/mutate/${current}`, `/validate/${current}`, `/validate/${current}`])
    expect(overlay.filter(({ kind, data }) => kind === 'ConfigMap' && JSON.stringify(data).includes(current)))
      .to.deep //
      .equal([])
    expect(pathsIn(await built('default'))).to.deep.equal(['/mutate', '/validate', '/validate'])
    expect(pathsIn(await built('script-certs'))).to.deep.equal([undefined, undefined, undefined])
  })

  it('S4: has a path set by the script in configurations of a Service, which another apply leaves alone', async () => {
    const namespace = await aNamespace()
    const name = `path-${namespace}`
    const manifestWith = (path: string | undefined) =>
      shippedConfigurations()
        .map((configuration) => ({
          ...configuration,
          metadata: { name },
          webhooks: configuration.webhooks.map((webhook) => ({
            ...webhook,
            namespaceSelector: { matchLabels: { none: namespace } }, // it is never called
            clientConfig: { service: { ...webhook.clientConfig.service, path } },
          })),
        }))
        .map((configuration) => JSON.stringify(configuration))
        .join('\n---\n')
    const apply = async (args: readonly string[] = [], input = manifestWith(undefined)) => {
      const { code, stderr } = await plane().kubectl(['apply', ...args, '-f', '-'], { input })
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    }
    const kinds = ['mutating', 'validating']
    const root = '/apis/admissionregistration.k8s.io/v1'
    for (const kind of kinds) undoing.push(() => plane().api.delete(`${root}/${kind}webhookconfigurations/${name}`))
    const certs = async () => {
      const args = ['certs/main.ts', '--namespace', namespace, '--configuration', name]
      const { code, stdout, stderr } = await run(process.execPath, args, {
        env: { ...process.env, KUBECONFIG: plane().kubeconfig },
      })
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      return stdout
    }
    const paths = async () => {
      const found = await Promise.all(
        kinds.map((kind) => plane().api.get<KubeObject>(`${root}/${kind}webhookconfigurations/${name}`)),
      )
      const configs = found.flatMap(({ webhooks }) => listOr(webhooks).map((webhook) => at(webhook, 'clientConfig')))
      return configs.map((config) => [at(config, 'service', 'path'), typeof at(config, 'caBundle')])
    }
    // an installation from before the secret had a path in its manifests; applying the new ones removes it
    await apply([], manifestWith('/validate'))
    expect((await paths()).map(([path]) => path)).to.deep.equal(['/validate', '/validate', '/validate'])
    await apply()
    expect((await paths()).map(([path]) => path)).to.deep.equal([undefined, undefined, undefined])
    expect(await certs()).to.contain('path secret created (Secret experiment-webhook-path)')
    const secret = await plane().api.get<KubeObject>(`/api/v1/namespaces/${namespace}/secrets/experiment-webhook-path`)
    const current = textIn(secret, 'current')
    const all = [
      [`/mutate/${current}`, 'string'],
      [`/validate/${current}`, 'string'],
      [`/validate/${current}`, 'string'],
    ]
    expect(await paths()).to.deep.equal(all)
    await apply()
    await apply(['--server-side', '--force-conflicts'])
    expect(await paths()).to.deep.equal(all)
    expect(await certs()).to.contain('path secret kept')
    expect(await paths()).to.deep.equal(all)
  })
})
