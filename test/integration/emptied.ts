/** Experiments whose manifests once had members in a map, and later have the map without them. */
import { ANALYSIS_DEFAULTS } from '../../common/api/analysis/defaults.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject, ResourceType } from '../../common/api/object.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { usesControlPlane } from './fixture.ts'

interface Emptied {
  readonly from: JsonObject
  readonly to: JsonObject
  /** the member of the spec that tells what became of the map */
  readonly where: readonly string[]
  /** what it is then; absent: as in `to` */
  readonly stored?: unknown
}

const template = (of: JsonObject) => ({ overrideSpec: { template: of } })
const canary = (of: JsonObject) => ({ strategy: { canary: of } })
const plugin = (args: JsonObject) => ({
  analysis: { metrics: [{ name: 'judged', kind: 'Decision', provider: 'plugin', plugin: { args } }] },
})
const blueGreen = (of: JsonObject) => ({ strategy: { blueGreen: { activeService: 'cart', ...of } } })
const LAB = template({ metadata: { labels: { tier: 'lab' } } })
const [OVERRIDE, STRATEGY, ANALYSIS] = [['overrideSpec'], ['strategy'], ['analysis']]

/** A map of each kind, by a word for it. */
export const EMPTIED: Readonly<Record<string, Emptied>> = {
  labels: { from: LAB, to: template({ metadata: { labels: {} } }), where: OVERRIDE },
  annotations: {
    from: template({ metadata: { annotations: { note: 'a' } } }),
    to: template({ metadata: { annotations: {} } }),
    where: OVERRIDE,
  },
  'node-selector': {
    from: template({ spec: { nodeSelector: { disk: 'ssd' } } }),
    to: template({ spec: { nodeSelector: {} } }),
    where: OVERRIDE,
  },
  override: { from: LAB, to: { overrideSpec: {} }, where: OVERRIDE },
  canary: { from: canary({ steps: [{ setWeight: 20 }] }), to: canary({}), where: STRATEGY },
  'blue-green': { from: blueGreen({ previewService: 'preview' }), to: blueGreen({}), where: STRATEGY },
  step: {
    from: { analysis: {}, ...canary({ steps: [{ setWeight: 20 }, { analysis: {} }] }) },
    to: { analysis: {}, ...canary({ steps: [{ analysis: {} }] }) },
    where: STRATEGY,
  },
  traffic: {
    from: { ...canary({}), traffic: { mode: 'Gated' } },
    to: { ...canary({}), traffic: {} },
    where: ['traffic'],
    stored: { mode: 'Shared' },
  },
  analysis: {
    from: { analysis: { maxSeconds: 600 } },
    to: { analysis: {} },
    where: ANALYSIS,
    stored: ANALYSIS_DEFAULTS,
  },
  plugin: { from: plugin({ threshold: '5' }), to: plugin({}), where: ['analysis', 'metrics'] },
}

/** What the member of a row is when its `to` is applied. */
export const storedOf = ({ to, where, stored }: Emptied): unknown => stored ?? at(to, ...where)

/** The whole spec of a manifest that says `spec`. */
export const whole = (spec: JsonObject): JsonObject => ({
  sourceRef: { kind: 'Deployment', name: 'cart' },
  overrideSpec: {},
  ...spec,
})

/** Our webhook is not asked in this namespace, which may be there without the components that some strategies need. */
const NAMESPACE = 'kube-system'

/** To be called in a `describe`: objects of a kind as kubectl applies them. They are deleted after the tests. */
export function usesApplied(
  of: ResourceType = EXPERIMENT_DEPLOYMENT,
  place: { namespace?: string } = { namespace: NAMESPACE },
) {
  const plane = usesControlPlane()
  const made = new Set<string>()
  const path = (name: string) => resourcePath(of, { ...place, name })
  after('the objects are deleted', async () => {
    for (const name of made) await plane().api.delete(path(name))
  })
  /** What kubectl says; `applied` if it could do that. */
  const apply = async (name: string, spec: JsonObject, ...options: readonly string[]): Promise<string> => {
    made.add(name)
    const { apiVersion, kind } = of
    const input = JSON.stringify({ apiVersion, kind, metadata: { name, ...place }, spec })
    const { code, stderr } = await plane().kubectl(['apply', ...options, '-f', '-'], { input })
    return code === 0 ? 'applied' : stderr.trim()
  }
  return {
    path,
    stored: (name: string) => plane().api.get<KubeObject>(path(name)),
    /** As `kubectl apply` does without the option. */
    byClient: (name: string, spec: JsonObject) => apply(name, spec),
    byServer: (manager: string, name: string, spec: JsonObject, ...options: readonly string[]) =>
      apply(name, spec, '--server-side', `--field-manager=${manager}`, ...options),
  }
}
