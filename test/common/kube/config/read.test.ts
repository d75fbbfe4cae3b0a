import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { fileIn, readKubeconfigs } from '../../../../common/kube/config/read.ts'

describe('readKubeconfigs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'read-'))
  after(() => rmSync(folder, { recursive: true }))
  const path = (name: string) => join(folder, name)
  writeFileSync(path('a'), 'current-context: a')
  writeFileSync(path('b'), 'current-context: b')
  writeFileSync(path('broken'), '[')
  mkdirSync(path('folder'))

  it('skips empty paths and files that do not exist', () => {
    const { kubeconfig, files } = readKubeconfigs(['', path('none'), path('a'), path('b')])
    expect([kubeconfig.currentContext, files]).to.deep.equal(['a', [path('a'), path('b')]])
    expect(readKubeconfigs([path('none')]).files).to.deep.equal([])
  })

  it('refuses one that cannot be read, or is broken, also where another one would do', () => {
    expect(() => readKubeconfigs([path('a'), path('folder')])).to.throw(
      `the kubeconfig ${path('folder')} cannot be read`,
    )
    expect(() => readKubeconfigs([path('a'), path('broken')])).to.throw(`${path('broken')} must be YAML`)
  })

  it('names field and file of what a kubeconfig refers to', () => {
    expect(fileIn('config: users[me].user.tokenFile', path('a'))).to.equal('current-context: a')
    expect(() => fileIn('config: users[me].user.tokenFile', path('none'))).to.throw(
      `config: users[me].user.tokenFile: ${path('none')} cannot be read: ENOENT`,
    )
  })
})
