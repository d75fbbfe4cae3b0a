/** The manifests with a blue-green in the examples and the tests of Argo Rollouts. */
import { argoChart, argoManifests, argoTests, type ManifestFile } from '../../sandbox/modules.ts'
import type { Specimen } from '../corpus/specimen.ts'

/** What the values and the helpers of the chart make of its templates for a release named `blue`. */
const RENDERED: Readonly<Record<string, string>> = {
  'template "helm-guestbook.fullname" .': 'blue-helm-guestbook',
  'template "helm-guestbook.name" .': 'helm-guestbook',
  'template "helm-guestbook.chart" .': 'helm-guestbook-0.1.0',
  '.Release.Name': 'blue',
  '.Release.Service': 'Helm',
  '.Chart.Name': 'helm-guestbook',
  '.Values.replicaCount': '1',
  '.Values.image.repository': 'gcr.io/heptio-images/ks-guestbook-demo',
  '.Values.image.tag': '0.1',
  '.Values.image.pullPolicy': 'IfNotPresent',
  '.Values.service.type': 'ClusterIP',
  '.Values.service.port': '80',
  'toYaml .Values.resources | indent 12': '            {}',
}

/** @throws Error for what the chart has and we do not know */
function rendered(template: string): string {
  const withoutEmpty = template.replaceAll(/ *\{\{- with [\s\S]*?\{\{- end \}\}\n/g, '')
  return withoutEmpty.replaceAll(/\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const value = RENDERED[expression]
    if (value === undefined) throw new Error(`the chart has {{ ${expression} }}`)
    return value
  })
}

/** What `newService` of Argo's tests makes. */
const newService = (name = '', app = ''): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ports: [{ port: 80, targetPort: 'http', protocol: 'TCP', name: 'http' }], selector: { app } },
  })

/** The manifests in each test of a program, without those that change some fields of a Rollout. */
const inTests = ({ path, text }: ManifestFile): readonly Specimen[] =>
  text.split(/^func /m).map((test) => {
    const name = /^\(s \*\w+\) (\w+)/.exec(test)?.[1] ?? ''
    const literals = [...test.matchAll(/`([^`]*)`/g)].map(([, literal = '']) => literal)
    const services = [...test.matchAll(/newService\("([^"]+)", "([^"]+)"\)/g)].map(([, ...of]) => newService(...of))
    const objects = literals.filter((literal) => /^kind: /m.test(literal) && /^ +(template|selector):/m.test(literal))
    return { path: `${path} ${name}`, text: [...services, ...objects].join('\n---\n') }
  })

/** Every manifest with a blue-green, with the Services beside it. */
export async function argoBlueGreens(): Promise<readonly Specimen[]> {
  const files = (await argoManifests()).filter(({ path }) => /^(examples|test\/e2e\/functional)\//.test(path))
  const templates = (await argoChart()).map(({ text }) => rendered(text)).join('\n---\n')
  const chart = { path: 'examples/helm-blue-green', text: templates }
  const plain = files.filter(({ path }) => !path.startsWith(chart.path))
  const tests = (await argoTests()).flatMap(inTests)
  return [...plain, chart, ...tests].filter(({ text }) => /^ +blueGreen:/m.test(text))
}
