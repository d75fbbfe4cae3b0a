import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { inParallel } from '../in-parallel.ts'
import { GRADED } from './mistakes/graded.ts'
import type { GradedMistake } from './mistakes/graded-mistake.ts'
import { manifestOf } from './mistakes/mistake.ts'
import { condition, DEADLINE_MS, hasEndpoints, type Place, usesProduct } from './product.ts'
import { usesRolloutCrds } from './rollout-crds.ts'

/** Starts about eighty kubectl processes, and a dozen forks. */
const ALL_MS = 300_000

/** `UPDATE_GOLDEN=1` writes this file again. */
const GOLDEN = new URL('mistakes-graded.md', import.meta.url)

interface Outcome {
  readonly answer: string
  /** `Ready` after the apply, for what is admitted */
  readonly ready?: string
}

describe('ordinary mistakes, by kubectl apply', () => {
  const place = usesProduct()
  usesRolloutCrds()
  const outcomes = new Map<GradedMistake, Outcome>()

  before('all are tried, with sources of every kind', async function () {
    this.timeout(ALL_MS)
    await sources(place())
    await hasEndpoints(place(), 'cart', 2)
    await eventually('nobody to lack a schema', DEADLINE_MS, async () => {
      const rollout = { title: 'none', paths: [], kind: 'Rollout', override: 'paused: true' } as const
      expect(await answerTo(place(), manifestOf(rollout))).to.not.contain('[SchemaNotAvailable]')
    })
    await inParallel(6, GRADED, async (mistake) => {
      outcomes.set(mistake, { answer: await answerTo(place(), manifestOf(mistake)) })
    })
    await inParallel(4, [...GRADED.entries()], async ([index, mistake]) => {
      const { answer = '' } = outcomes.get(mistake) ?? {}
      if (mistake.ends === undefined) return
      outcomes.set(mistake, { answer, ready: await endOf(place(), mistake, `mistake-${index}`) })
    })
  })

  for (const mistake of GRADED)
    if (mistake.warns === undefined)
      it(`${mistake.title}: is refused, and its field is named`, () => {
        const { answer = '' } = outcomes.get(mistake) ?? {}
        expect(answer).to.match(/is invalid|Error from server/)
        for (const path of mistake.paths) expect(answer).to.include(path)
      })
    else
      it(`${mistake.title}: is admitted, but not with confidence`, () => {
        const { answer = '', ready = '' } = outcomes.get(mistake) ?? {}
        expect(answer).to.include(`Warning: [${mistake.warns}] `)
        expect(ready).to.match(new RegExp(`^${mistake.ends}: `))
        expect(ready).not.to.contain('ApplyRefused')
      })

  it('M6: names no workload to those who may not list it', async () => {
    const { api, namespace, kubectl } = place()
    const [name, as] = ['reads-by-name', `guest-of-${namespace}`]
    const collection = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
    const verbs = ['get', 'create', 'patch']
    await api.create(`${collection}/roles`, {
      metadata: { name },
      rules: [
        { apiGroups: ['apps'], resources: ['deployments'], verbs },
        { apiGroups: [EXPERIMENT_DEPLOYMENT.apiVersion.split('/')[0]], resources: ['experimentdeployments'], verbs },
      ],
    })
    await api.create(`${collection}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: as }],
    })
    const manifest = manifestOf({
      title: 'none',
      paths: [],
      spec: 'sourceRef: {kind: Deployment, name: crat}\noverrideSpec: {}',
    })
    await eventually('the role to count', DEADLINE_MS, async () => {
      const { text } = await kubectl(['apply', '--dry-run=server', `--as=${as}`, '-f', '-'], manifest)
      expect(text).to.contain('[SourceNotFound] no deployment/crat').and.not.contain('did you mean')
    })
  })

  it('have exactly the chapters of mistakes-graded.md, with the same answers', () => {
    const chapters = GRADED.map((mistake) => chapter(mistake, outcomes.get(mistake)))
    const written = [head(), ...chapters].join('\n')
    if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, written)
    expect(readFileSync(GOLDEN, 'utf8')).to.equal(written)
  })
})

/** The Deployment `cart` with its Service, and one source of each other kind, all without real programs. */
async function sources({ api, path }: Place): Promise<void> {
  const image = (name: string) => `registry.example/${name}:1`
  const http = { name: 'http', containerPort: 8080 }
  const source = (app: string, pod: object, replicas = 0) => ({
    replicas,
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: pod },
  })
  const cart = {
    serviceAccountName: 'cart',
    containers: [
      {
        name: 'cart',
        image: image('cart'),
        ports: [http],
        env: [
          { name: 'LOG', value: 'info' },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'cart', key: 'password' } } },
        ],
        envFrom: [{ configMapRef: { name: 'cart' } }],
        resources: { requests: { cpu: '100m', memory: '128Mi' } },
        volumeMounts: [
          { name: 'config', mountPath: '/etc/cart' },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'cart' } },
      { name: 'tmp', emptyDir: {} },
    ],
  }
  const plain = { containers: [{ name: 'cart', image: image('shelf') }] }
  const shelf = {
    containers: [{ name: 'cart', image: image('shelf'), volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
  }
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  await api.create(path('services').replace(/services$/, 'serviceaccounts'), { metadata: { name: 'cart' } })
  await api.create(path('services'), {
    metadata: { name: 'cart' },
    spec: { selector: { app: 'cart' }, ports: [{ port: 80, targetPort: 'http' }] },
  })
  await api.create(path('deployments'), { metadata: { name: 'cart' }, spec: source('cart', cart, 2) })
  await api.create(path('deployments'), { metadata: { name: 'shelf' }, spec: source('shelf', plain) })
  await api.create(path('statefulSets'), {
    metadata: { name: 'cart' },
    spec: {
      ...source('stack', shelf),
      serviceName: 'stack',
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
    },
  })
  await api.create(path('rollouts'), {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'cart' },
    spec: { ...source('roll', { containers: [{ name: 'cart', image: image('roll') }] }), strategy: { canary: {} } },
  })
}

/** What kubectl prints in a dry run, whose names and counts do not depend on other experiments. */
async function answerTo({ kubectl, namespace }: Place, manifest: string): Promise<string> {
  const { text } = await kubectl(['apply', '--dry-run=server', '-f', '-'], manifest)
  return text.replaceAll(namespace, 'shop').trimEnd()
}

/** What `Ready` says in the end of an experiment with the mistake. The experiment is removed. */
async function endOf({ kubectl, reaches, api, path, namespace }: Place, mistake: GradedMistake, name: string) {
  const { text } = await kubectl(['apply', '-f', '-'], manifestOf({ ...mistake, name }))
  expect(text).to.contain(
    `${EXPERIMENT_DEPLOYMENT.kind.toLowerCase()}.${EXPERIMENT_DEPLOYMENT.apiVersion.split('/')[0]}/${name}`,
  )
  const { reason, message } = condition(await reaches(name, mistake.ends ?? ''), 'Ready') ?? { reason: '', message: '' }
  await api.delete(path('experiments', name))
  if (reason === 'PodsNotReady') return `${reason}: ` // what follows depends on the moment
  return `${reason}: ${message.replaceAll(/-experiment-[0-9a-f]{10}(?:-\w+-)?/g, '-experiment-<id>').replaceAll(namespace, 'shop')}`
}

function head(): string {
  const of = (grade: GradedMistake['grade']) => GRADED.filter((mistake) => mistake.grade === grade).length
  return `# Ordinary mistakes, graded

Written by test/integration/mistakes-graded.test.ts, which tries each on a real control plane; \`UPDATE_GOLDEN=1\` writes
it anew. Its nodes are simulated: no program runs, so forks become available that real nodes could not start.

| the first answer | mistakes |
| --- | --- |
| says what to write: mended at once | ${of('at once')} |
| names the field and the rule: mended with thought | ${of('with thought')} |
| is a plan that cannot come true | 0 |
`
}

function chapter(mistake: GradedMistake, { answer, ready }: Outcome = { answer: '' }): string {
  const end = ready === undefined ? [] : [`\nWithout the dry run it becomes \`${ready.replace(/: $/, '')}\`.`]
  return [
    `## ${mistake.title}\n`,
    `Mended ${mistake.grade}.\n`,
    `\`\`\`yaml\n${manifestOf(mistake)}\`\`\``,
    `\`\`\`console\n$ kubectl apply --dry-run=server -f -\n${answer}\n\`\`\``,
    ...end,
    '',
  ].join('\n')
}
