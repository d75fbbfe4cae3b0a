import { withDefaults } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { formatPath, type Path } from '../json/field-path.ts'
import { at, isObject, member } from '../json/json.ts'
import { overridePath } from '../override/override-path.ts'
import { NO_SHAPE } from '../override/shape.ts'

/** A path in `spec` as the API server writes it: `spec.a[0].b`, `.spec.a[name="x"].b`; not `object.spec.a`. */
const PATH = /(?<![\w.\]-])\.?spec((?:\.[A-Za-z_$][\w$-]*|\[[^\]\n]{1,256}\])+)/g
const STEP = /\.([\w$-]+)|\[([^\]]+)\]/g
/** The key of an item, as server-side apply writes it: `name="x"`, `containerPort=80`. */
const KEY = /(\w+)=(?:"([^"]*)"|([^,]*))/g

/**
 * `message` of Kubernetes about `fork`, with the paths that its author knows: a field that the override sets, or that
 * it could add, has its path in the override; any other is said to come from the source. The author has never seen the
 * fork.
 */
export function withOverridePaths(
  message: string,
  fork: KubeObject,
  { experiment, schema }: Pick<SpecFacts, 'experiment' | 'schema'>,
): string {
  const { overrideSpec, overrideType } = withDefaults(experiment.spec)
  const shape = knownValue(schema)?.shape ?? NO_SHAPE
  return message.replaceAll(PATH, (text: string, steps: string) => {
    const path = inSpec(fork.spec, steps)
    if (!path || OF_EXPERIMENTS.has(path[0])) return text
    const place = overridePath({ spec: fork.spec, overrideSpec, overrideType, shape }, path)
    if (place?.isWhole) return formatPath('spec.overrideSpec', place.path)
    return valueAt(fork.spec, path) === undefined ? text : `${formatPath('spec', path)} (from the source)`
  })
}

/** Neither the override nor the source sets these. */
const OF_EXPERIMENTS: ReadonlySet<unknown> = new Set(['replicas', 'selector'])

/** The path in the fork's spec that `steps` mean; undefined if an item is not in it. */
function inSpec(spec: unknown, steps: string): Path | undefined {
  const path: (string | number)[] = []
  let value = spec
  for (const [, key, bracketed = ''] of steps.matchAll(STEP)) {
    if (path.length === 0 && key !== undefined && member(spec, key) === undefined) {
      // a message about a pod
      const pod = at(spec, 'template', 'spec')
      if (member(pod, key) === undefined) return [key]
      path.push('template', 'spec')
      value = pod
    }
    // the API server leaves this step out
    if (path.length === 1 && path[0] === 'template' && (key === 'labels' || key === 'annotations')) {
      path.push('metadata')
      value = member(value, 'metadata')
    }
    const step = key ?? (Array.isArray(value) ? indexOf(value, bracketed) : bracketed.replaceAll('"', ''))
    if (step === undefined) return undefined
    path.push(step)
    value = valueAt(value, [step])
  }
  return path
}

function indexOf(items: readonly unknown[], text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text)
  const keys = [...text.matchAll(KEY)].map(([, key = '', quoted, plain]) => [key, quoted ?? plain] as const)
  const index = items.findIndex((item) => keys.every(([key, value]) => `${member(item, key)}` === value))
  return index < 0 || keys.length === 0 ? undefined : index
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, step) => {
    if (typeof step === 'number') return Array.isArray(inner) ? inner[step] : undefined
    return isObject(inner) ? member(inner, step) : undefined
  }, value)
