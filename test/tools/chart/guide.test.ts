import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { goTool } from '../../../sandbox/go-tools.ts'
import { preparedKubectl } from '../../../sandbox/prepare.ts'
import { run } from '../../../sandbox/run.ts'
import { CRDS_DELETED_MS, usesCertManagerCrds, usesOwnControlPlane } from '../../clusters/own-plane.ts'
import { Page } from '../../integration/document.ts'
import { needs } from '../../needs.ts'

const PAGE = new Page('helm.md')

describe('the guide to Helm', () => {
  needs('helm')
  const plane = usesOwnControlPlane()
  usesCertManagerCrds(plane)
  let folder = ''
  before('a folder with the file of the guide', async () => {
    folder = await mkdtemp(join(tmpdir(), 'helm-guide-'))
    await PAGE.writeFiles(folder)
  })
  after('the folder is removed', () => rm(folder, { recursive: true }))

  for (const step of PAGE.steps())
    it(`runs ${step.command}`, async function () {
      this.timeout(CRDS_DELETED_MS)
      const programs = [dirname(await goTool('helm')), dirname(await preparedKubectl(() => undefined))]
      const env = { PATH: [...programs, '/usr/bin', '/bin'].join(':'), HOME: folder, KUBECONFIG: plane().kubeconfig }
      const command = step.command.replace('values.yaml', join(folder, 'values.yaml'))
      const { code, stdout, stderr } = await run('bash', ['-o', 'pipefail', '-c', command], { env })
      PAGE.expectOutput(step, stdout + stderr)
      expect(code !== 0, stdout + stderr).to.equal(step.isRefused)
    })

  it('has no code that is not run', () => {
    // the command of the block `sh` is run by test/tools/chart/live.test.ts
    expect([...new Set(PAGE.languages())].sort()).to.deep.equal(['console', 'sh', 'yaml'])
    expect(PAGE.blocks('sh')).to.have.lengthOf(1)
  })
})
