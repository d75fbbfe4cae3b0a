import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { ANALYSIS_TEMPLATE } from '../../../common/api/names.ts'
import { at, type JsonObject, listOr, textOr } from '../../../common/json/json.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { DECIDED, runsPlugin } from '../../analyses/analyses.ts'
import { DEADLINE_MS, hasEndpoints, imagesOf, placeIn } from '../../integration/product.ts'
import { grantedRights } from '../../integration/users.ts'
import { usesPlugin } from '../plugin/plugin.ts'
import { usesEverything } from '../plugin/scenes.ts'

const [WORKFLOW = '', GITLAB = ''] = readFileSync('examples/ci/github.yaml', 'utf8').split('# For .gitlab-ci.yml:\n#\n')
const JOB = at(parse(WORKFLOW), 'jobs', 'release')
const GITLAB_JOB: unknown = at(parse(GITLAB.replaceAll(/^# /gm, '')), 'release-checkout')
const STEPS = listOr(at(JOB, 'steps'))
/** The command of the step with this condition. */
const stepIf = (condition?: string): string =>
  textOr(at(STEPS.find((step) => at(step, 'run') !== undefined && at(step, 'if') === condition) ?? {}, 'run'), 'none')
const PAGE = readFileSync('examples/ci/README.md', 'utf8')
const PERMISSIONS = [...PAGE.matchAll(/^\| (`.*`) \| `(\S+)`.*\|$/gm)].map(([, verbs = '', resources = '']) => ({
  verbs: verbs.replaceAll(/[` ]/g, ''),
  resources,
}))

/** Runs a job until its experiment waits, then ends it as GitLab does when somebody cancels it. */
const CANCELLED = `
${listOr(at(GITLAB_JOB, 'script')).join('\n')} &
job=$!
for attempt in $(seq 60); do
  kubectl experiment status "$NAME" --for=paused --timeout=2m && break
  sleep 1
done
kill $job
CI_JOB_STATUS=canceled
${listOr(at(GITLAB_JOB, 'after_script')).join('\n')}
`

describe('the examples for CI', function () {
  this.timeout(5 * DEADLINE_MS) // by default an analysis looks for the first time after 90 s
  const plane = usesEverything()
  const { answers } = runsPlugin(plane)
  const plugin = usesPlugin()

  /** A namespace with the source and a template, and with an account that has the permissions of the page. */
  async function jobIn(namespace: string, answer: JsonObject) {
    await plane().api.create('/api/v1/namespaces', { metadata: { name: namespace } })
    const place = await placeIn(namespace)
    for (const permissions of PERMISSIONS) await grantedRights(namespace, namespace, permissions)
    const { apiVersion, kind } = ANALYSIS_TEMPLATE
    const metrics = [{ ...DECIDED, plugin: { args: { of: namespace } } }]
    const template = { apiVersion, kind, metadata: { name: 'http' }, spec: { metrics } }
    await plane().api.create(resourcePath(ANALYSIS_TEMPLATE, { namespace }), template)
    answers.set(namespace, answer)
    const created = await place.kubectl(['apply', '-f', 'examples/ci/checkout.yaml'])
    expect(created.code, created.text).to.equal(0)
    await hasEndpoints(place, 'checkout', 4)
    return {
      place,
      run: (lines: string) =>
        plugin().shell(`IMAGE=registry.example/checkout:2 NAME=checkout-7-1\n${lines}`, {
          as: { user: 'admin', as: namespace, namespace },
          cwd: process.cwd(),
        }),
      images: async () => imagesOf(await place.deployment('checkout')),
      phase: async () => (await place.experimentAt('checkout-7-1')).status?.strategy?.phase,
    }
  }

  it('releases an image after a Pass, and nothing remains of the experiment', async () => {
    const { place, run, images } = await jobIn('ci-passes', { decision: 'Pass' })
    const { code, stdout, stderr } = await run(stepIf())
    expect(code, `${stdout}\n${stderr}`).to.equal(0)
    expect(await images()).to.deep.equal(['registry.example/checkout:2'])
    expect((await place.kubectl(['get', 'expd', '--output=name'])).text).to.equal('')
  })

  it('releases no image that does harm', async () => {
    const { run, images, phase } = await jobIn('ci-fails', { decision: 'Fail', message: 'too slow' })
    const { code, stdout, stderr } = await run(stepIf())
    expect(code, `${stdout}\n${stderr}`).to.equal(4)
    expect(stdout).to.contain('registry.example/checkout:2 is not released: it does harm')
    expect(await images()).to.deep.equal(['registry.example/checkout:1'])
    expect(await phase()).to.equal('Aborted')
  })

  it('aborts a run that gets no verdict', async () => {
    const { run, images, phase } = await jobIn('ci-waits', { decision: 'Wait' })
    const impatient = `sed s/65m/20s/ examples/ci/release.sh | sh -s -- "$IMAGE" "$NAME"`
    const { code, stdout, stderr } = await run(impatient)
    expect(code, `${stdout}\n${stderr}`).to.equal(124)
    expect(stdout).to.contain('there was no verdict in time')
    expect(await images()).to.deep.equal(['registry.example/checkout:1'])
    expect(await phase()).to.equal('Aborted')
  })

  it('aborts the run of a job that is cancelled', async () => {
    const { run, images, phase } = await jobIn('ci-cancelled', { decision: 'Wait' })
    const { code, stdout, stderr } = await run(CANCELLED)
    expect(code, `${stdout}\n${stderr}`).to.equal(0)
    expect(await images()).to.deep.equal(['registry.example/checkout:1'])
    expect(await phase()).to.equal('Aborted')
    expect(CANCELLED).to.contain(stepIf('cancelled()'))
  })
})
