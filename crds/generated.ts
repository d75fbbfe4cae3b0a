import { type Document, isMap, isSeq, parseAllDocuments, type YAMLMap, type YAMLSeq } from 'yaml'
import { DEFAULTS, OVERRIDE_TYPES, SOURCE_CHANGES } from '../common/api/defaults.ts'
import { REASONS } from '../common/api/reasons.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'

/** A file and what it should hold. */
export interface Generated {
  readonly file: string
  readonly text: string
}

/** Reads a file below the root of the repository; empty for one that is not there. */
export type Read = (file: string) => string

/** Every file of which a part follows from the code, with that part as it should be and the rest as it is. */
export const generated = (read: Read): readonly Generated[] => [
  yaml(read, 'crds/experimentdeployments.yaml', keepCrd),
  yaml(read, 'manifests/base/controller-role.yaml', keepRole),
  yaml(read, 'manifests/base/webhook-role.yaml', keepRole),
  { file: 'README.md', text: withReasons(read('README.md')) },
]

function yaml(read: Read, file: string, keep: (document: Document) => void): Generated {
  const documents = parseAllDocuments(read(file))
  for (const document of documents) {
    if (document.errors[0]) throw new Error(`${file} is not YAML`, { cause: document.errors[0] })
    keep(document)
  }
  // the style the files are written in, so that only what changed differs
  const texts = documents.map((document) => document.toString({ lineWidth: 120, flowCollectionPadding: false }))
  return { file, text: texts.map((text) => text.replace(/^---\n/, '')).join('---\n') }
}

const SPEC = ['spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties']

function keepCrd(document: Document): void {
  set(document, [...SPEC, 'sourceRef', 'properties', 'kind', 'enum'], Object.keys(WORKLOAD_KINDS))
  set(document, [...SPEC, 'overrideType', 'enum'], OVERRIDE_TYPES)
  set(document, [...SPEC, 'onSourceChange', 'enum'], SOURCE_CHANGES)
  for (const [field, value] of Object.entries(DEFAULTS)) document.setIn([...SPEC, field, 'default'], value)
}

/** A list in one line, as the files have theirs. */
function set(document: Document, path: readonly (string | number)[], values: readonly string[]): void {
  const node = document.createNode(values)
  node.flow = true
  document.setIn(path, node)
}

const MARK = 'Kept by `npm run generate`'

/** The rule about workloads is known by its comment: what it grants is for the file to say, on what for the code. */
function keepRole(document: Document): void {
  const rules = document.get('rules')
  if (!isSeq(rules)) return
  const comments = rules.items.map((rule, index) =>
    isMap(rule) ? commentOn(rule, index === 0 ? rules : undefined) : '',
  )
  const index = comments.findIndex((comment) => comment.includes(MARK))
  if (index < 0) throw new Error(`a ClusterRole has lost its rule with the comment "${MARK}"`)
  const kinds = Object.values(WORKLOAD_KINDS)
  const groups = new Set(kinds.map(({ apiVersion }) => apiVersion.split('/')[0] ?? ''))
  set(document, ['rules', index, 'apiGroups'], [...groups])
  set(
    document,
    ['rules', index, 'resources'],
    kinds.map(({ plural }) => plural),
  )
}

/** To the parser a comment before the first item of a list belongs to the list. */
const commentOn = (rule: YAMLMap, list: YAMLSeq | undefined): string =>
  `${list?.commentBefore ?? ''}${rule.commentBefore ?? ''}`

const [BEGIN, END] = ['<!-- reasons: kept by npm run generate -->', '<!-- end of reasons -->']
const EMPTY = `# Experiment Deployment Controller\n\n## Reasons\n\n${BEGIN}\n${END}\n`

/** `readme` with the table of every reason and its remedy between the two comments. */
export function withReasons(readme: string): string {
  const text = readme === '' ? EMPTY : readme
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`README.md has lost its section of reasons: ${BEGIN} and ${END}`)
  const rows = Object.entries(REASONS).map(([reason, remedy]) => `| \`${reason}\` | ${remedy} |`)
  const table = ['| Reason | What to do |', '| --- | --- |', ...rows].join('\n')
  return `${text.slice(0, begin + BEGIN.length)}\n${table}\n${text.slice(end)}`
}
