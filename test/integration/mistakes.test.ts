import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { inParallel } from '../in-parallel.ts'
import { admitting, type RunningWebhook } from './admission-webhook.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'
import { type Mistake, manifestOf } from './mistakes/mistake.ts'
import { OF_MERGES } from './mistakes/of-merges.ts'
import { OF_OVERRIDES } from './mistakes/of-overrides.ts'
import { OF_RESOURCES } from './mistakes/of-resources.ts'
import { OF_SCHEMA, OF_SILENCE } from './mistakes/of-schema.ts'
import { OF_VALUES } from './mistakes/of-values.ts'
import { usesRolloutCrds } from './rollout-crds.ts'

const MISTAKES: readonly Mistake[] = [
  ...OF_OVERRIDES,
  ...OF_MERGES,
  ...OF_VALUES,
  ...OF_RESOURCES,
  ...OF_SCHEMA,
  ...OF_SILENCE,
]

/** Starts about seventy kubectl processes. */
const ALL_MS = 300_000

/** `UPDATE_GOLDEN=1` writes this file again. */
const GOLDEN = new URL('mistakes.md', import.meta.url)

const HEAD = `# Common mistakes, and what kubectl says about them

Written by test/integration/mistakes.test.ts, which runs each through a real API server; \`UPDATE_GOLDEN=1\` writes it anew.
`

const template = {
  metadata: { labels: { app: 'cart' } },
  spec: {
    containers: [
      { name: 'proxy', image: 'registry.example/proxy:1' },
      { name: 'cart', image: 'registry.example/cart:1' },
    ],
  },
}
const spec = { replicas: 0, selector: { matchLabels: { app: 'cart' } }, template } // nothing here is about pods
const metadata = { name: 'cart' }

describe('common mistakes, by kubectl apply', () => {
  const plane = usesControlPlane()
  usesRolloutCrds()
  const answers = new Map<Mistake, string>()
  let namespace = ''
  let webhook: RunningWebhook | undefined

  before('all are applied, with a webhook and sources of every kind', async function () {
    this.timeout(ALL_MS)
    namespace = await aNamespace()
    const at = (group: string, plural: string) => `/apis/${group}/namespaces/${namespace}/${plural}`
    const { api } = plane()
    await api.create(at('apps/v1', 'deployments'), { metadata, spec })
    await api.create(at('apps/v1', 'statefulsets'), { metadata, spec: { ...spec, serviceName: 'cart' } })
    await api.create(at('argoproj.io/v1alpha1', 'rollouts'), {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata,
      spec: { ...spec, strategy: { canary: {} } },
    })
    webhook = await admitting(plane(), namespace)
    // in a whole run the installed webhook is called too, and warns until it has read the schema of Rollouts
    await eventually('nobody to lack a schema', 30_000, async () => {
      const rollout: Mistake = { title: 'none', paths: [], kind: 'Rollout', name: 'none', override: 'paused: true' }
      expect(await applied(manifestOf(rollout), rollout, '--dry-run=server')).to.not.contain('[SchemaNotAvailable]')
    })
    await inParallel(6, MISTAKES, async (mistake) => {
      if (mistake.before !== undefined) await applied(manifestOf(mistake, mistake.before), mistake)
      const more = mistake.warns === undefined ? [] : ['--dry-run=server'] // it would be stored
      answers.set(mistake, await applied(manifestOf(mistake), mistake, ...more))
    })
  })
  after('the webhook is removed', () => webhook?.remove())

  async function applied(
    manifest: string,
    { isServerSide = false, warns }: Mistake,
    ...more: string[]
  ): Promise<string> {
    const args = ['-n', namespace, 'apply', ...(isServerSide ? ['--server-side'] : []), ...more, '-f', '-']
    const { stdout, stderr } = await plane().kubectl(args, { input: manifest })
    const lines = `${stderr}${stdout}`.replaceAll(namespace, 'shop').trimEnd().split('\n')
    // the plan of an accepted one has the hash of its uid
    return lines.filter((line) => warns === undefined || line.startsWith(`Warning: [${warns}]`)).join('\n')
  }

  for (const mistake of MISTAKES)
    it(`${mistake.title}: ${mistake.warns ? 'is accepted with a warning' : 'is refused'}, and its field is named`, () => {
      const answer = answers.get(mistake) ?? ''
      if (mistake.warns !== undefined) {
        expect(answer).to.include(`Warning: [${mistake.warns}] `)
        for (const path of mistake.paths) expect(answer).to.include(path)
        return
      }
      expect(answer).to.match(/is invalid|Error from server/)
      for (const path of mistake.paths) expect(namedIn(answer), answer).to.include(path)
    })

  it('have exactly the chapters of mistakes.md, with the same answers', () => {
    const written = [HEAD, ...MISTAKES.map((mistake) => chapter(mistake, answers.get(mistake) ?? ''))].join('\n')
    if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, written)
    expect(readFileSync(GOLDEN, 'utf8')).to.equal(written)
  })
})

/** Every field path in an answer of kubectl: before a colon, or in quotes. */
const namedIn = (answer: string): readonly string[] =>
  [...answer.matchAll(/(?:^|[\s"])((?:spec|metadata)(?:\.[\w$-]+|\[[^\]]+\])+)(?=[:"])/gm)].map(
    ([, path]) => path ?? '',
  )

const chapter = (mistake: Mistake, answer: string): string => {
  const before = mistake.before === undefined ? [] : ['After', fenced('yaml', manifestOf(mistake, mistake.before)), '']
  const options = `${mistake.isServerSide ? '--server-side ' : ''}${mistake.warns ? '--dry-run=server ' : ''}`
  const command = `$ kubectl apply ${options}-f -`
  return [
    `## ${mistake.title}\n`,
    ...before,
    fenced('yaml', manifestOf(mistake)),
    fenced('console', `${command}\n${answer}\n`),
    '',
  ].join('\n')
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\`\`\``
