import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'chai'
import { apiServerOf, LibraryCredentials } from '../../../../common/kube/library/credentials.ts'
import { VirtualTime } from '../../../virtual-time.ts'

describe('several kubeconfigs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfigs-'))
  after(() => rmSync(folder, { recursive: true }))

  /** The path of a file with one cluster of its own, and one whose name all files have. */
  function file(name: string, currentContext?: string): string {
    const path = join(folder, name)
    const names = [name, 'shared']
    const config = {
      ...(currentContext === undefined ? {} : { 'current-context': currentContext }),
      clusters: names.map((each) => ({ name: each, cluster: { server: `https://${each}.of.${name}` } })),
      users: names.map((each) => ({ name: each, user: { token: `${each} of ${name}` } })),
      contexts: names.map((each) => ({ name: each, context: { cluster: each, user: each } })),
    }
    writeFileSync(path, JSON.stringify(config))
    return path
  }

  const serverIn = (...paths: readonly string[]) => apiServerOf(paths.join(delimiter)).hostname

  it('have the first current context', () => {
    expect(serverIn(file('a', 'a'), file('b', 'b'))).to.equal('a.of.a')
    expect(serverIn(file('a'), file('b', 'b'))).to.equal('b.of.b')
  })

  it('have the first of two entries with one name', async () => {
    const kubeconfig = [file('a'), file('b', 'shared')].join(delimiter)
    const credentials = new LibraryCredentials({ kubeconfig, timers: new VirtualTime() })
    const { origin, headers } = await credentials.access()
    expect({ origin, token: headers.Authorization }).to.deep.equal({
      origin: 'https://shared.of.a',
      token: 'Bearer shared of a',
    })
    await credentials.close()
  })

  it('may be missing, but not all of them', () => {
    expect(serverIn('', join(folder, 'none'), file('b', 'b'))).to.equal('b.of.b')
    expect(() => serverIn(join(folder, 'none'))).to.throw('ENOENT')
  })
})
