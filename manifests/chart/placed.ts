import { stringify } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { isObject, type JsonObject } from '../../common/json/json.ts'
import { WATCHED } from './render.ts'
import { PLACES, type Place, TEMPLATES } from './values.ts'

/** What stands in a text until the template stands there. No manifest has such a bracket. */
const mark = ({ value, as }: Pick<Place, 'value' | 'as'>) => `«${as} ${value}»`
const MARK = /«(\w+) ([\w.]+)»/

/**
 * `Deployment/experiment-controller`: what the table of places calls an object. Roles in the namespace that is served
 * have names like those in the namespace of the programs.
 */
export const nameOf = ({ kind, metadata: { name, namespace } }: KubeObject): string =>
  `${kind}/${namespace === WATCHED ? 'served/' : ''}${name}`

/** The places of values in an object. Those of objects whose names do not matter come from their kinds. */
function placesIn(object: KubeObject): readonly Place[] {
  const labels = { object: nameOf(object), path: ['metadata', 'labels'], as: 'members' } as const
  const annotations = { object: nameOf(object), path: ['metadata', 'annotations'] } as const
  return [
    ...PLACES.filter((place) => place.object === nameOf(object)),
    ...(MONITORS.includes(object.kind) ? [{ ...labels, value: 'monitoring.labels' }] : []),
    ...(object.kind === 'CustomResourceDefinition' ? [{ ...annotations, value: 'keep', as: 'keep' } as const] : []),
  ]
}

const MONITORS: readonly string[] = ['PodMonitor', 'PrometheusRule']

/** Replaces or adds to what is at a path. `change` gets undefined where there is nothing. */
function changedAt(node: unknown, path: readonly (string | number)[], change: (found: unknown) => unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return change(node)
  if (typeof key === 'number' && Array.isArray(node))
    return node.map((item: unknown, index) => (index === key ? changedAt(item, rest, change) : item))
  if (!isObject(node)) throw new Error(`nothing is at ${path.join('.')}`)
  return { ...node, [key]: changedAt(node[key], rest, change) }
}

/** How what is at the place of a value gets the mark. */
function withMark(place: Place, found: unknown): unknown {
  const text = mark(place)
  const isMore = place.as === 'items' || place.as.startsWith('client')
  if (isMore && Array.isArray(found)) return [...found, text]
  if ((place.as === 'members' || place.as === 'keep') && isObject(found)) return { ...found, [text]: text }
  return text
}

/** The lines of an object, with marks where values belong. */
export function markedLines(object: KubeObject): readonly string[] {
  const marked = placesIn(object).reduce<unknown>(
    (node, place) => changedAt(node, place.path, (found) => withMark(place, found)),
    object,
  )
  return linesOf(marked)
}

/** The lines of an object or a value as YAML, each text in one line. */
export const linesOf = (value: unknown): readonly string[] =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' }).trimEnd().split('\n')

/** The default of a value: what the objects have at its place; undefined if they have nothing. */
export function defaultAt(objects: readonly KubeObject[], value: string): unknown {
  const place = PLACES.find((each) => each.value === value)
  const object = objects.find((each) => nameOf(each) === place?.object)
  let found: unknown
  if (place && object)
    changedAt(object, place.path, (node) => {
      found = node
      return node
    })
  return found
}

/** A line of a manifest as lines of a template: values instead of marks, braces as text, namespaces as values. */
export function templateLines(line: string, namespaces: JsonObject): readonly string[] {
  const [whole, as = '', value = ''] = MARK.exec(line) ?? []
  if (whole === undefined) return [withNamespaces(line.replaceAll('{{', '{{ "{{" }}'), namespaces)]
  const indent = line.length - line.trimStart().length
  const spaces = ' '.repeat(indent)
  const key = line.trimStart().split(':')[0] ?? ''
  return formed(as, key, `.Values.${value}`, indent).map((each) => spaces + each)
}

/** The template of a value that stands at `key`. */
function formed(as: string, key: string, value: string, indent: number): readonly string[] {
  switch (as) {
    case 'scalar':
      return [`${key}: {{ ${value} }}`]
    case 'text':
      return [`{{- with ${value} }}`, `${key}: {{ . | quote }}`, '{{- end }}']
    case 'block':
      return [`{{- with ${value} }}`, `${key}:`, `  {{- toYaml . | nindent ${indent + 2} }}`, '{{- end }}']
    case 'items':
    case 'members':
      return [`{{- with ${value} }}`, `{{- toYaml . | nindent ${indent} }}`, '{{- end }}']
    default:
      return templateOf(as).map((each) => each.replace('INDENT', `${indent + 2}`))
  }
}

function templateOf(name: string): readonly string[] {
  const found = Object.entries(TEMPLATES).find(([key]) => key === name)
  if (!found) throw new Error(`no template is called ${name}`)
  return found[1]
}

/** A name alone is quoted, because it may look like a number. */
const withNamespaces = (line: string, namespaces: JsonObject): string =>
  Object.entries(namespaces).reduce(
    (text, [name, value]) =>
      text.replace(new RegExp(`(^|: |- )${name}$`), `$1{{ ${value} | quote }}`).replaceAll(name, `{{ ${value} }}`),
    line,
  )
