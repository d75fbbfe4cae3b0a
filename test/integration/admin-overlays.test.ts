import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { ADMIN_PAGES, Page } from './document.ts'
import { usesControlPlane } from './fixture.ts'

const PAGE = new Page(...ADMIN_PAGES)
const INSTALLATIONS = ['default', 'script-certs', 'path-secret']
/** The components for each scope of an installation. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'the whole cluster': [],
  'one namespace': ['namespaced'],
  'one namespace, beside another installation': ['namespaced', 'beside'],
}
const OPTIONAL = ['gate', 'cut-over', 'promotion', 'openshift']

/** Where `value` has a text with the namespace of the installation: `spec.dnsNames[]`. */
function placesIn(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => placesIn(item, `${path}[]`))
  if (isObject(value))
    return Object.entries(value).flatMap(([key, member]) => placesIn(member, path === '' ? key : `${path}.${key}`))
  return typeof value === 'string' && value.includes(SYSTEM_NAMESPACE) ? [path] : []
}

describe('overlays of the guide for admins that it does not apply', () => {
  const plane = usesControlPlane()
  let folder = ''
  /** what the page has in each file */
  const written = new Map<string, string>()
  before('its files, and the manifests with a secret in the path', async () => {
    folder = await mkdtemp(join(tmpdir(), 'overlays-'))
    await PAGE.writeFiles(folder)
    for (const file of await readdir(folder, { recursive: true }))
      if (file.endsWith('.yaml')) written.set(file, await readFile(join(folder, file), 'utf8'))
    for (const name of ['manifests', 'crds']) await cp(name, join(folder, name), { recursive: true })
    await writeFile(join(folder, 'manifests/path-secret/path.env'), 'current=0123456789abcdef0123456789abcdef\n')
  })
  after('they are removed', () => rm(folder, { recursive: true }))

  /** The objects that kustomize builds. */
  async function objectsOf(overlay: string): Promise<readonly KubeObject[]> {
    const { code, stdout, stderr } = await plane().kubectl(['kustomize', join(folder, overlay)])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    return parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
  }
  const built = async (overlay: string, kind: string, name: string): Promise<KubeObject | undefined> =>
    (await objectsOf(overlay)).find((object) => object.kind === kind && object.metadata.name === name)

  /** Writes an overlay of folders of `manifests`, for the namespace "bank" if it serves only one. */
  async function writeOverlay(
    name: string,
    resources: readonly string[],
    components: readonly string[],
  ): Promise<void> {
    const isForOne = components.includes('namespaced')
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [...resources.map((each) => `../manifests/${each}`), ...(isForOne ? ['watch.yaml'] : [])],
      components: components.map((each) => `../manifests/${each}`),
    }
    await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(folder, name, 'kustomization.yaml'), JSON.stringify(kustomization))
    await writeFile(join(folder, name, 'watch.yaml'), written.get('overlay-bank/watch.yaml') ?? '')
  }

  it('put the webhook into the network of the nodes', async () => {
    const webhook = await built('overlay-nodes', 'Deployment', 'experiment-webhook')
    expect(at(webhook, 'spec', 'template', 'spec', 'hostNetwork')).to.equal(true)
    expect(at(webhook, 'spec', 'strategy', 'rollingUpdate')).to.deep.equal({ maxUnavailable: 1, maxSurge: 0 })
    const namespace = await built('overlay-nodes', 'Namespace', 'experiment-controller-system')
    expect(namespace?.metadata.labels).to.include({ 'pod-security.kubernetes.io/enforce': 'privileged' })
  })

  it('let one group read policies, not everybody who has logged in', async () => {
    const subjects = async (overlay: string) =>
      (await built(overlay, 'ClusterRoleBinding', 'experiment-policy-viewer'))?.subjects
    const group = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group' }
    expect(await subjects('overlay')).to.deep.equal([{ ...group, name: 'system:authenticated' }])
    expect(await subjects('overlay-readers')).to.deep.equal([{ ...group, name: 'developers' }])
  })

  it('let both programs reach the API server, DNS and a provider, and restrict nobody who calls them', async () => {
    const policy = await built('overlay-egress', 'NetworkPolicy', 'experiment-egress')
    expect(at(policy, 'spec', 'policyTypes')).to.deep.equal(['Egress'])
    expect(listOr(at(policy, 'spec', 'egress'))).to.have.lengthOf(3)
    for (const name of ['experiment-controller', 'experiment-webhook']) {
      const workload = await built('overlay-egress', 'Deployment', name)
      expect(workload?.metadata.namespace).to.equal(policy?.metadata.namespace)
      const labels = at(workload, 'spec', 'template', 'metadata', 'labels')
      expect(labels).to.deep.include(at(policy, 'spec', 'podSelector', 'matchLabels'))
    }
  })

  for (const [scope, served] of [
    ['namespaced', 'shop'],
    ['bank', 'bank'],
  ])
    it(`serve one namespace with certificates by the script, as overlay-${scope}-script`, async () => {
      const watch = written.get(`overlay-${scope}/watch.yaml`) ?? ''
      await writeFile(join(folder, `overlay-${scope}-script`, 'watch.yaml'), watch)
      const objects = await objectsOf(`overlay-${scope}-script`)
      const roles = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace === served)
      expect(roles.map(({ metadata }) => metadata.name)).to.include('experiment-controller')
      expect(objects.filter(({ kind }) => kind === 'Certificate')).to.deep.equal([])
      const programs = objects.filter(({ kind }) => kind === 'Deployment')
      expect(JSON.stringify(programs)).to.contain('{"name":"ANALYSIS","value":"enabled"}')
    })

  it('leave the former namespace in the places that the guide lists, if they name another one', async () => {
    const overlay = join(folder, 'elsewhere')
    const optional = ['monitoring', 'lease-priority'].map((name) => relative(overlay, join('manifests', name)))
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      namespace: 'elsewhere',
      resources: ['../overlay', ...optional],
    }
    await mkdir(overlay)
    await writeFile(join(overlay, 'kustomization.yaml'), JSON.stringify(kustomization))
    const places = (await objectsOf('elsewhere')).flatMap((object) =>
      placesIn(object).map((place) => `${object.kind} ${object.metadata.name}: ${place}`),
    )
    const [, table = ''] = /^### The namespace of the installation\n(.*?)^##/ms.exec(PAGE.text) ?? []
    const listed = [...table.matchAll(/^\| (\w+) `([\w-]+)`.*? \| (.+) \|$/gm)].flatMap(([, kind, name, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, place]) => `${kind} ${name}: ${place}`),
    )
    expect([...new Set(places)].sort()).to.deep.equal(listed.sort())
  })

  for (const installation of INSTALLATIONS)
    for (const [scope, components] of Object.entries(SCOPES)) {
      const isBeside = components.includes('beside')
      const namespace = isBeside ? 'experiments-bank' : SYSTEM_NAMESPACE
      const base = `${installation}-${components.join('-')}`

      it(`N27: build from manifests/${installation} for ${scope}, with all that can be listed beside it`, async () => {
        const analysis = installation === 'script-certs' ? ['analysis'] : []
        const resources = [installation, 'monitoring', 'lease-priority', ...(isBeside ? [] : ['pack'])]
        await writeOverlay(`${base}-all`, resources, [...analysis, ...components, ...OPTIONAL])
        const objects = await objectsOf(`${base}-all`)
        const programs = JSON.stringify(objects.filter(({ kind }) => kind === 'Deployment'))
        expect(programs).not.to.contain('"runAsUser"')
        for (const name of ['ANALYSIS', 'GATE', 'CUT_OVER', 'PROMOTION'])
          expect(programs.split(`{"name":"${name}","value":"enabled"}`)).to.have.lengthOf(3) // in both programs
        const injected = objects
          .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
          .map(({ metadata }) => metadata.annotations?.['cert-manager.io/inject-ca-from'])
        const certificate = installation === 'script-certs' ? undefined : `${namespace}/experiment-webhook-tls`
        expect(injected).to.deep.equal([certificate, certificate])
      })

      it(`N27: keep what each of them changes, one above the other, from manifests/${installation} for ${scope}`, async () => {
        await writeOverlay(base, [installation], components)
        const chain = ['overlay-egress', 'overlay-nodes', 'overlay-readers', 'overlay-cut-over', 'closed']
        await writeFile(join(folder, 'closed', 'ca.crt'), 'the authority of the callers')
        for (const [index, overlay] of chain.entries())
          for (const file of ['kustomization.yaml', 'egress.yaml'].filter((name) =>
            written.has(`${overlay}/${name}`),
          )) {
            const text = written.get(`${overlay}/${file}`) ?? ''
            const above = text.replace('- ../overlay\n', `- ../${index === 0 ? base : chain[index - 1]}\n`)
            await writeFile(join(folder, overlay, file), above.replaceAll(SYSTEM_NAMESPACE, namespace))
          }
        const objects = await objectsOf('closed')
        const json = JSON.stringify(objects)
        for (const part of ['experiment-egress', '"hostNetwork":true', '"CUT_OVER"', '"CLIENT_CA"', '"privileged"'])
          expect(json).to.contain(part)
        expect(json.includes('"developers"')).to.equal(!isBeside) // the roles for people are those of the first one
        const limits = objects.find(({ metadata }) => metadata.name.startsWith('experiment-controller-account'))
        expect(JSON.stringify(limits)).to.contain('only forks, and sources by a promotion')
        const namespaces = objects.filter(({ kind }) => kind !== 'Role' && kind !== 'RoleBinding')
        expect([...new Set(namespaces.map(({ metadata }) => metadata.namespace))]).to.have.members([
          undefined,
          namespace,
        ])
      })
    }

  it('set a variable', async () => {
    const controller = await built('overlay-workers', 'Deployment', 'experiment-controller')
    expect(JSON.stringify(controller)).to.contain('{"name":"WORKERS","value":"32"}')
  })
})
