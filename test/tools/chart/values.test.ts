import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { isObject } from '../../../common/json/json.ts'
import { VALUES } from '../../../manifests/chart/values.ts'
import { needs } from '../../needs.ts'
import { IMAGE, idOf, refusal, template } from './helm.ts'

/** What each value changes, for people to read. `WRITE_PAGES=1` writes it. */
const GOLDEN = join(import.meta.dirname, 'values.golden.txt')

interface Other {
  readonly to: unknown
  /** what is set beside it */
  readonly with?: Readonly<Record<string, unknown>>
  /** whether that is refused by itself */
  readonly isTogether?: true
}

/** Another value of each. */
const OTHER: Readonly<Record<string, Other>> = {
  'image.repository': { to: 'mirror.example/experiments' },
  'image.tag': { to: '9.9.9' },
  'image.digest': { to: `sha256:${'0123456789abcdef'.repeat(4)}` },
  'image.pullPolicy': { to: 'Always' },
  imagePullSecrets: { to: [{ name: 'registry' }] },
  'components.analysis': { to: false },
  'components.gate': { to: true },
  'components.cutOver': { to: true, with: { 'components.gate': true } },
  'components.promotion': { to: true },
  openshift: { to: true },
  watchNamespace: { to: '123' },
  'certificates.mode': { to: 'script' },
  'certificates.issuerRef': { to: { kind: 'ClusterIssuer', name: 'platform' } },
  replicas: { to: 5 },
  resources: { to: { requests: { memory: '1Gi' } } },
  nodeSelector: { to: { disk: 'ssd' } },
  tolerations: { to: [{ key: 'infra', operator: 'Exists' }] },
  affinity: { to: { nodeAffinity: {} } },
  topologySpreadConstraints: { to: [] },
  priorityClassName: { to: '' },
  podAnnotations: { to: { 'example.com/team': 'platform' } },
  podLabels: { to: { team: 'platform' } },
  env: { to: [{ name: 'LOG_LEVEL', value: 'debug' }] },
  'webhook.callers.ipBlocks': { to: ['192.0.2.10/32', '192.0.2.11/32'] },
  'webhook.callers.clientCA.configMap': {
    to: 'callers',
    with: { 'webhook.callers.clientCA.names': ['kube-apiserver', 'aggregator'] },
    isTogether: true,
  },
  'webhook.callers.clientCA.names': {
    to: ['other'],
    with: { 'webhook.callers.clientCA.configMap': 'callers' },
    isTogether: true,
  },
  'pack.enabled': { to: true },
  'monitoring.enabled': { to: true },
  'monitoring.labels': { to: { release: 'prometheus' }, with: { 'monitoring.enabled': true } },
  'policyReaders.groups': { to: ['developers'] },
  'crds.install': { to: false },
  'crds.keep': { to: false },
}

const otherOf = (value: string) => OTHER[value] ?? OTHER[value.replace(/^(controller|webhook)\./, '')]

/** `{ 'a.b': 1 }` as `{ a: { b: 1 } }`, which Helm reads. */
function treeOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const set = (node: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown => ({
    ...(isObject(node) ? node : {}),
    [key]: rest.length > 0 ? set(isObject(node) ? node[key] : {}, rest, value) : value,
  })
  return Object.entries(values).reduce<Record<string, unknown>>(
    (tree, [path, value]) => set(tree, path.split('.'), value) as Record<string, unknown>,
    {},
  )
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 100 ? `${text.slice(0, 97)}...` : text
}

/** The items that the other list does not have. */
function without(list: readonly unknown[], other: readonly unknown[]): readonly string[] {
  const others = new Set(other.map((item) => JSON.stringify(item)))
  return list.filter((item) => !others.has(JSON.stringify(item))).map(shown)
}

/** What differs below a path, a line each. */
function differences(path: string, before: unknown, after: unknown): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const areLists = Array.isArray(before) && Array.isArray(after)
  if (areLists && before.length !== after.length)
    return [
      ...without(before, after).map((item) => `${path}: - ${item}`),
      ...without(after, before).map((item) => `${path}: + ${item}`),
    ]
  if (!areLists && !(isObject(before) && isObject(after))) return [`${path}: ${shown(before)} -> ${shown(after)}`]
  const [old, young] = [Object(before), Object(after)]
  const keys = [...new Set([...Object.keys(old), ...Object.keys(young)])]
  return keys.flatMap((key) => differences(`${path}.${key}`, old[key], young[key]))
}

function changes(before: readonly KubeObject[], after: readonly KubeObject[]): readonly string[] {
  const [old, young] = [before, after].map((all) => new Map(all.map((object) => [idOf(object), object])))
  const names = [...new Set([...(old?.keys() ?? []), ...(young?.keys() ?? [])])].sort()
  return names.flatMap((name) => {
    const [was, is] = [old?.get(name), young?.get(name)]
    if (!was) return [`+ ${name}`]
    return is ? differences(name, was, is) : [`- ${name}`]
  })
}

describe('the values of the chart', function () {
  this.timeout(300_000)
  needs('helm')

  it('change what they are about, and nothing else', async () => {
    const sections: string[] = []
    for (const { value } of VALUES) {
      const other = otherOf(value)
      if (!other) throw new Error(`${value} has no other value here`)
      const beside = other.with ?? {}
      const [before, after] = await Promise.all([
        template(treeOf({ 'image.repository': IMAGE.image.repository, ...(other.isTogether ? {} : beside) })),
        template(treeOf({ 'image.repository': IMAGE.image.repository, ...beside, [value]: other.to })),
      ])
      const told = Object.entries(beside).map(([name, set]) => `, with ${name}=${JSON.stringify(set)}`)
      const lines = changes(before, after).map((line) => `  ${line}`)
      expect(lines, value).not.to.deep.equal([])
      sections.push([`${value}=${JSON.stringify(other.to)}${told}`, ...lines].join('\n'))
    }
    const text = `${sections.join('\n')}\n`
    if (process.env.WRITE_PAGES) writeFileSync(GOLDEN, text)
    expect(text).to.equal(readFileSync(GOLDEN, 'utf8'))
  })

  it('are refused where they are misspelt, of another type, or contradict each other, with a sentence', async () => {
    const said = async (values: object) => (await refusal(values)).replaceAll(/\s+/g, ' ')
    expect(await said({ controler: { replicas: 1 } })).to.contain("additional properties 'controler' not allowed")
    expect(await said({ webhook: { replica: 1 } })).to.contain("additional properties 'replica' not allowed")
    expect(await said({ controller: { replicas: 'two' } })).to.contain('/controller/replicas')
    expect(await said({ image: { digest: 'latest' } })).to.contain('/image/digest')
    expect(await said({ certificates: { mode: 'none' } })).to.contain('/certificates/mode')
    expect(await said({ image: {} })).to.contain('image.repository is empty; set it to the image in your registry')
    expect(await said({ components: { cutOver: true } })).to.contain(
      'components.cutOver needs components.gate; set both',
    )
    expect(await said({ watchNamespace: 'kube-system' })).to.contain('watchNamespace is "kube-system"')
    expect(await said({ watchNamespace: 'experiment-controller-system' })).to.contain('name another namespace')
    const callers = (clientCA: object) => said({ webhook: { callers: { clientCA } } })
    expect(await callers({ configMap: 'callers' })).to.contain('webhook.callers.clientCA.names is empty')
    expect(await callers({ names: ['kube-apiserver'] })).to.contain('webhook.callers.clientCA.configMap is empty')
    expect(await said({ image: { repository: 'registry.example:5000/experiments:1' } })).to.contain('leave its tag to')
    expect(await said({ image: { repository: `experiments@sha256:${'0'.repeat(64)}` } })).to.contain('to image.digest')
    expect(await said({ controller: { env: [{ name: 'ANALYSIS', value: 'enabled' }] } })).to.contain(
      'controller.env has ANALYSIS, which the chart sets',
    )
    expect(await said({ webhook: { env: [{ name: 'WATCH_NAMESPACE', value: 'x' }] } })).to.contain('WATCH_NAMESPACE')
    expect(await said({ webhook: { podLabels: { 'app.kubernetes.io/name': 'x' } } })).to.contain(
      'webhook.podLabels has app.kubernetes.io/name',
    )
    expect(await said({ certificates: { issuerRef: { kind: 'ClusterIssuer' } } })).to.contain('/certificates/issuerRef')
    expect(await said({ webhook: { callers: { ipBlocks: ['192.0.2.10'] } } })).to.contain('/webhook/callers/ipBlocks/0')
    expect(await said({ webhook: { callers: null } })).to.contain("missing property 'callers'")
    expect(await callers({ configMap: 'callers', names: ['a,b'] })).to.contain('/webhook/callers/clientCA/names/0')
    expect(await said({ certificates: { mode: 'script', issuerRef: { name: 'x' } } })).to.contain('remove one of both')
  })

  it('leave no name of the default namespace in any text', async () => {
    const made = JSON.stringify(
      await template(
        {
          components: { gate: true, cutOver: true, promotion: true },
          pack: { enabled: true },
          monitoring: { enabled: true },
        },
        '007',
      ),
    )
    expect(made).not.to.contain('experiment-controller-system')
    expect(made).to.contain('system:serviceaccount:007:experiment-controller').and.to.contain('"namespace":"007"')
  })
})
