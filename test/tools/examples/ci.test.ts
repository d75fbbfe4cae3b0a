import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { ANALYSIS_TEMPLATE } from '../../../common/api/names.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
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

const RELEASED = { image: 'registry.example/checkout:2', path: undefined }
const ABORTED = { image: 'registry.example/checkout:1', path: 'Abort' }

/** Runs a job until its experiment waits, then ends it as GitLab does when somebody cancels it. */
const CANCELLED = `
${listOr(at(GITLAB_JOB, 'script')).join('\n')} &
job=$!
kubectl wait expd/"$NAME" --for=create --timeout=2m
kubectl experiment status "$NAME" --for=paused --timeout=2m
kill $job
CI_JOB_STATUS=canceled
${listOr(at(GITLAB_JOB, 'after_script')).join('\n')}
`

describe('the examples for CI', function () {
  this.timeout(5 * DEADLINE_MS) // by default an analysis looks for the first time after 90 s
  const plane = usesEverything()
  const { answers } = runsPlugin(plane)
  const plugin = usesPlugin()

  /** What remains of a job, in a namespace of its own with the source and a template. */
  async function done(namespace: string, { answer, lines }: { readonly answer: JsonObject; readonly lines: string }) {
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
    const ran = await plugin().shell(`IMAGE=registry.example/checkout:2 NAME=checkout-7-1\n${lines}`, {
      as: { user: 'admin', as: namespace, namespace },
      cwd: process.cwd(),
    })
    const [experiment] = await place.api.list<ExperimentDeployment>(place.path('experiments'))
    return {
      code: ran.code,
      said: `${ran.stdout}${ran.stderr}`,
      image: imagesOf(await place.deployment('checkout'))[0],
      path: experiment?.status?.strategy?.path,
    }
  }

  /** Each of them mostly waits. */
  const jobs = new Map<string, ReturnType<typeof done>>()
  before('the jobs begin', () => {
    const [lines, impatient] = [stepIf(), `sed s/65m/20s/ examples/ci/release.sh | sh -s -- "$IMAGE" "$NAME"`]
    jobs
      .set('passes', done('ci-passes', { answer: { decision: 'Pass' }, lines }))
      .set('fails', done('ci-fails', { answer: { decision: 'Fail', message: 'too slow' }, lines }))
      .set('waits', done('ci-waits', { answer: { decision: 'Wait' }, lines: impatient }))
      .set('is cancelled', done('ci-cancelled', { answer: { decision: 'Wait' }, lines: CANCELLED }))
  })
  after('they have ended', () => Promise.allSettled(jobs.values()))

  const ends: Readonly<Record<string, { readonly code: number; readonly says: RegExp; readonly after: object }>> = {
    passes: { code: 0, says: /^experimentdeployment\S+ "checkout-7-1" deleted/m, after: RELEASED },
    fails: { code: 4, says: /^registry.example\/checkout:2 is not released: it does harm/m, after: ABORTED },
    waits: { code: 124, says: /: there was no verdict in time$/m, after: ABORTED },
    'is cancelled': { code: 0, says: /^checkout-7-1: the command abort was given$/m, after: ABORTED },
  }
  for (const [job, { code, says, after: remains }] of Object.entries(ends))
    it(`end as they say if a job ${job}`, async () => {
      const found = await jobs.get(job)
      expect(found?.said).to.match(says)
      expect(found).to.deep.include({ code, ...remains })
    })

  it('cancel as GitHub does', () => {
    expect(CANCELLED).to.contain(stepIf('cancelled()'))
  })
})
