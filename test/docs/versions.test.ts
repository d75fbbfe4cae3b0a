import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { kubernetesFolder, readPins } from '../../sandbox/pins.ts'

/** The version of Kubernetes that a folder of the sandbox pins: `1.36`. */
const minorIn = (folder: string): string => {
  const version = readPins(readFileSync(`${folder}/go.mod`, 'utf8')).versionOf('k8s.io/kubernetes')
  return version.replace(/^v(\d+\.\d+)\..*$/, '$1')
}

describe('the oldest Kubernetes that is supported', () => {
  const oldest = minorIn(kubernetesFolder('oldest'))

  for (const page of ['README.md', 'docs/install.md'])
    it(`is in ${page} the one that npm run test:compat uses`, () => {
      const stated = [...readFileSync(page, 'utf8').matchAll(/Kubernetes (1\.\d+) or newer/g)].map(([, minor]) => minor)
      expect(stated).to.deep.equal([oldest])
    })

  it('is older than the one of the other tests', () =>
    expect(Number(oldest.split('.')[1])).to.be.below(Number(minorIn(kubernetesFolder()).split('.')[1])))

  it('is chosen by its name', () =>
    expect(() => kubernetesFolder('1.33')).to.throw('KUBERNETES must be "newest" or "oldest", found "1.33"'))
})
