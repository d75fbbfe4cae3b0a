import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { EXPERIMENT_DEPLOYMENT, GROUP } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { pathOf } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { applyCrds } from '../../sandbox/first-objects.ts'
import { certManagerCrds } from '../../sandbox/modules.ts'
import { run } from '../../sandbox/run.ts'
import { Page, patternOf, wordsOf } from '../integration/document.ts'
import { usesOwnControlPlane } from './own-plane.ts'

const PAGE = new Page('admin.md')
/** The guide has the script write this file. */
const PATH_ENV = 'manifests/path-secret/path.env'
const EMERGENCY_EXIT = 'kubectl delete validatingwebhookconfiguration'
const LAST_OF_INSTALLATION = 'kubectl apply -k manifests/pack'

describe('the guide for admins, in a cluster of its own', () => {
  // the kind exists before the quota controller starts, which looks for new kinds only every 30 s
  const plane = usesOwnControlPlane(() => [readFileSync('crds/experimentdeployments.yaml', 'utf8')])
  let folder = ''
  before('cert-manager and a folder for the overlay', async () => {
    await applyCrds(plane().api, await certManagerCrds())
    folder = await mkdtemp(join(tmpdir(), 'admin-'))
    await PAGE.writeFiles(folder, (text) => text.replaceAll('../manifests', relative(folder, 'manifests')))
  })
  before('no secret of an earlier run', () => rm(PATH_ENV, { force: true }))
  after('the folder and the secret are removed', async () => {
    await rm(folder, { recursive: true })
    await rm(PATH_ENV, { force: true })
  })

  async function said(command: string) {
    const [program, ...args] = wordsOf(command)
    if (program === 'kubectl') return plane().kubectl(args)
    const [, script = '', ...more] = args
    expect(['build', 'certs']).to.include(script)
    const env = { ...process.env, KUBECONFIG: plane().kubeconfig }
    return run(process.execPath, [`${script}/main.ts`, ...more.slice(1)], { env })
  }

  for (const { command, says } of PAGE.steps()) {
    it(`runs ${command}`, async () => {
      const { code, stdout, stderr } = await said(command)
      expect(code, stderr).to.equal(0)
      for (const line of says) expect(`${stdout}\n${stderr}`).to.match(patternOf(line))
    })

    if (command.startsWith(EMERGENCY_EXIT))
      it('admits experiments from then on, and the quota counts them', async () => {
        const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
        const spec = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {} }
        await eventually('an experiment to be let in', 20_000, () =>
          plane().api.apply(pathOf(EXPERIMENT_DEPLOYMENT, { namespace: 'default', name: 'let-in' }), {
            apiVersion,
            kind,
            metadata: { name: 'let-in' },
            spec,
          }),
        )
        await eventually('the quota to count it', 50_000, async () => {
          const quota = await plane().api.get('/api/v1/namespaces/default/resourcequotas/experiments')
          const used = at(quota, 'status', 'used', `count/${EXPERIMENT_DEPLOYMENT.plural}.${GROUP}`)
          expect(used, JSON.stringify(quota.status)).to.equal('1')
        })
      })

    if (command === LAST_OF_INSTALLATION)
      it('has an overlay that is accepted, with the addresses, the image and the callers that it names', async () => {
        const { stdout, stderr } = await plane().kubectl(['kustomize', folder])
        expect(stderr).to.equal('')
        const built = parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
        const the = (kind: string) =>
          built.find((object) => object.kind === kind && object.metadata.name === 'experiment-webhook')
        const from = at(listOr(at(the('NetworkPolicy'), 'spec', 'ingress'))[0], 'from')
        expect(from).to.deep.equal([{ ipBlock: { cidr: '192.0.2.10/32' } }, { ipBlock: { cidr: '192.0.2.11/32' } }])
        const [container] = listOr(at(the('Deployment'), 'spec', 'template', 'spec', 'containers'))
        expect(at(container, 'image')).to.equal('registry.example/experiment-deployment-controller:0.1.0')
        const variables = listOr(at(container, 'env')).map((variable) => at(variable, 'name'))
        expect(variables).to.include.members(['CLIENT_CA', 'CLIENT_NAMES'])
        const { code, stderr: refused } = await plane().kubectl(['apply', '--dry-run=server', '-k', folder])
        expect({ code, refused }).to.deep.equal({ code: 0, refused: '' })
      })
  }

  it('has run every command of the guide', () => {
    const commands = PAGE.steps().map(({ command }) => command)
    expect(commands).to.include(LAST_OF_INSTALLATION)
    expect(commands.length).to.be.greaterThan(8)
    expect(PAGE.inline()).to.deep.equal([])
    expect([...new Set(PAGE.languages())].sort()).to.deep.equal(['console', 'yaml'])
  })
})
