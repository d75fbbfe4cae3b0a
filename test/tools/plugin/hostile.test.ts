import { once } from 'node:events'
import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { imageOverride } from '../../builders.ts'
import { aSource, DEADLINE_MS, forkOf, type Place, placeIn } from '../../integration/product.ts'
import { usesPlugin } from './plugin.ts'
import { created, usesEverything } from './scenes.ts'

const TRAP = { user: 'admin', namespace: 'trap' } as const
/** Markup, a title of a terminal, a link that lies (OSC 8), a colour, a cleared screen, bidi, and half a character. */
const HOSTILE =
  '<script>alert(1)</script> \u001b]0;owned\u0007 \u001b]8;;http://evil\u001b\\good\u001b]8;;\u001b\\ \u001b[31mred\u001b[2J' +
  ' \u009b1A \u202egnp.exe\u2066 \u200b\u2028\r\n\ud800 __proto__'
const HUGE = `${HOSTILE}${'x'.repeat(1_000_000)}`
/** What nobody may print but as a line feed: invisible characters, also of 8 bits. */
const INVISIBLE = /[^\n\P{C}]|[\p{Zl}\p{Zp}]/u
/** The sequences by which log-update and marks of ours work. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const OURS = /\u001b\[(?:\?2026[hl]|\?25[hl]|\d*[ABGJK]|[0-9]{1,2}m)|\r|\u0007(?!.)|\^C/g

describe('hostile text, on the real control plane', function () {
  this.timeout(2 * DEADLINE_MS)
  const plane = usesEverything()
  const plugin = usesPlugin()
  let place: Place
  const ours = async (...words: readonly string[]) => plugin().kubectl(['experiment', ...words], { as: TRAP })

  before('an experiment whose pod and Events say hostile things', async () => {
    await plane().api.create('/api/v1/namespaces', { metadata: { name: TRAP.namespace } })
    place = await placeIn(TRAP.namespace)
    await aSource(place, 'cart')
    await created(place, 'trapped', {
      source: 'cart',
      overrideType: 'Strategic',
      overrideSpec: imageOverride('registry.example/cart:2'),
      strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } as never,
    })
    const found = await place.reaches('trapped', 'Available')
    await spoil(found.metadata.uid ?? '', forkOf(found))
  })

  /** Writes it where an API server takes it from anybody who may write pods and Events. */
  async function spoil(uid: string, fork: string): Promise<void> {
    const { api, path } = place
    const pods = (await api.list<KubeObject>(path('pods'))).filter(({ metadata }) => metadata.name.startsWith(fork))
    expect(pods).to.have.lengthOf(1)
    const [pod] = pods
    const state = { waiting: { reason: HOSTILE, message: HUGE } }
    const containerStatuses = [{ name: 'cart', ready: false, restartCount: 1, image: '', imageID: '', state }]
    const conditions = ['Ready', 'ContainersReady'].map((type) => ({
      type,
      status: 'False',
      reason: HOSTILE,
      message: HUGE.slice(0, 9_000),
    }))
    await api.patch(
      `${path('pods', pod?.metadata.name)}/status`,
      { status: { phase: HOSTILE, containerStatuses, conditions } },
      'strategic',
    )
    for (const [name, kind, of, about] of [
      ['a', 'Pod', pod?.metadata.name, pod?.metadata.uid],
      ['b', 'ExperimentDeployment', 'trapped', uid],
    ])
      await api.create(
        resourcePath({ apiVersion: 'v1', kind: 'Event', plural: 'events' }, { namespace: TRAP.namespace }),
        {
          metadata: { name: `trap.${name}` },
          involvedObject: { apiVersion: 'v1', kind, name: of, namespace: TRAP.namespace, uid: about },
          ...{ type: 'Warning', reason: HOSTILE.slice(0, 100), message: HUGE, source: { component: HOSTILE } },
          lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
        },
      )
  }

  /** A person reads all of it, so it is short, and no line is endless. */
  function isHarmless(output: string): void {
    expect(INVISIBLE.exec(output)?.[0], JSON.stringify(output.slice(0, 2_000))).to.equal(undefined)
    expect(output).to.not.contain('\u001b').and.not.contain('xxxx'.repeat(500))
    expect(Math.max(...output.split('\n').map((line) => line.length))).to.be.below(5_000)
  }

  it('is escaped and cut in the details', async () => {
    await eventually('the pod to be shown', DEADLINE_MS, async () => {
      const { code, stdout, stderr } = await ours('get', 'trapped')
      expect(code, stderr).to.equal(0)
      expect(stdout).to.contain('\\u001b[31mred').and.contain('\\u202egnp.exe')
      isHarmless(stdout)
    })
  })

  for (const words of [['-o', 'wide'], ['-o', 'json'], ['-o', 'yaml'], ['--show-values']])
    it(`is escaped and cut with ${words.join(' ')}`, async () => {
      const { code, stdout, stderr } = await ours('get', 'trapped', ...words)
      expect(code, stderr).to.equal(0)
      isHarmless(stdout)
      expect(stdout).to.contain('red')
    })

  it('is escaped and cut in lists and changes', async () => {
    for (const words of [
      ['get'],
      ['get', '-o', 'wide'],
      ['get', '-o', 'json'],
      ['status', 'trapped', '--watch=false'],
      ['analysis', 'trapped'],
    ])
      isHarmless(Object.values(await ours(...words)).join('\n'))
    const child = await plugin().start(['experiment', 'get', 'trapped', '-w', '-o', 'yaml'], { as: TRAP })
    let watched = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      watched += chunk
    })
    await eventually('the first document', DEADLINE_MS, () => expect(watched).to.contain('red'))
    child.kill('SIGINT')
    await once(child, 'close')
    isHarmless(watched)
  })

  it('is escaped on a terminal that is painted again, and the last frame and the cursor stay', async () => {
    const line =
      "(sleep 4; printf '\\003') | script --quiet --return --command 'stty rows 12 cols 100; kubectl experiment get trapped -w' /dev/null"
    const { stdout } = await plugin().shell(line, { as: TRAP })
    const plain = stdout.replaceAll(OURS, '')
    expect(plain).to.contain('trapped in trap').and.contain('more lines')
    isHarmless(plain)
    expect(stdout.lastIndexOf('\u001b[?25l')).to.be.at.most(stdout.lastIndexOf('\u001b[?25h'))
    expect(plain.trimEnd().split('\n').at(-1)).to.match(/^… \d+ more lines/)
  })

  it('is escaped in arguments and errors', async () => {
    const written = HOSTILE.replaceAll(/[\ud800]/g, '')
    for (const words of [
      ['get', written],
      ['get', '-l', written],
      ['get', '-n', written],
      [written],
      ['get', `--${written}`],
      ['status', 'trapped', `--for=${written}`],
      ['status', `expd/${written}`],
      ['create', written],
      ['create', 'cart', '--image', written],
      ['create', 'cart', '--env', written],
      ['create', 'cart', '--steps', written],
      ['create', 'cart', '--name', written],
      ['create', 'cart', '--env', `A=${written}`, '--name', 'B'],
      ['extend', 'trapped', written],
      ['get', '--context', written],
      ['get', '--kubeconfig', written],
      ['promote', 'trapped', '--yes', '--revision', written],
    ]) {
      const { code, stdout, stderr } = await ours(...words)
      expect(code, `${words}`).to.be.greaterThan(0)
      isHarmless(`${stdout}\n${stderr}`)
      expect(stderr, `${words}`).to.match(/^error: /)
    }
  })

  it('is escaped in what an admission policy of somebody else says', async () => {
    const registration = '/apis/admissionregistration.k8s.io/v1'
    const [rule, name] = [
      {
        apiGroups: ['experimentcontroller.example.com'],
        apiVersions: ['*'],
        operations: ['UPDATE'],
        resources: ['experimentdeployments'],
      },
      'trap',
    ]
    const message = HOSTILE.replaceAll(/[\r\n\u2028\ud800]/g, '')
    const matchConstraints = {
      resourceRules: [rule],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': TRAP.namespace } },
    }
    await plane().api.create(`${registration}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: { matchConstraints, validations: [{ expression: 'false', message }] },
    })
    await plane().api.create(`${registration}/validatingadmissionpolicybindings`, {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    })
    try {
      await eventually('the policy to refuse it', DEADLINE_MS, async () => {
        const { code, stdout, stderr } = await ours('pause', 'trapped')
        expect([code, stdout]).to.deep.equal([3, ''])
        expect(stderr).to.contain('\\u001b[31mred')
        isHarmless(stderr)
      })
    } finally {
      for (const plural of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'])
        await plane().api.delete(`${registration}/${plural}/${name}`)
    }
  })
})
