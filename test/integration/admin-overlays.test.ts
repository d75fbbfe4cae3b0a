import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { Page } from './document.ts'
import { usesControlPlane } from './fixture.ts'

const PAGE = new Page('admin.md')

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
  before('its files', async () => {
    folder = await mkdtemp(join(tmpdir(), 'overlays-'))
    await PAGE.writeFiles(folder)
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

  it('keep what each of them changes, if one lists the other', async () => {
    const chain = ['overlay', 'overlay-egress', 'overlay-nodes', 'overlay-readers', 'overlay-cut-over', 'closed']
    await writeFile(join(folder, 'closed', 'ca.crt'), 'the authority of the callers')
    for (const [index, overlay] of chain.entries()) {
      const file = join(folder, overlay, 'kustomization.yaml')
      const kustomization = await readFile(file, 'utf8')
      if (index > 1) await writeFile(file, kustomization.replace('- ../overlay\n', `- ../${chain[index - 1]}\n`))
    }
    const json = JSON.stringify(await objectsOf('closed'))
    for (const part of ['experiment-egress', '"hostNetwork":true', '"developers"', '"CUT_OVER"', '"CLIENT_CA"'])
      expect(json).to.contain(part)
  })

  it('set a variable', async () => {
    const controller = await built('overlay-workers', 'Deployment', 'experiment-controller')
    expect(JSON.stringify(controller)).to.contain('{"name":"WORKERS","value":"32"}')
  })
})
