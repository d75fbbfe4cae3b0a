import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { wordsOf } from '../../integration/document.ts'
import { usesControlPlane } from '../../integration/fixture.ts'

const PAGE = await readFile('examples/argo-cd/README.md', 'utf8')
const MAPS = '/api/v1/namespaces/argocd/configmaps'

describe('the page about Argo CD', () => {
  const plane = usesControlPlane()

  it('adds its keys to the ConfigMap, and keeps the others', async () => {
    const { api, kubectl } = plane()
    const labels = { 'app.kubernetes.io/part-of': 'argocd' }
    await api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } })
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-cm', labels }, data: { url: 'own' } }
    await api.create(MAPS, map)

    const [, command = ''] = /^```sh\n(.*)\n```$/ms.exec(PAGE) ?? []
    const [program, ...args] = wordsOf(command)
    expect(program).to.equal('kubectl')
    expect(await kubectl(args)).to.include({ code: 0, stderr: '' })

    const { metadata, data } = await api.get<typeof map>(`${MAPS}/argocd-cm`)
    expect(metadata.labels).to.deep.equal(labels)
    expect(data.url).to.equal('own')
    expect(Object.keys(data)).to.have.lengthOf(3)
  })
})
